"""Replies in the chat-completions wire format."""

from __future__ import annotations

import json
from typing import Any

from chaos.sent import Sent

MODEL = "openai:synthetic"
ENVIRONMENT = {"url": "GRA_BASE_URL_OPENAI", "key": "OPENAI_API_KEY"}
PATIENCE = {"retries": 2, "backoff_s": 0.01, "timeout_s": 20.0, "max_wait_s": 5.0}
MANY = {"retries": 1000}


def said(
    text: str | None = "4", *, prompt: int = 100, output: int = 10, finish: str = "stop", thoughts: int = 0, **message: Any
) -> dict[str, Any]:  # fmt: skip
    """A whole completion; `message` are further keys of its message."""
    counts: dict[str, Any] = {
        "prompt_tokens": prompt, "completion_tokens": output + thoughts, "total_tokens": prompt + output + thoughts,
    }  # fmt: skip
    if thoughts:
        counts["completion_tokens_details"] = {"reasoning_tokens": thoughts}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text, **message},
        "finish_reason": finish,
    }
    return {"id": "chatcmpl-1", "object": "chat.completion", "model": "synthetic", "choices": [choice], "usage": counts}  # fmt: skip


def fine() -> Sent:
    """The right answer, 100 tokens in and 10 out."""
    return Sent(body=said())


def called(
    name: str, args: dict[str, Any] | str | None = None, *, prompt: int = 100, output: int = 10
) -> Sent:
    """One function call; arguments that are text are sent as they are."""
    text = args if isinstance(args, str) else json.dumps(args or {})
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": text}}
    return Sent(body=said(None, prompt=prompt, output=output, finish="tool_calls", tool_calls=[call]))


def refused(status: int, message: str, *, code: str | None = None, **more: Any) -> Sent:
    """An error in the provider's form; `more` goes to `Sent`."""
    error = {"message": message, "type": code or "error", "code": code}
    return Sent(status=status, body={"error": error}, **more)


def limited(delay: str = "") -> Sent:
    """A rate limit of a minute, with the delay that the headers ask for."""
    headers = {"Retry-After-Ms": str(int(float(delay) * 1000))} if delay else {}
    return refused(429, "Rate limit reached for requests per min.", code="rate_limit_exceeded", headers=headers)  # fmt: skip
