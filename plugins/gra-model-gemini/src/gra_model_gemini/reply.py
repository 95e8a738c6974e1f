"""From an answer of the API to the loop's reply: text, thoughts, calls, stop reason."""

from __future__ import annotations

from typing import Any

from gra_core import Message, ModelReply, ModelRequest, ToolCall, Usage
from gra_core.model import StopReason
from gra_model_gemini.answer import Answer
from gra_model_gemini.contents import PROVIDER, Content, state_of

STOPS: dict[str, StopReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "max_tokens",
    "CONTINUATION": "max_tokens",
    "SAFETY": "safety",
    "IMAGE_SAFETY": "safety",
    "RECITATION": "recitation",
    "IMAGE_RECITATION": "recitation",
    "BLOCKLIST": "blocklist",
    "PROHIBITED_CONTENT": "prohibited_content",
    "IMAGE_PROHIBITED_CONTENT": "prohibited_content",
    "SPII": "spii",
    "LANGUAGE": "language",
    "MALFORMED_FUNCTION_CALL": "malformed_call",
    "UNEXPECTED_TOOL_CALL": "unexpected_call",
    "TOO_MANY_TOOL_CALLS": "too_many_calls",
    "MISSING_THOUGHT_SIGNATURE": "missing_signature",
    "MALFORMED_RESPONSE": "malformed_response",
    "MODEL_ARMOR": "content_filter",
    "OTHER": "other",
    "IMAGE_OTHER": "other",
    "NO_IMAGE": "other",
    "ESCALATION": "other",
}


def reply_of(
    answer: Answer,
    request: ModelRequest,
    *,
    model: str,
    before: list[Content],
    requests: tuple[Usage, ...],
    waited_s: float,
) -> ModelReply:
    """The reply to a request. `before` are the corrective turns that led to the answer."""
    message = Message(
        role="model",
        text=_text(answer.parts, thought=False),
        thoughts=_text(answer.parts, thought=True),
        tool_calls=_calls(answer.parts, request),
        provider=PROVIDER,
        state=state_of(model, answer.parts, before),
    )
    stop, detail = _stop(answer, calls=bool(message.tool_calls))
    return ModelReply(
        message=message, stop=stop, stop_detail=detail, requests=requests, waited_s=waited_s,
        model_version=answer.model_version,
    )  # fmt: skip


def _text(parts: list[dict[str, Any]], *, thought: bool) -> str:
    return "".join(part.get("text", "") for part in parts if bool(part.get("thought")) == thought)


def _calls(parts: list[dict[str, Any]], request: ModelRequest) -> tuple[ToolCall, ...]:
    declared = {tool.name for tool in request.tools}
    taken = {call.id for message in request.messages for call in message.tool_calls}
    turn = sum(message.role == "model" for message in request.messages)
    calls: list[ToolCall] = []
    for part in parts:
        if (sent := part.get("functionCall")) is None:
            continue
        identity = sent.get("id") or ""
        if not identity or identity in taken:
            identity = _free_id(turn, len(calls), taken)
        taken.add(identity)
        name = declared_name(sent.get("name") or "", declared)
        calls.append(ToolCall(id=identity, name=name, arguments=sent.get("args") or {}))
    return tuple(calls)


def _free_id(turn: int, number: int, taken: set[str]) -> str:
    """An id of ours, the same whenever the same conversation is played again."""
    identity = f"call-{turn}-{number}"
    while identity in taken:
        identity += "x"
    return identity


def declared_name(name: str, declared: set[str]) -> str:
    """The declared tool that a name such as ``default_api.foo`` means; the name itself when there is none."""
    if name in declared:
        return name
    tail = name.replace(":", ".").rpartition(".")[2]
    return tail if tail in declared or name.startswith("default_api") else name


def _stop(answer: Answer, *, calls: bool) -> tuple[StopReason, str]:
    if not answer.candidates:
        if answer.block or answer.block_message:
            return "blocked_prompt", _detail(answer.block or "BLOCKED", answer.block_message)
        return "other", "NO_CANDIDATES"
    stop = STOPS.get(answer.finish, "unknown")
    if stop == "stop" and calls:
        stop = "tool_calls"
    return stop, _detail(answer.finish or "NO_FINISH_REASON", answer.finish_message)


def _detail(word: str, message: str) -> str:
    return f"{word}: {message}" if message else word
