"""Which calls the numbers of an answer came from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from gra_core.trajectory import Event

_NUMBER = re.compile(r"(?<![\w.])[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?")


def trace_numbers(answer: str, events: Iterable[Event]) -> list[dict[str, Any]]:
    """For each number in the answer: its text, and the ids of the tool calls whose replies contain it (equal once
    rounded to the digits that the answer shows). No ids means that no reply holds it: computed or remembered."""
    replies = [
        (e.data["id"], set(_numbers_in(e.data["output"]))) for e in events if e.kind == "tool_returned"
    ]
    traced = []
    for match in _NUMBER.finditer(answer):
        value, decimals = _parse(match[0])
        calls = [call for call, numbers in replies if any(_same(value, decimals, n) for n in numbers)]
        traced.append({"number": match[0], "calls": calls})
    return traced


def _parse(text: str) -> tuple[float, int]:
    plain = text.replace(",", "").replace("−", "-")
    mantissa = plain.lower().partition("e")[0]
    return float(plain), len(mantissa.partition(".")[2])


def _same(shown: float, decimals: int, stored: float) -> bool:
    return abs(stored - shown) <= 0.5 * 10**-decimals * (1 + 1e-9) and (shown == 0) == (
        round(stored, decimals) == 0
    )


def _numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        yield float(value)
    elif isinstance(value, str):
        yield from (_parse(m[0])[0] for m in _NUMBER.finditer(value))
    elif isinstance(value, dict):
        for item in value.values():
            yield from _numbers_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _numbers_in(item)
