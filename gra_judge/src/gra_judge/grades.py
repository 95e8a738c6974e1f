"""The scores of the answer autorater, read strictly: one JSON object with a score for every blank, or nothing."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from attrs import frozen

from gra_core import Unreadable

FORM = """Form of your reply: one JSON object and nothing else, the reasoning before the scores:

{"reasoning": "<for each blank: the gap in the units that matter, and its class>", "blanks": [{"blank": 1, "score": <0 to 1>}, …]}

with one entry for every blank, in order, numbered from 1."""

FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*)\n```", re.DOTALL | re.IGNORECASE)


@frozen(kw_only=True)
class Grades:
    """The score of each blank, in order."""

    scores: tuple[float, ...]
    reasoning: str


def read_grades(reply: str, blanks: int) -> Grades:
    """The scores of a reply; `Unreadable` when it is anything but the object that was asked for. Totals are ignored."""
    value = read_object(reply)
    if not isinstance(value, dict) or not isinstance(value.get("blanks"), list):
        raise Unreadable('it must be a JSON object with "reasoning" and a list "blanks"')
    reasoning = value.get("reasoning")
    if not isinstance(reasoning, str) or not reasoning.strip():
        raise Unreadable('"reasoning" must be a text that is not empty')
    entries = value["blanks"]
    if len(entries) != blanks:
        raise Unreadable(f'"blanks" has {len(entries)} entries for {blanks} blanks')
    return Grades(
        scores=tuple(_score(entry, number) for number, entry in enumerate(entries, 1)), reasoning=reasoning
    )


def read_object(reply: str) -> Any:
    """The JSON of a reply that is nothing else, a code fence aside; `Unreadable` for keys that stand in it twice, and for
    numbers that JSON does not have."""
    text = reply.strip().strip("\ufeff\u200b")
    fenced = FENCE.fullmatch(text)
    try:
        return json.loads(fenced[1] if fenced else text, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable(f"it is not one JSON object and nothing else ({error})") from error


def _score(entry: Any, number: int) -> float:
    if not isinstance(entry, dict) or entry.get("blank") != number or isinstance(entry.get("blank"), bool):
        raise Unreadable(f'entry {number} of "blanks" must have "blank": {number}')
    score = entry.get("score")
    if (
        isinstance(score, bool)
        or not isinstance(score, (int, float))
        or not 0 <= score <= 1
        or math.isnan(score)
    ):
        raise Unreadable(
            f"the score of blank {number} must be a number from 0 to 1, not {json.dumps(score)[:40]}"
        )
    return float(score)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise Unreadable("a key stands in it twice")
    return made


def _refuse(name: str) -> Any:
    raise Unreadable(f"{name} is not a number from 0 to 1")
