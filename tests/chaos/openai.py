"""Replies in the chat-completions wire format."""

from __future__ import annotations

import json
from typing import Any

from chaos.sent import Sent
from gra_model_openai.testing import call, calling, completion, usage

MODEL = "openai:synthetic"
ENVIRONMENT = {"url": "GRA_BASE_URL_OPENAI", "key": "OPENAI_API_KEY"}
PATIENCE = {"retries": 2, "backoff_s": 0.01, "timeout_s": 20.0, "max_wait_s": 5.0}
MANY = {"retries": 1000}


def said(
    text: str | None = "4", *, prompt: int = 100, output: int = 10, finish: str = "stop", thoughts: int = 0, **message: Any
) -> dict[str, Any]:  # fmt: skip
    """A whole completion; `message` are further keys of its message."""
    turn = {"role": "assistant", "content": text, **message}
    return completion(turn, usage(prompt, output, thoughts), finish=finish)


def fine() -> Sent:
    """The right answer, 100 tokens in and 10 out."""
    return Sent(body=said())


def called(
    name: str, args: dict[str, Any] | str | None = None, *, prompt: int = 100, output: int = 10
) -> Sent:
    """One function call; arguments that are text are sent as they are."""
    text = args if isinstance(args, str) else json.dumps(args or {})
    turn = calling(call(name, text))
    return Sent(body=completion(turn, usage(prompt, output), finish="tool_calls"))


def refused(status: int, message: str, *, code: str | None = None, **more: Any) -> Sent:
    """An error in the provider's form; `more` goes to `Sent`."""
    error = {"message": message, "type": code or "error", "code": code}
    return Sent(status=status, body={"error": error}, **more)


def limited(delay: str = "") -> Sent:
    """A rate limit of a minute, with the delay that the headers ask for."""
    headers = {"Retry-After-Ms": str(int(float(delay) * 1000))} if delay else {}
    return refused(429, "Rate limit reached for requests per min.", code="rate_limit_exceeded", headers=headers)  # fmt: skip
