"""Errors, retries and waits."""

from __future__ import annotations

import datetime as dt
import email.utils
import threading
import time

import pytest

from gra_core import Clock, LimitExceeded, Message, ModelError, ModelRequest, ModelSettings, TrialBrief, Usage
from gra_model_openai.plugin import gra_models


def fault(status: int, message="no", headers=None, **fields) -> tuple:
    return (status, headers or {}, {"error": {"message": message, "type": "error"} | fields})


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_passing_failures_are_retried_and_counted_and_only_limits_are_waiting(wire, ask, make, status):
    wire.steps = [fault(status), fault(status), make.completion()]
    reply = ask()
    assert reply.message.text == "Nebraska"
    assert reply.requests == (Usage(requests=1), Usage(requests=1), Usage(requests=1, input=20, output=5))
    assert (reply.waited_s > 0) == (status == 429)


@pytest.mark.parametrize("step", ["drop", "cut"])
def test_dropped_and_truncated_connections_are_retried_and_their_prompt_counted(wire, ask, make, step):
    wire.steps = [getattr(make, step), make.completion()]
    reply = ask(system="word " * 100)
    assert reply.message.text == "Nebraska"
    first, second = reply.requests
    assert first.estimated and 100 < first.input < 200 and first.output == 0
    assert second == Usage(requests=1, input=20, output=5)


def test_a_body_cut_short_without_notice_is_retried(wire, ask, make):
    wire.steps = [
        (200, {}, b'{"choices": [{"mess'),
        (200, {}, b"[" * 100_000),
        (200, {"Content-Type": "text/html"}, b"<html>busy</html>"),
        make.completion(),
    ]
    assert ask().usage.requests == 4


def test_halves_of_surrogate_pairs_are_not_sent(wire, ask, make):
    wire.steps = [make.completion()]
    ask(messages=(Message.user("a \udf89"),))
    assert wire.bodies[0]["messages"][0]["content"] == "a \ufffd"


def test_retry_after_is_honoured_reported_and_no_working_time(wire, ask, make):
    wire.steps = [fault(429, headers={"Retry-After": "0.4"}), make.completion()]
    clock = Clock(60)
    reply = ask(clock)
    assert 0.4 <= reply.waited_s < 2
    assert clock.waited == pytest.approx(reply.waited_s, abs=0.05)


def test_retry_after_ms_goes_before_retry_after(wire, ask, make):
    wire.steps = [fault(429, headers={"Retry-After-Ms": "50", "Retry-After": "30"}), make.completion()]
    assert 0.05 <= ask().waited_s < 5


def test_retry_after_may_be_a_date(wire, ask, make):
    date = email.utils.format_datetime(dt.datetime.now(dt.UTC) + dt.timedelta(seconds=2), usegmt=True)
    wire.steps = [fault(503, headers={"Retry-After": date}), make.completion()]
    assert 0.5 < ask().waited_s < 3.5


def test_a_wait_longer_than_allowed_is_not_begun(wire, ask, make):
    wire.steps = [fault(429, headers={"Retry-After": "3600"})]
    with pytest.raises(ModelError, match="3600 s") as caught:
        ask()
    assert caught.value.kind == "quota" and len(wire.bodies) == 1


def test_retries_are_bounded_by_the_setting(wire, ask, make):
    wire.steps = [fault(503)]
    with pytest.raises(ModelError, match="after 3 attempts") as caught:
        ask(settings=ModelSettings(extra={"retries": 2, "backoff_s": 0.01}))
    assert caught.value.kind == "unavailable" and len(wire.bodies) == 3
    assert caught.value.requests == (Usage(requests=1),) * 3 and caught.value.waited_s == 0


def test_rate_limits_are_bounded_by_time_and_not_by_number(wire, ask, make):
    wire.steps = [*(fault(429) for _ in range(5)), make.completion()]
    patient = ModelSettings(extra={"retries": 1, "backoff_s": 0.01})
    assert ask(settings=patient).usage.requests == 6
    wire.steps, wire.bodies[:] = [fault(429, headers={"Retry-After": "0.2"})], []
    with pytest.raises(ModelError, match=r"rate_limit_wait_s = 0\.5") as caught:
        ask(settings=ModelSettings(extra={"rate_limit_wait_s": 0.5}))
    assert caught.value.kind == "quota" and len(wire.bodies) == 3 and caught.value.waited_s >= 0.4


def test_a_budget_is_asked_before_each_repeat(wire, ask, make):
    wire.steps = [fault(500), make.completion(None, usage={"prompt_tokens": 3, "completion_tokens": 1})]
    clock, told = Clock(60), []
    clock.on_repeat = lambda requests: told.append(tuple(requests))
    ask(clock)
    assert told == [(Usage(requests=1),)]


