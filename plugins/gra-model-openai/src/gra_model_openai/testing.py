"""Bodies in the chat-completions wire format, for loopback servers of tests (`gra_core.testing.LoopbackServer`)."""

from __future__ import annotations

from typing import Any


def completion(
    message: str | dict[str, Any], usage: dict[str, Any] | None, *, finish: str = "stop", **fields: Any
) -> dict[str, Any]:
    """A whole completion: `message` is the model's text or its turn (`calling`); None leaves `usage` out, `fields` are laid
    over the body."""
    turn = {"role": "assistant", "content": message} if isinstance(message, str) else message
    body: dict[str, Any] = {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": "synthetic",
        "choices": [{"index": 0, "message": turn, "finish_reason": finish}],
    }  # fmt: skip
    if usage is not None:
        body["usage"] = usage
    return body | fields


def usage(prompt: int, output: int, thoughts: int = 0) -> dict[str, Any]:
    """Token counts; `thoughts` are counted as output, as the protocol has it."""
    counts: dict[str, Any] = {
        "prompt_tokens": prompt, "completion_tokens": output + thoughts, "total_tokens": prompt + output + thoughts,
    }  # fmt: skip
    if thoughts:
        counts["completion_tokens_details"] = {"reasoning_tokens": thoughts}
    return counts


def call(name: str, arguments: str, *, id: str = "call_1", **fields: Any) -> dict[str, Any]:
    """A function call; `arguments` is JSON text."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}} | fields


def calling(*calls: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A model's turn that calls functions."""
    return {"role": "assistant", "content": None, "tool_calls": list(calls)} | fields
