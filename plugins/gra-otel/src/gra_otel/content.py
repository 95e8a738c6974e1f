"""Messages in the form of the conventions' JSON schemas, as text: spans do not carry structure everywhere yet."""

from __future__ import annotations

import json
from typing import Any

from gra_otel.names import finish_reason


def clean(text: str) -> str:
    """Text that protobuf can carry: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def as_json(value: Any) -> str:
    return clean(json.dumps(value, ensure_ascii=False, default=str))


def user_message(text: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"type": "text", "content": text}]}


def tool_message(data: dict[str, Any]) -> dict[str, Any]:
    """The reply to a call, from a `tool_returned` event."""
    return {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": data["id"], "response": data["output"]}],
    }


def model_message(data: dict[str, Any]) -> dict[str, Any]:
    """A model's turn, from a `model_replied` event: reasoning, text, calls."""
    parts: list[dict[str, Any]] = []
    if data.get("thoughts"):
        parts.append({"type": "reasoning", "content": data["thoughts"]})
    if data.get("text"):
        parts.append({"type": "text", "content": data["text"]})
    parts += [{"type": "tool_call", **call} for call in data.get("tool_calls", ())]
    return {"role": "assistant", "parts": parts, "finish_reason": finish_reason(data["stop"])}
