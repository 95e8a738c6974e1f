"""Messages of the loop as messages of the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from gra_core import Message, ModelRequest, ToolReply

EMPTY = "(empty)"  # some servers refuse empty text


def wire_messages(request: ModelRequest, model_id: str) -> list[dict[str, Any]]:
    """All messages: system text first, then the turns; each tool reply is a message of its own.

    A model turn of `model_id` itself goes back as it came, unknown fields and all; a turn of another provider or
    model is written anew from its text and calls.
    """
    messages = [{"role": "system", "content": request.system}] if request.system else []
    asked: dict[str, Any] = {}
    for turn in request.messages:
        if turn.role == "model":
            asked = _model_turn(turn, model_id)
            messages.append(asked)
        else:
            messages.extend(_other_turns(turn, asked))
    return messages


def _other_turns(turn: Message, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for reply in _in_order(turn.tool_replies, asked):
        yield _tool_message(reply, asked)
    if turn.role == "user" or turn.text:
        yield {"role": "user", "content": turn.text or EMPTY}


def _model_turn(turn: Message, model_id: str) -> dict[str, Any]:
    if turn.provider == model_id and isinstance(turn.state, dict):
        return turn.state
    message: dict[str, Any] = {
        "role": "assistant",
        "content": turn.text or (None if turn.tool_calls else EMPTY),
    }
    if turn.tool_calls:
        message["tool_calls"] = [
            {
                "id": c.id,
                "type": "function",
                "function": {"name": c.name, "arguments": json.dumps(c.arguments, ensure_ascii=False)},
            }
            for c in turn.tool_calls
        ]
    return message


def _in_order(replies: tuple[ToolReply, ...], asked: dict[str, Any]) -> list[ToolReply]:
    """Replies in the order of the calls: some chat templates match them by position."""
    order = {call.get("id"): place for place, call in enumerate(asked.get("tool_calls") or [])}
    return sorted(replies, key=lambda reply: order.get(reply.call_id, len(order)))


def _tool_message(reply: ToolReply, asked: dict[str, Any]) -> dict[str, Any]:
    content = json.dumps(reply.output, ensure_ascii=False, default=str)
    if asked.get("function_call") and not asked.get(
        "tool_calls"
    ):  # the old form, still spoken by some servers
        return {"role": "function", "name": reply.name, "content": content}
    return {"role": "tool", "tool_call_id": reply.call_id, "content": content}
