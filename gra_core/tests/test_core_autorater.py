"""Autoraters: bounded re-asking, independent passes, unscored instead of guessed, an account that is complete."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from gra_core import (
    Autorater,
    Judge,
    Message,
    ModelError,
    ModelReply,
    Query,
    Score,
    Submission,
    Unreadable,
    Unscored,
    Usage,
)
from gra_core.testing import ScriptedModel

SUBMISSION = Submission(query=Query(id="q", benchmark="b", text="?"), answer="four")
BAD = "no grade here"


def read(reply: str) -> float:
    if not reply.startswith("GRADE "):
        raise Unreadable("it must start with GRADE")
    return float(reply.removeprefix("GRADE "))


def ask(submission: Submission, judge: Judge) -> Score:
    return Score(value=judge.ask("Grade it.", submission.answer, read), explanation="asked")


def rated(
    *replies: Any, passes: int = 1, seen: list[dict[str, Any]] | None = None
) -> tuple[Score, Judge, ScriptedModel]:
    model = ScriptedModel(replies)
    judge = Judge(model, observe=(seen if seen is not None else []).append)
    return Autorater(name="a", function=ask).rate(SUBMISSION, judge, passes), judge, model


def test_passes_are_independent_and_averaged() -> None:
    score, judge, model = rated("GRADE 1", "GRADE 0.5", "GRADE 0", passes=3)
    assert score.value == 0.5 and judge.calls == 3
    assert [p["value"] for p in score.extra["passes"]] == [1.0, 0.5, 0.0]
    # No pass sees another's reply.
    assert all(len(r.messages) == 1 for r in model.requests)


def test_an_unreadable_reply_is_asked_again_with_the_reason() -> None:
    score, judge, model = rated(BAD, "GRADE 1")
    assert score.value == 1.0 and judge.calls == 2
    assert [m.role for m in model.requests[1].messages] == ["user", "model", "user"]
    assert "must start with GRADE" in model.requests[1].messages[2].text


def test_after_three_unreadable_replies_it_is_unscored_and_never_the_lowest_score() -> None:
    score, judge, _ = rated("GRADE 1", BAD, BAD, BAD, "GRADE 1", passes=3)
    assert score.value is None and judge.calls == 4
    assert "3 replies" in score.explanation and "must start with GRADE" in score.explanation


def test_a_reply_that_was_cut_off_is_not_read() -> None:
    cut = ModelReply(
        message=Message(role="model", text="GRADE 1"), stop="max_tokens", requests=(Usage(requests=1),)
    )
    score, judge, model = rated(cut, "GRADE 0")
    assert score.value == 0.0 and judge.calls == 2
    assert len(model.requests[1].messages) == 1


def test_a_pass_without_a_question_is_not_repeated() -> None:
    calls = []

    def decide(submission: Submission, judge: Judge) -> Score:
        calls.append(submission)
        return Score(value=0.0, explanation="empty")

    score = Autorater(name="a", function=decide, passes=3).rate(SUBMISSION, Judge(ScriptedModel([])))
    assert score.value == 0.0 and len(calls) == 1 and score.explanation == "empty"


def test_every_call_is_accounted_for_failed_ones_too() -> None:
    seen: list[dict[str, Any]] = []
    _, judge, _ = rated(BAD, "GRADE 1", "GRADE 1", passes=2, seen=seen)
    assert [(c["pass"], bool(c["fault"])) for c in seen] == [(1, True), (1, False), (2, False)]
    assert sum(judge.requests, Usage()).input == 300
    failure = ModelError("daily_quota", "used up", requests=(Usage(requests=1, input=7),))
    judge = Judge(ScriptedModel([failure]), observe=seen.append)
    with pytest.raises(ModelError):
        Autorater(name="a", function=ask).rate(SUBMISSION, judge)
    assert sum(judge.requests, Usage()).input == 7 and seen[-1]["error"] == "daily_quota"


def test_parts_are_averaged_too() -> None:
    parts = iter([(1.0, 0.0), (0.5, 0.0)])

    def rate(submission: Submission, judge: Judge) -> Score:
        judge.ask("", "", read)
        found = next(parts)
        return Score(value=sum(found) / 2, parts=found)

    score = Autorater(name="a", function=rate, passes=2).rate(
        SUBMISSION, Judge(ScriptedModel(["GRADE 1", "GRADE 1"]))
    )
    assert score.parts == (0.75, 0.0) and score.value == 0.375


def test_ask_alone_raises_unscored() -> None:
    with pytest.raises(Unscored):
        Judge(ScriptedModel([BAD]), attempts=1).ask("", "", read)


def test_a_judge_that_hangs_is_given_up_on() -> None:
    never = threading.Event()
    judge = Judge(ScriptedModel([lambda request: never.wait(30)]), timeout_s=0.2)
    with pytest.raises(ModelError, match=r"no reply in 0\.2 s") as error:
        judge.ask("", "", read)
    assert error.value.kind == "timeout"
    never.set()
