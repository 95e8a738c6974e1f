"""The scorer `label`: one label out of a few, compared exactly."""

from __future__ import annotations

from gra_core import Query, Score
from gra_judge.abstention import score_abstention
from gra_judge.answer import read_answer

LABELS = ("Yes", "No", "Inconclusive")


def score_label(query: Query, answer: str, status: str = "answered") -> Score:
    """1 when the answer's label is the reference's, else 0; the last of the labels always scores 0.

    The labels are ``extra["labels"]`` of the query, by default Yes, No and Inconclusive. `extra` of the score
    holds the label read, None when the answer gave none.
    """
    if (abstention := score_abstention(query, answer, status)) is not None:
        return abstention
    labels = tuple(query.extra.get("labels", LABELS))
    reference = query.answer[0] if isinstance(query.answer, (list, tuple)) else query.answer
    given = read_label(answer, labels)
    right = given is not None and given == _match(reference, labels) and given != labels[-1]
    return Score(
        value=float(right),
        explanation="" if right else f"answered {given or 'no label'}",
        extra={"label": given},
    )


def read_label(answer: str | None, labels: tuple[str, ...] = LABELS) -> str | None:
    """The label of a final answer: the one value of its JSON list, or its bare last line."""
    values = read_answer(answer, ["label"])
    return _match(values[0], labels) if len(values) == 1 else None


def _match(value: object, labels: tuple[str, ...]) -> str | None:
    word = value.strip(" .!\"'`*_").casefold() if isinstance(value, str) else ""
    return next((label for label in labels if label.casefold() == word), None)
