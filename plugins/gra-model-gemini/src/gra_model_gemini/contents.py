"""From the loop's messages to the contents of a request."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from gra_core import Message, ToolCall, ToolReply

PROVIDER = "gemini"
# Empty text parts are refused, and a turn needs at least one part: say visibly that there is nothing.
EMPTY = "(empty)"
LEFT_OUT = "(earlier turns were left out)"
GO_ON = "(continue)"
NO_RESULT = {"kind": "not_available", "message": "the result of this call was not kept"}
# The provider's documented stand-in for calls that did not come from this model, in the first call of a turn.
STAND_IN_SIGNATURE = base64.b64encode(b"skip_thought_signature_validator").decode()

Content = dict[str, Any]


def contents_of(messages: tuple[Message, ...], *, model: str, sign: bool) -> list[Content]:
    """Contents with as many function responses as function calls, starting and ending with a user turn.

    Turns of this provider and model go back as they came. Others are rebuilt from their neutral fields;
    `sign` gives their calls a stand-in signature.
    """
    contents: list[Content] = []
    for index, message in enumerate(messages):
        if message.role == "user":
            contents.append(_user(_text(message.text)))
        elif message.role == "model":
            following = messages[index + 1] if index + 1 < len(messages) else None
            contents += _model_turn(message, following, model, sign)
        elif not (index and messages[index - 1].role == "model"):
            contents += _orphans(message.tool_replies)
    if not contents or contents[0]["role"] != "user":
        contents.insert(0, _user(_text(LEFT_OUT)))
    if contents[-1]["role"] != "user":
        contents.append(_user(_text(GO_ON)))
    return contents


def state_of(model: str, parts: list[dict[str, Any]], before: list[Content]) -> dict[str, Any]:
    """`Message.state`: the parts as they came, and the corrective turns that stood before them."""
    return {"model": model, "parts": parts} | ({"before": before} if before else {})


def correction(parts: list[dict[str, Any]], complaint: str) -> list[Content]:
    """The turns that ask again after a function call that could not be read."""
    said = [p for p in parts if "functionCall" not in p and p.get("text")]
    wish = (
        f"Your function call could not be read{': ' + complaint if complaint else ''}. Call a declared "
        "function again, with its arguments as one JSON object that fits its schema, or answer in text."
    )
    return ([{"role": "model", "parts": said}] if said else []) + [_user(_text(wish))]


def _model_turn(message: Message, following: Message | None, model: str, sign: bool) -> Iterator[Content]:
    state = message.state if message.provider == PROVIDER and isinstance(message.state, dict) else {}
    kept = state.get("parts") if state.get("model") == model else None
    if kept is not None and len(_calls(kept)) == len(message.tool_calls):
        yield from state.get("before", ())
        parts = kept or [_text(EMPTY)]
    else:
        parts = _rebuilt(message, sign)
    yield {"role": "model", "parts": parts}
    replies = following.tool_replies if following is not None and following.role == "tool" else ()
    if message.tool_calls:
        yield _responses(message.tool_calls, _calls(parts), replies)
    known = {call.id for call in message.tool_calls}
    yield from _orphans(tuple(r for r in replies if r.call_id not in known))


def _rebuilt(message: Message, sign: bool) -> list[dict[str, Any]]:
    parts = [_text(message.text)] if message.text or not message.tool_calls else []
    for number, call in enumerate(message.tool_calls):
        part: dict[str, Any] = {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}}
        if sign and number == 0:
            part["thoughtSignature"] = STAND_IN_SIGNATURE
        parts.append(part)
    return parts


def _responses(
    calls: tuple[ToolCall, ...], wire: list[dict[str, Any]], replies: tuple[ToolReply, ...]
) -> Content:
    """All responses to the calls of one turn, each with the id and name its call had on the wire."""
    outputs = {reply.call_id: reply.output for reply in replies}
    parts = []
    for call, sent in zip(calls, wire, strict=True):
        output = outputs.get(call.id)
        response = {"name": sent.get("name") or call.name, "response": _response(output)}
        if sent.get("id"):
            response["id"] = sent["id"]
        parts.append({"functionResponse": response})
    return _user(*parts)


def _response(output: dict[str, Any] | None) -> dict[str, Any]:
    if output is None:
        return {"error": NO_RESULT}
    return {"error" if output.get("status") == "error" else "output": output}


def _orphans(replies: tuple[ToolReply, ...]) -> Iterator[Content]:
    """Results whose call is no longer in the history: told as text, since a response needs its call."""
    if replies:
        yield _user(*(_text(f"Result of an earlier call of {r.name}: {r.output}") for r in replies))


def _calls(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part["functionCall"] for part in parts if "functionCall" in part]


def _user(*parts: dict[str, Any]) -> Content:
    return {"role": "user", "parts": list(parts)}


def _text(text: str) -> dict[str, Any]:
    return {"text": text if text.strip() else EMPTY}
