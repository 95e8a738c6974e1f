"""The scorer `two-significant-figures`: one number that equals the reference after rounding."""

from __future__ import annotations

from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Context, Decimal
from typing import Any

from gra_core import Query, Score
from gra_judge.abstention import score_abstention
from gra_judge.answer import last_line, read_answer
from gra_judge.quantity import Quantity, numbers_in, read_quantity

FIGURES = 2


def score_figures(query: Query, answer: str, status: str = "answered") -> Score:
    """1 when the answer's number and the reference agree to two significant figures, else 0.

    At a boundary (1.25) either neighbour is right, since both ways of rounding a half are in use.
    """
    if (abstention := score_abstention(query, answer, status)) is not None:
        return abstention
    reference = query.answer[0] if isinstance(query.answer, (list, tuple)) else query.answer
    right = read_quantity(reference)
    if right is None:
        raise ValueError(f"query {query.id}: the reference {reference!r} is not a number")
    given = read_number(answer)
    if given is None:
        return Score(value=0.0, explanation="no single number in the answer")
    unit = query.blanks[0].unit if query.blanks else right.unit
    number = given.to(unit) if unit else given.value
    same = number is not None and equal_figures(_decimal(given, number), Decimal(right.text))
    return Score(
        value=float(same),
        explanation="" if same else f"{given.value:g} is not {right.value:g}",
        extra={"value": number},
    )


def read_number(answer: str | None) -> Quantity | None:
    """The number of a final answer: the one of its JSON list or last line, where it must be the only number."""
    values = read_answer(answer, ["value"])
    if len(values) != 1:
        return None
    if (quantity := read_quantity(values[0])) is not None:
        return quantity
    found = numbers_in(last_line(answer or ""))
    return found[0] if len(found) == 1 else None


def equal_figures(a: Decimal, b: Decimal, figures: int = FIGURES) -> bool:
    """Whether two numbers are the same after rounding to significant figures."""
    return any(
        Context(prec=figures, rounding=mode).create_decimal(a)
        == Context(prec=figures, rounding=mode).create_decimal(b)
        for mode in (ROUND_HALF_UP, ROUND_HALF_DOWN)
    )


def _decimal(quantity: Quantity, number: float | Any) -> Decimal:
    """The number as it was written; as computed where its unit was converted."""
    return Decimal(quantity.text) if number == quantity.value else Decimal(repr(number))
