"""The messages a model reads, in both ways of using tools: native declarations and constrained output."""

from __future__ import annotations

import json
from typing import Any

from gra_core import Message, ModelRequest, ToolDeclaration, ToolReply
from gra_model_local.signature import describe

EMPTY = "(empty)"
HOW = """\
Reply with one JSON object and nothing else.
To call a tool: {"tool": "<name>", "arguments": {...}}"""
HOW_ANSWER = """
To give the final answer: {"answer": "<text>"}"""


def constrained_messages(
    request: ModelRequest, tools: tuple[ToolDeclaration, ...], *, answer: bool, window: int
) -> list[dict[str, Any]]:
    """Tools as signatures in the system text, calls and answers as the JSON objects they were, results as user
    turns. Neighbouring turns of one role are joined: many chat templates insist on alternation."""
    system = request.system
    if tools:
        listed = describe(tools, most_tokens=window // 4)
        system = "\n\n".join(
            part for part in (system, f"Tools:\n{listed}", HOW + (HOW_ANSWER if answer else "")) if part
        )
    messages = [_message("system", system)] if system else []
    for turn in request.messages:
        role = "assistant" if turn.role == "model" else "user"
        text = _said(turn, bool(tools)) if turn.role == "model" else _told(turn)
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += "\n\n" + text
        else:
            messages.append(_message(role, text))
    return messages


def _said(turn: Message, constrained: bool) -> str:
    if turn.tool_calls:
        return "\n".join(_json({"tool": c.name, "arguments": c.arguments}) for c in turn.tool_calls)
    return _json({"answer": turn.text}) if constrained and turn.text else turn.text or EMPTY


def _told(turn: Message) -> str:
    results = [f"Result of {reply.name}: {_json(reply.output)}" for reply in turn.tool_replies]
    return "\n\n".join([*results, *([turn.text] if turn.text or not results else [])]) or EMPTY


def native_messages(request: ModelRequest, model_id: str) -> list[dict[str, Any]]:
    """Messages for a chat template that knows tools. A native turn of the model itself goes back as it was."""
    messages = [_message("system", request.system)] if request.system else []
    for turn in request.messages:
        if turn.role == "model":
            messages.append(_native_turn(turn, model_id))
        else:
            messages.extend(_tool_message(reply) for reply in turn.tool_replies)
            if turn.role == "user" or turn.text:
                messages.append(_message("user", turn.text or EMPTY))
    return messages


def _native_turn(turn: Message, model_id: str) -> dict[str, Any]:
    if turn.provider == model_id and isinstance(turn.state, dict):
        return turn.state
    calls = [native_call(c.id, c.name, c.arguments) for c in turn.tool_calls]
    return _message("assistant", turn.text or ("" if calls else EMPTY)) | (
        {"tool_calls": calls} if calls else {}
    )


def native_call(identity: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": _json(arguments)}}


def _tool_message(reply: ToolReply) -> dict[str, Any]:
    return _message("tool", _json(reply.output)) | {"tool_call_id": reply.call_id, "name": reply.name}


def _message(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "content": content}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
