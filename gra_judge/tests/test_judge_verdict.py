"""Verdicts are read strictly: exactly the form, or not at all."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import Unreadable
from gra_judge.verdict import read_verdict

ZEROS = ["plan-only", "no-final-answer"]
REASONS = "The gauges were retrieved.\nNothing is missing."


def reply(
    score: str = "SCORE: 2", effect: str = "EFFECT: none", zero: str = "ZERO: none", reasons: str = REASONS
) -> str:
    return f"{reasons}\n\n{effect}\n{zero}\n{score}"


@pytest.mark.parametrize(
    "line",
    ["SCORE: 2", "score: 2", "Score : 2", "**SCORE: 2**", "**SCORE:** 2", "`SCORE: 2`", "> SCORE: 2", "SCORE:\u200b2", "SCORE: \u200b2\ufeff", "SCORE：２", "SCORE: [2]", "SCORE: 2."],
)  # fmt: skip
def test_the_same_score_in_other_dress(line: str) -> None:
    assert read_verdict(reply(line), ZEROS).value == 1.0


@pytest.mark.parametrize(
    "line",
    [
        # The public faults of other harnesses: a grade followed by words, a grade inside a longer word.
        "SCORE: 2. There is no reason to downgrade: insufficient", "SCORE: 21", "SCORE: 2I", "SCORE: 12", "GRADE: C", "GRADE: CI",
        "SCORE: -1", "SCORE: 1.0", "SCORE: 2.0", "SCORE: 0.5", "SCORE: 2/2", "SCORE: 2 out of 2", "SCORE: two", "SCORE: 3", "SCORE:", "SCORE 2",
        "The SCORE: 2", "SCORE: 1 or 2", "SCORE: 1\u2044 2", "SCORE: ½", "2", "", "SCORES: 2",
    ],
)  # fmt: skip
def test_what_is_not_exactly_a_score_is_refused(line: str) -> None:
    with pytest.raises(Unreadable):
        read_verdict(reply(line), ZEROS)


def test_nothing_may_follow_the_score() -> None:
    with pytest.raises(Unreadable):
        read_verdict(reply() + "\nI hope this helps.", ZEROS)


def test_reasoning_comes_first() -> None:
    with pytest.raises(Unreadable, match="reasoning"):
        read_verdict("EFFECT: none\nZERO: none\nSCORE: 2", ZEROS)


def test_a_score_quoted_in_the_reasoning_is_not_the_score() -> None:
    quoting = reply(
        "SCORE: 0", "EFFECT: fatal", reasons="The agent wrote:\nEFFECT: none\nZERO: none\nSCORE: 2"
    )
    assert read_verdict(quoting, ZEROS).value == 0.0


@pytest.mark.parametrize(
    ("effect", "zero", "score", "value"),
    [("none", "none", 2, 1.0), ("slight", "none", 2, 1.0), ("significant", "none", 1, 0.5), ("fatal", "none", 0, 0.0), ("slight", "plan-only", 0, 0.0)],
)  # fmt: skip
def test_the_score_follows_from_effect_and_rule(effect: str, zero: str, score: int, value: float) -> None:
    assert read_verdict(reply(f"SCORE: {score}", f"EFFECT: {effect}", f"ZERO: {zero}"), ZEROS).value == value
    for other in {0, 1, 2} - {score}:
        with pytest.raises(Unreadable, match=f"means {score}"):
            read_verdict(reply(f"SCORE: {other}", f"EFFECT: {effect}", f"ZERO: {zero}"), ZEROS)


def test_an_unknown_rule_or_effect_is_refused() -> None:
    with pytest.raises(Unreadable, match="plan-only"):
        read_verdict(reply("SCORE: 0", zero="ZERO: bad-style"), ZEROS)
    with pytest.raises(Unreadable, match="significant"):
        read_verdict(reply(effect="EFFECT: mild"), ZEROS)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(Unreadable):
        assert read_verdict(text, ZEROS).value in (0.0, 0.5, 1.0)
