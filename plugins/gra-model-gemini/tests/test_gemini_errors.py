"""Faults: what is tried again, what is not, and what it is called then."""

from __future__ import annotations

import logging
import socket
import threading
import time

import pytest

from gra_core import Clock, LimitExceeded, Message, ModelError, Usage
from gra_model_gemini.faults import without_secrets
from gra_model_gemini.testing import Answer, quota_failure, refusal, reply, retry_info, usage

# In two parts, so that no scanner takes the synthetic text for a key.
LOOKS_LIKE_A_KEY = "AIza" + "SyA1234567890abcdefghijklmnopqrstuv"
REFUSED = Usage(requests=1)
FINE = Usage(requests=1, input=10, output=5)


def is_lost(usage):
    """A request whose answer did not arrive: its prompt may be billed, which is an estimate."""
    return usage.requests == 1 and usage.input > 0 and usage.output == 0 and usage.estimated


@pytest.mark.parametrize("status", [408, 500, 502, 503, 504])
def test_passing_faults_are_tried_again(server, ask, status):
    server.add(refusal(status, "not now"), refusal(status, "not now"), reply("fine"))
    answer = ask()
    assert answer.message.text == "fine"
    assert answer.requests == (REFUSED, REFUSED, FINE)
    assert answer.waited_s == 0.0


@pytest.mark.parametrize(
    ("status", "kind"), [(503, "unavailable"), (500, "unavailable"), (504, "timeout"), (408, "timeout")]
)
def test_they_are_given_up_after_a_number_of_attempts(server, ask, status, kind):
    server.add(*(refusal(status, "not now") for _ in range(9)))
    with pytest.raises(ModelError) as raised:
        ask(attempts=3)
    assert raised.value.kind == kind
    assert raised.value.requests == (REFUSED,) * 3
    assert "not now" in raised.value.message
    assert "after 3 requests" in raised.value.message


def test_errors_without_json(server, ask):
    server.add(
        Answer(status=502, body=b"<html>Bad Gateway</html>"), Answer(status=502, body=b""), reply("fine")
    )
    assert ask().message.text == "fine"


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "Request contains an invalid argument.", "bad_request"),
        (401, "Request had invalid authentication credentials.", "auth"),
        (403, "Permission denied.", "auth"),
        (404, "models/gemini-9 is not found for API version v1", "bad_request"),
        (
            400,
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            "context_overflow",
        ),
        (
            400,
            "The input token count exceeds the maximum number of tokens allowed 1048576.",
            "context_overflow",
        ),
    ],
)
def test_final_faults_are_not_tried_again(server, ask, status, message, kind):
    server.add(refusal(status, message), reply("never"))
    with pytest.raises(ModelError) as raised:
        ask()
    assert raised.value.kind == kind
    assert message in raised.value.message
    assert raised.value.requests == (REFUSED,)
    assert len(server.received) == 1


def test_invalid_key_is_an_auth_error(server, ask, monkeypatch, caplog):
    info = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "API_KEY_INVALID",
        "domain": "googleapis.com",
    }
    server.add(refusal(400, "API key not valid: test-key. Please pass a valid API key.", details=(info,)))
    with pytest.raises(ModelError) as raised:
        ask()
    assert raised.value.kind == "auth"
    assert "test-key" not in str(raised.value)
    monkeypatch.setenv("GEMINI_API_KEY", "wrong")
    with pytest.raises(ModelError, match="403") as raised:
        ask()
    assert raised.value.kind == "auth"


def test_a_bad_request_is_logged_without_secrets(server, ask, caplog):
    server.add(refusal(400, "Invalid value at 'tools' for key test-key"))
    with caplog.at_level(logging.ERROR, logger="gra_model_gemini"), pytest.raises(ModelError) as raised:
        ask(
            f"my key is test-key, or {LOOKS_LIKE_A_KEY}",
            tools=["find"],
            system="Be exact.",
        )
    record = next(r for r in caplog.records if r.name == "gra_model_gemini")
    for expected in ("Be exact.", "find", "my key is", "Invalid value", "[key removed]"):
        assert expected in record.getMessage()
    for secret in ("test-key", "AIzaSyA"):
        assert secret not in record.getMessage()
        assert secret not in str(raised.value)


