"""A chat completion read into the vocabulary of the loop."""

from __future__ import annotations

import re
from typing import Any

from attrs import frozen

from gra_core import Message, ModelRequest
from gra_core.model import StopReason
from gra_model_openai.calls import Calls, read_calls

FINISH: dict[str, StopReason] = {
    "stop": "stop", "eos": "stop", "eos_token": "stop", "end_turn": "stop", "stop_sequence": "stop",
    "length": "max_tokens", "max_tokens": "max_tokens", "model_length": "max_tokens",
    "tool_calls": "tool_calls", "function_call": "tool_calls", "tool_use": "tool_calls",
    "content_filter": "content_filter", "safety": "safety", "recitation": "recitation",
    "malformed_function_call": "malformed_call",
}  # fmt: skip
_THINK = re.compile(r"\A\s*<think>(.*?)</think>\s*", re.DOTALL)


@frozen(kw_only=True)
class Reading:
    """A completion as read: the message, why it stopped, and whether asking again makes sense (`correction` is
    what to tell the model then; it may be empty)."""

    message: Message
    stop: StopReason
    detail: str = ""
    again: bool = False
    correction: str = ""


def read_reply(raw: dict[str, Any], request: ModelRequest, model_id: str) -> Reading:
    """Read a completion; whatever may be missing in one may be missing here."""
    choices = raw.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
    if choice is None:
        return _malformed("the reply has no choices")
    message = choice.get("message")
    if not isinstance(message, dict):
        return _malformed("the reply has no message")
    finish = str(choice.get("finish_reason") or "").lower()
    calls = read_calls(message, history=request.messages, declared=[t.name for t in request.tools])
    if calls.faults:
        return _broken_calls(message, calls, finish)
    return _whole(message, calls, finish, model_id)


def _whole(message: dict[str, Any], calls: Calls, finish: str, model_id: str) -> Reading:
    text, thoughts, refusal = text_of(message)
    stop, detail = _stop(finish, bool(calls.calls), refusal)
    if stop == "tool_calls" and not calls.calls:
        return _malformed("the reply ends for tool calls but has none")
    turn = Message(
        role="model", text=text or refusal, thoughts=thoughts, tool_calls=calls.calls, provider=model_id,
        state=calls.message | {"role": calls.message.get("role") or "assistant"},
    )  # fmt: skip
    return Reading(message=turn, stop=stop, detail=detail)


def _stop(finish: str, called: bool, refusal: str) -> tuple[StopReason, str]:
    """Calls make a clean stop a stop for calls (many servers say ``stop``); no finish reason is no clean stop."""
    stop = FINISH.get(finish, "unknown")
    if called and (stop == "stop" or not finish):
        return "tool_calls", finish
    if refusal and stop in ("stop", "unknown"):
        return "safety", "refusal"
    return stop, finish or "no finish reason"


def _broken_calls(message: dict[str, Any], calls: Calls, finish: str) -> Reading:
    """Calls that cannot be read: cut off by the output limit, or else worth one correction."""
    text, thoughts, _ = text_of(message)
    turn, faults = Message(role="model", text=text, thoughts=thoughts), "; ".join(calls.faults)
    if FINISH.get(finish) == "max_tokens":
        return Reading(message=turn, stop="max_tokens", detail=f"{finish}: {faults}")
    correction = (
        f"Your last reply could not be used: {faults}. Nothing was called. Make the call again with arguments "
        "that are one valid JSON object."
    )
    return Reading(message=turn, stop="malformed_call", detail=faults, again=True, correction=correction)


def _malformed(detail: str) -> Reading:
    return Reading(message=Message(role="model"), stop="malformed_response", detail=detail, again=True)


def text_of(message: dict[str, Any]) -> tuple[str, str, str]:
    """Answer text, thoughts and refusal of a raw message, each empty when there is none."""
    text, thoughts, refusal = _content(message.get("content"))
    thoughts = _first_text(message, "reasoning_content", "reasoning") or thoughts
    if inline := _THINK.match(text):
        text, thoughts = text[inline.end() :], thoughts or inline[1].strip()
    return text, thoughts, _first_text(message, "refusal") or refusal


def _content(content: Any) -> tuple[str, str, str]:
    """Content may be null, text, or a list of parts."""
    if isinstance(content, str):
        return content, "", ""
    found: dict[str, list[str]] = {"text": [], "thinking": [], "refusal": []}
    for part in content if isinstance(content, list) else []:
        if isinstance(part, str):
            found["text"].append(part)
        elif isinstance(part, dict):
            kind = {"output_text": "text", "reasoning": "thinking"}.get(
                str(part.get("type")), str(part.get("type"))
            )
            if kind in found:
                value = part.get(kind, part.get("text", part.get("content")))
                found[kind].append(value if isinstance(value, str) else _content(value)[0])
    return "".join(found["text"]), "".join(found["thinking"]), "".join(found["refusal"])


def _first_text(message: dict[str, Any], *names: str) -> str:
    return next((v for n in names if isinstance(v := message.get(n), str) and v), "")
