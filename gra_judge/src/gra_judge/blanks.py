"""The scorer `blanks`: each blank between 0 and 1 in its own domain, the mean over all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gra_core import Blank, Query, Score
from gra_judge.abstention import score_abstention
from gra_judge.answer import read_answer
from gra_judge.domain import domain
from gra_judge.moment import hours_apart, read_moment
from gra_judge.name import same_name, same_text
from gra_judge.quantity import find_unit, read_quantity

YES, NO = {"yes", "true", "y"}, {"no", "false", "n"}


def score_blanks(query: Query, answer: str, status: str = "answered") -> Score:
    """Compare the JSON list of a final answer with the query's reference answer.

    `extra` holds the values read as ``values`` and, for each blank, what was wrong with it as ``remarks``.
    """
    if (abstention := score_abstention(query, answer, status)) is not None:
        return abstention
    blanks, reference = query.blanks, _as_list(query.answer)
    if len(blanks) != len(reference) or not blanks:
        raise ValueError(f"query {query.id}: {len(blanks)} blanks for {len(reference)} reference values")
    values = read_answer(answer, [blank.label for blank in blanks])
    if not values:
        return Score(value=0.0, parts=(0.0,) * len(blanks), explanation="no answer")
    given = [*values[: len(blanks)], *[None] * (len(blanks) - len(values))]
    parts = [score_blank(b, r, v) for b, r, v in zip(blanks, reference, given, strict=True)]
    wrong = _void_dependents(blanks, parts)
    remarks = [_remark(i, parts[i], given[i], wrong) for i in range(len(blanks))]
    text = (
        "; ".join(f"{b.label}: {r}" for b, r in zip(blanks, remarks, strict=True) if r) or "all blanks right"
    )
    if len(values) > len(blanks):
        text += f"; {len(values) - len(blanks)} surplus values left out"
    return Score(
        value=sum(parts) / len(parts),
        parts=tuple(parts),
        explanation=text,
        extra={"values": values, "remarks": remarks},
    )


def score_blank(blank: Blank, reference: Any, value: Any) -> float:
    """Closeness of one value, by the blank's type. A value that cannot be read as that type scores 0."""
    if value is None or reference is None:
        return float(value is None and reference is None)
    if blank.type == "number":
        return _number(blank, float(reference), value)
    if blank.type == "date":
        return _date(blank, reference, value)
    if blank.type == "boolean":
        return float(_truth(value) is not None and _truth(value) == _truth(reference))
    same = same_name if blank.type == "entity" else same_text
    return float(same(value, str(reference), blank.aliases))


def _number(blank: Blank, reference: float, value: Any) -> float:
    quantity, rule = read_quantity(value), domain(blank.tolerance)
    if quantity is None:
        return 0.0
    unit = blank.unit or rule.unit
    number = quantity.to(unit)
    if number is None:
        return 0.0
    # The domain's thresholds are in its unit, the reference is in the blank's.
    here, there = find_unit(unit), find_unit(rule.unit)
    if here and there and here != there and here.dimension == there.dimension:
        scale = here.factor / there.factor
        return rule.closeness(reference * scale, number * scale)
    return rule.closeness(reference, number)


def _date(blank: Blank, reference: Any, value: Any) -> float:
    right, given = read_moment(str(reference)), read_moment(value)
    if right is None:
        raise ValueError(f"blank {blank.label!r}: the reference {reference!r} is not an ISO date")
    rule = domain(blank.tolerance or "date")
    if given is None:
        return 0.0
    hour = find_unit(rule.unit or "d").factor  # type: ignore[union-attr]
    return rule.closeness(0.0, hours_apart(right, given) / hour)


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    word = value.strip(" .!\"'").casefold() if isinstance(value, str) else ""
    return True if word in YES else False if word in NO else None


def _void_dependents(blanks: Sequence[Blank], parts: list[float]) -> set[int]:
    """Set the parts of blanks that hang on a wrong entity to 0, also through a chain; returns their indexes."""
    void: set[int] = set()
    changed = True
    while changed:
        changed = False
        for i, blank in enumerate(blanks):
            if blank.depends_on is not None and i not in void and parts[blank.depends_on] < 1.0:
                void.add(i)
                changed = parts[i] > 0.0 or changed
                parts[i] = 0.0
    return void


def _remark(index: int, part: float, value: Any, void: set[int]) -> str:
    if value is None:
        return "missing"
    if index in void:
        return "depends on a wrong entity"
    return "" if part == 1.0 else f"{value!r} scores {part:.3g}"


def _as_list(answer: Any) -> list[Any]:
    return list(answer) if isinstance(answer, (list, tuple)) else [answer]
