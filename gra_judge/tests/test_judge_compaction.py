"""Compaction: bounded, in order, the answer whole, and the same again when repeated."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from judge_samples import called, make_events

from gra_judge.compaction import SHORTEST_LIMIT, compact, cut_to
from gra_judge.trace import Call, Gap, Said, Trace, dumps, lines

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=10), inner, max_size=12),
    max_leaves=40,
)
items = st.one_of(
    st.builds(Said, text=st.text(max_size=3000)),
    st.builds(
        Call,
        tool=st.text(min_size=1, max_size=20),
        arguments=values,
        result=values,
        status=st.sampled_from(["ok", "empty", "failed"]),
    ),
)
traces = st.builds(Trace, items=st.lists(items, max_size=40).map(tuple), answer=st.text(max_size=5000))
limits = st.integers(SHORTEST_LIMIT, 20_000)


@given(traces, limits)
def test_the_steps_are_bounded_and_the_answer_is_whole(trace: Trace, limit: int) -> None:
    made = compact(trace, limit=limit)
    assert len(lines(made)) <= limit
    assert made.answer == trace.answer


@given(traces, limits)
def test_compacting_again_changes_nothing(trace: Trace, limit: int) -> None:
    once = compact(trace, limit=limit)
    assert compact(once, limit=limit) == once


@given(traces, limits)
def test_the_order_of_steps_stays_and_what_is_missing_is_said(trace: Trace, limit: int) -> None:
    made = compact(trace, limit=limit)
    gaps = [n for n, item in enumerate(made.items) if isinstance(item, Gap)]
    assert len(gaps) <= 1
    skipped = made.items[gaps[0]].steps if gaps else 0  # type: ignore[union-attr]
    first = gaps[0] if gaps else len(made.items)
    kept = [*trace.items[:first], *trace.items[first + skipped :]]
    assert len(made.items) - len(gaps) + skipped == len(trace.items)
    for before, after in zip(kept, (item for item in made.items if not isinstance(item, Gap)), strict=True):
        assert type(before) is type(after) and (after.cut > 0 or after == before)  # type: ignore[union-attr]


@given(values.filter(lambda value: len(dumps(value)) > 2), st.floats(0, 1, exclude_max=True))
def test_a_value_is_cut_to_size(value: Any, share: float) -> None:
    room = max(2, int(share * len(dumps(value))))
    assert len(dumps(cut_to(value, room))) <= room


@given(items, limits)
def test_how_much_was_cut_is_told_to_the_character(item: Said | Call, limit: int) -> None:
    made = compact(Trace(items=(item,)), limit=limit).items[0]
    assume(not isinstance(made, Gap))
    parts = ("text",) if isinstance(item, Said) else ("tool", "arguments", "result")
    lost = sum(len(dumps(getattr(item, p))) - len(dumps(getattr(made, p))) for p in parts)
    assert made.cut == lost and (lost > 0 or made == item)  # type: ignore[union-attr]


def test_a_long_list_keeps_its_beginning_and_says_how_many_are_gone() -> None:
    rows = [{"county": f"county {n}", "km": n} for n in range(3000)]
    made = compact(make_events(*called("rank", {}, rows)), "done")
    content = made.items[0].result["content"]  # type: ignore[union-attr]
    assert content[:2] == rows[:2] and "left out" in content[-1]
    line = json.loads(lines(made))
    assert line["cut"] == f"{made.items[0].cut} characters left out of this step for length"  # type: ignore[union-attr]


def test_a_long_run_keeps_its_beginning_and_its_end() -> None:
    steps = [
        step
        for n in range(4000)
        for step in called("probe", {"n": n}, {"value": n, "text": "x" * 200}, number=n)
    ]
    made = compact(make_events(*steps), "done")
    assert made.items[0].arguments == {"n": 0} and made.items[-1].arguments == {"n": 3999}  # type: ignore[union-attr]
    numbers = [json.loads(line).get("step") for line in lines(made).splitlines()]
    assert numbers[-1] == 4000 and numbers.count(None) == 1
    assert len(lines(made)) <= 150_000


def test_a_short_trajectory_is_left_as_it_is() -> None:
    made = compact(make_events(*called("rank", {"by": "km"}, [1, 2, 3])), "done")
    assert made.items == (Call(tool="rank", arguments={"by": "km"}, result={"content": [1, 2, 3]}),)
