"""Queries that nothing can answer: abstaining is right there, and any answer is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gra_core import Query, Score
from gra_judge.answer import read_answer

EMPTY_ANSWERS = ("", "[]", "{}", "null", "none", "json\n[]")
EMPTY_VALUES = ("", "null", "none", "n/a")


def score_abstention(query: Query, answer: str, status: str) -> Score | None:
    """The score of a query that is not solvable, None for any other. Abstaining is calling the tool for it, or an answer
    that says nothing; a trial that broke off did neither."""
    if query.solvable:
        return None
    values = read_answer(answer, [blank.label for blank in query.blanks] or ["answer"])
    right = status == "abstained" or (status == "answered" and nothing(answer, values))
    why = "abstained, as it should" if right else "answered what nothing can answer"
    return Score(value=float(right), explanation=why, extra={"solvable": False, "judged": False})


def nothing(answer: str, values: Sequence[Any]) -> bool:
    """Whether an answer says nothing: no text, an empty list, or only empty values in it."""
    text = answer.strip().strip("`").strip()
    return text.casefold() in EMPTY_ANSWERS or (bool(values) and all(map(empty_value, values)))


def empty_value(value: Any) -> bool:
    """Whether a value of an answer says nothing."""
    return value is None or (isinstance(value, str) and value.strip().casefold() in EMPTY_VALUES)