def test_secrets():
    text = f"GET /v1?key=abc123&x=1 Authorization: Bearer ya29.x-y_z {LOOKS_LIKE_A_KEY} me"
    assert without_secrets(text, "me") == (
        "GET /v1?key=[key removed]&x=1 Authorization: Bearer [key removed] [key removed] [key removed]"
    )


def test_a_rate_limit_waits_as_asked_outside_the_working_time(server, ask):
    limited = refusal(
        429,
        "Resource exhausted",
        word="RESOURCE_EXHAUSTED",
        details=(quota_failure("RequestsPerMinute"), retry_info(0.4)),
    )
    server.add(limited, limited, reply("fine"))
    clock = Clock(100)
    started = time.monotonic()
    answer = ask(clock=clock)
    took = time.monotonic() - started
    assert answer.requests == (REFUSED, REFUSED, FINE)
    assert 0.8 <= answer.waited_s <= took
    assert clock.waited == pytest.approx(answer.waited_s, abs=0.05)
    assert clock.used < took - 0.75


def test_a_rate_limit_does_not_use_up_the_attempts(server, ask):
    server.add(*(refusal(429, "slow down", details=(retry_info(0.01),)) for _ in range(7)), reply("fine"))
    assert ask(attempts=2).usage.requests == 8


def test_retry_after_header(server, ask):
    server.add(refusal(429, "slow down", headers={"Retry-After": "1"}), reply("fine"))
    assert ask().waited_s >= 1.0


def test_a_pause_that_a_busy_server_asks_for_is_no_working_time(server, ask):
    server.add(refusal(503, "overloaded", details=(retry_info(0.4),)), reply("fine"))
    assert ask().waited_s >= 0.4
    server.add(refusal(503, "overloaded", details=(retry_info(3600),)))
    with pytest.raises(ModelError, match="3600 s") as raised:
        ask()
    assert raised.value.kind == "unavailable"


def test_rate_limits_are_bounded(server, ask):
    server.add(refusal(429, "slow down", details=(retry_info(3600),)))
    with pytest.raises(ModelError) as raised:
        ask(rate_limit_wait_s=5)
    assert raised.value.kind == "quota"
    assert "3600 s" in raised.value.hint
    assert raised.value.requests == (REFUSED,)


