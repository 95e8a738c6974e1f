"""Replies in Gemini's wire format."""

from __future__ import annotations

from typing import Any

from chaos.sent import Sent
from gra_model_gemini.testing import call_part, chunk, quota_failure, refusal, retry_info, usage

MODEL = "gemini:gemini-3.1-pro-preview"
ENVIRONMENT = {"url": "GRA_BASE_URL_GEMINI", "key": "GEMINI_API_KEY"}
PATIENCE = {"attempts": 3, "backoff_s": 0.01, "timeout_s": 20.0, "rate_limit_wait_s": 5.0}
MANY = {"attempts": 1000}
TOKENS_PER_DAY = quota_failure("GenerateRequestsPerDayPerProjectPerModel-FreeTier")
BAD_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}


def said(
    text: str = "4", *, prompt: int = 100, output: int = 10, finish: str = "STOP", **more: Any
) -> dict[str, Any]:
    """A whole reply; `more` are further counts."""
    return chunk(text, finish=finish, counts=usage(prompt, output, **more))


def fine() -> Sent:
    """The right answer, 100 tokens in and 10 out."""
    return Sent(body=said())


def called(name: str, args: dict[str, Any] | None = None, *, prompt: int = 100, output: int = 10) -> Sent:
    """One function call."""
    part = call_part(name, args, id="call-1", signed=b"signed")
    return Sent(body=chunk(part, finish="STOP", counts=usage(prompt, output)))


def refused(status: int, message: str, *details: Any, **more: Any) -> Sent:
    """An error in the provider's form; `more` goes to `Sent`."""
    answer = refusal(status, message, details=details)
    return Sent(status=status, body=answer.body, **more)


def limited(delay: str = "") -> Sent:
    """A rate limit of a minute, with the delay that the body asks for."""
    details = [quota_failure("GenerateRequestsPerMinutePerProject")]
    if delay:
        details.append(retry_info(float(delay)))
    return refused(429, "Resource has been exhausted.", *details)


def streamed(*chunks: Any, **more: Any) -> Sent:
    """Server-sent events."""
    import json

    data = b"".join(b"data: " + json.dumps(c).encode() + b"\r\n\r\n" for c in chunks)
    return Sent(body=data, headers={"Content-Type": "text/event-stream"}, **more)