def test_the_server_may_forbid_or_ask_for_a_retry(wire, ask, make):
    wire.steps = [
        fault(400, headers={"x-should-retry": "true"}),
        fault(500, headers={"x-should-retry": "false"}),
    ]
    with pytest.raises(ModelError):
        ask()
    assert len(wire.bodies) == 2


@pytest.mark.parametrize(
    "step",
    [
        fault(
            429,
            "You exceeded your current quota, please check your plan",
            code="insufficient_quota",
            type="insufficient_quota",
        ),
        fault(402, "Insufficient Balance"),
        fault(429, "Rate limit reached on requests per day (RPD)", code="rate_limit_exceeded"),
    ],
)
def test_an_exhausted_account_is_not_retried(wire, ask, step):
    wire.steps = [step]
    with pytest.raises(ModelError) as caught:
        ask()
    assert caught.value.kind == "daily_quota" and len(wire.bodies) == 1


@pytest.mark.parametrize(
    "step",
    [
        fault(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded"),
        fault(
            400, "the request exceeds the available context size", type="exceed_context_size_error", code=400
        ),
        (
            400,
            {},
            {
                "object": "error",
                "message": "This model's maximum context length is 4096 tokens",
                "type": "BadRequestError",
                "code": 400,
            },
        ),
        fault(413, "prompt is too long: 210000 tokens > 200000 maximum"),
    ],
)
def test_a_prompt_beyond_the_window_is_a_context_overflow(wire, ask, step):
    wire.steps = [step]
    with pytest.raises(ModelError) as caught:
        ask()
    assert caught.value.kind == "context_overflow" and len(wire.bodies) == 1


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, "bad_request"), (401, "auth"), (403, "auth"), (404, "bad_request"), (422, "bad_request")],
)
def test_refusals_are_not_retried(wire, ask, status, kind):
    wire.steps = [fault(status, "refused")]
    with pytest.raises(ModelError, match="refused") as caught:
        ask()
    assert caught.value.kind == kind and len(wire.bodies) == 1 and caught.value.hint


def test_an_error_inside_a_reply_of_status_200_counts_as_its_code(wire, ask, make):
    wire.steps = [{"error": {"code": 429, "message": "busy upstream"}}, make.completion()]
    assert ask().usage.requests == 2
    wire.steps, wire.bodies[:] = [{"error": {"code": 402, "message": "no credits"}}], []
    with pytest.raises(ModelError, match="no credits") as caught:
        ask()
    assert caught.value.kind == "daily_quota"


def test_an_error_that_is_no_json_is_shown(wire, ask):
    wire.steps = [(404, {"Content-Type": "text/plain"}, b"404 page not found")]
    with pytest.raises(ModelError, match="404 page not found"):
        ask()


def test_a_refused_request_is_logged_without_the_key(wire, make, monkeypatch, caplog):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-value")
    client = gra_models("openai:test-model").open(TrialBrief())
    wire.steps = [fault(400, "bad key sk-very-secret-value in field")]
    with pytest.raises(ModelError) as caught:
        client.generate(ModelRequest(messages=(Message.user("my key is sk-very-secret-value"),)), Clock(60))
    client.close()
    assert "sk-very-secret-value" not in str(caught.value) + caplog.text
    assert "my key is" in caplog.text and wire.headers[0]["authorization"] == "Bearer sk-very-secret-value"


def test_nobody_listens(wire, ask):
    wire.close()
    with pytest.raises(ModelError, match="ConnectError") as caught:
        ask(settings=ModelSettings(extra={"retries": 1, "backoff_s": 0.01}))
    assert caught.value.kind == "unavailable" and caught.value.requests == (Usage(requests=1),) * 2
    assert "/v1 included" in str(caught.value)


def test_a_silent_server_times_out(wire, ask, make):
    wire.steps = [make.hang]
    with pytest.raises(ModelError) as caught:
        ask(settings=ModelSettings(extra={"retries": 0, "timeout_s": 0.3}))
    assert caught.value.kind == "timeout" and caught.value.requests[0].estimated
    assert "timeout_s = 0.3 s" in caught.value.message


def test_the_clock_bounds_a_request(wire, ask, make):
    wire.steps = [make.hang]
    started = time.monotonic()
    with pytest.raises(LimitExceeded, match="wall_clock_s"):
        ask(Clock(0.5))
    assert time.monotonic() - started < 3


def test_close_ends_a_wait(wire, ask, client):
    wire.steps = [fault(429, headers={"Retry-After": "60"})]
    threading.Timer(0.3, client.close).start()
    started = time.monotonic()
    with pytest.raises(ModelError):
        ask()
    assert time.monotonic() - started < 5
