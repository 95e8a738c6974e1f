"""Scores of blanks are read strictly: one JSON object, every blank once, every score in range."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import Unreadable
from gra_judge.grades import read_grades


def reply(*scores: Any, **more: Any) -> str:
    blanks = [{"blank": n, "score": s} for n, s in enumerate(scores, 1)]
    return json.dumps({"reasoning": "Close.", "blanks": blanks, **more})


def test_scores_in_order() -> None:
    assert read_grades(reply(1, 0.25), 2).scores == (1.0, 0.25)
    assert read_grades(f"```json\n{reply(0.5)}\n```\n", 1).scores == (0.5,)
    assert read_grades("\ufeff" + reply(0.5) + "\u200b", 1).scores == (0.5,)


def test_a_total_is_ignored() -> None:
    assert read_grades(reply(0, 0, overall_score=1.0, total=1), 2).scores == (0.0, 0.0)


@pytest.mark.parametrize(
    "text",
    [
        "", "1.0", "[1.0]", "null", reply(), reply(1), reply(1, 1, 1), reply(1.01, 1), reply(-0.1, 1), reply("1", 1), reply(True, 1), reply(None, 1),
        reply(1, 1) + " Good work.", "Here it is: " + reply(1, 1), reply(1, 1) + reply(0, 0), reply(1, 1).replace("Close.", " "),
        reply(1, 1).replace('"score": 1', '"score": NaN'), reply(1, 1).replace('"score": 1', '"score": 1e999'),
        reply(1, 1).replace('"score": 1', '"score": 1, "score": 0'), reply(1, 1).replace('"blank": 1', '"blank": 2'),
        reply(1, 1).replace('"blank": 1', '"blank": true'), '{"blanks": [{"blank": 1, "score": 1}, {"blank": 2, "score": 1}]}',
        '{"reasoning": "x", "blanks": [1, 1]}', '{"reasoning": "x", "blanks": {"1": 1, "2": 1}}', "{" * 100_000, "[" * 100_000,
    ],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read_grades(text, 2)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_what_is_written_is_read(scores: list[float]) -> None:
    assert read_grades(reply(*scores), len(scores)).scores == tuple(scores)