@pytest.mark.parametrize(
    ("details", "message", "kind"),
    [
        (
            (quota_failure("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), retry_info(0.01)),
            "exceeded",
            "daily_quota",
        ),
        (
            (
                quota_failure("GenerateRequestsPerMinutePerProject"),
                quota_failure("TokensPerDay"),
                retry_info(0.01),
            ),
            "exceeded",
            "daily_quota",
        ),
        (
            (
                {
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                    "metadata": {"quota_limit": "RequestsPerDay"},
                },
            ),
            "exceeded",
            "daily_quota",
        ),
        ((quota_failure("RequestsPerMinute", "0"), retry_info(0.01)), "exceeded", "daily_quota"),
        (
            (retry_info(0.01),),
            "Quota exceeded for metric: x/requests, limit: 0, model: gemini-3.1-pro",
            "daily_quota",
        ),
    ],
)
def test_quotas_that_do_not_come_back_are_not_waited_for(server, ask, details, message, kind):
    server.add(refusal(429, message, word="RESOURCE_EXHAUSTED", details=details), reply("never"))
    with pytest.raises(ModelError) as raised:
        ask()
    assert raised.value.kind == kind
    assert len(server.received) == 1


def test_a_limit_that_only_starts_with_zero_is_waited_for(server, ask):
    server.add(refusal(429, "Quota exceeded, limit: 20", details=(retry_info(0.01),)), reply("fine"))
    assert ask().message.text == "fine"


def test_a_truncated_body(server, ask):
    server.add(
        reply("x" * 5000, cut=300), Answer(body=b'{"candidates": [{"con'), Answer(body=b"[1]"), reply("fine")
    )
    answer = ask()
    assert answer.message.text == "fine"
    *lost, last = answer.requests
    assert len(lost) == 3 and all(map(is_lost, lost)) and last == FINE


def test_a_dropped_connection(server, ask):
    server.add(Answer(drop=True), reply("fine"))
    lost, last = ask().requests
    assert is_lost(lost) and last == FINE


def test_nothing_but_the_api_is_asked(server, ask, monkeypatch):
    asked = []
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *a, **k: asked.append(host) or real(host, *a, **k)
    )
    body = {"candidates": [{"content": {"parts": [{"text": "no counts"}]}, "finishReason": "STOP"}]}
    server.add(Answer(body=body))
    assert ask("x" * 10_000, tools=["find"]).usage.estimated
    assert set(asked) == {"127.0.0.1"}
    assert [r.method for r in server.received] == ["generateContent"]


def test_a_body_of_another_shape(server, ask):
    server.add(Answer(body={"candidates": [{"content": {"parts": "text"}}]}), reply("fine"))
    lost, last = ask().requests
    assert is_lost(lost) and last == FINE


def test_a_server_that_hangs(server, ask):
    server.add(reply("late", delay_s=5))
    with pytest.raises(ModelError) as raised:
        ask(timeout_s=1.0, attempts=1)
    assert raised.value.kind == "timeout"
    assert "timeout_s = 1 s" in raised.value.message
    assert len(raised.value.requests) == 1 and is_lost(raised.value.requests[0])


def test_the_trials_end_is_no_time_out_of_the_request(server, ask):
    server.add(reply("late", delay_s=5))
    with pytest.raises(LimitExceeded, match="wall_clock_s"):
        ask(clock=Clock(0.3))


@pytest.mark.parametrize("body", [b"", b"[" * 100_000], ids=["empty", "nested"])
def test_a_body_that_says_nothing_is_asked_for_again(server, ask, body):
    server.add(Answer(body=body), reply("fine"))
    assert ask().message.text == "fine"


def test_halves_of_surrogate_pairs_do_not_go_back(server, ask):
    server.add(reply("cut \ud83c"), reply("fine"))
    first = ask()
    assert first.message.text == "cut \ufffd"
    history = (Message.user("a \udf89"), first.message, Message.user("go on"))
    assert ask(history).message.text == "fine"
    assert server.last.contents[0]["parts"] == [{"text": "a \ufffd"}]


def test_no_server_at_all(server, ask, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("GRA_BASE_URL_GEMINI", f"http://127.0.0.1:{port}")
    with pytest.raises(ModelError) as raised:
        ask(attempts=2)
    assert raised.value.kind == "unavailable"
    assert raised.value.requests == (REFUSED, REFUSED)


def test_no_further_attempt_when_the_trials_time_is_over(server, ask):
    server.add(*(refusal(503, "not now") for _ in range(50)))
    with pytest.raises(LimitExceeded, match="wall_clock_s"):
        ask(clock=Clock(0.3), backoff_s=0.1, attempts=50)
    assert 1 <= len(server.received) < 10


def test_closing_ends_a_wait(server, ask, open_model):
    client = open_model()
    server.add(refusal(429, "slow down", details=(retry_info(60),)))
    threading.Timer(0.3, client.close).start()
    started = time.monotonic()
    with pytest.raises(ModelError, match="closed"):
        ask(client=client)
    assert time.monotonic() - started < 10
    assert len(server.received) == 1


def test_usage_of_all_attempts_adds_up(server, ask):
    server.add(
        refusal(503, "x"),
        reply(finish="MALFORMED_FUNCTION_CALL", counts=usage(10, 1)),
        refusal(503, "x"),
        refusal(400, "no"),
    )
    with pytest.raises(ModelError) as raised:
        ask(tools=["find"])
    assert raised.value.requests == (REFUSED, Usage(requests=1, input=10, output=1), REFUSED, REFUSED)
