"""What earlier, unfinished attempts at a trial have paid for already: used again instead of paid again.

A reply is found by a hash of the very request it answers, so a journal is never wrong, only of less use: when a tool
answers differently than it did in the earlier attempt, the requests after it are other ones, and are made.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from gra_core.converter import dump, load
from gra_core.message import Message, ToolCall
from gra_core.model import ModelReply, ModelRequest
from gra_core.usage import Usage


class RequestKeys:
    """SHA-256 (first 32 hex digits) of requests. Messages are hashed once, since histories only grow."""

    def __init__(self) -> None:
        self._messages: dict[int, tuple[Message, bytes]] = {}  # the message is kept: its id must stay its own

    def of(self, request: ModelRequest) -> str:
        digest = hashlib.sha256(_hash([request.system, request.tools, request.choice, request.settings]))
        for message in request.messages:
            if (known := self._messages.get(id(message))) is None:
                known = self._messages[id(message)] = (message, _hash(message))
            digest.update(known[1])
        return digest.hexdigest()[:32]


def _hash(value: Any) -> bytes:
    text = json.dumps(dump(value), sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).digest()


@frozen(kw_only=True)
class PaidReply:
    """A model's reply, where it was paid for (attempt and number of the call), and the working seconds it took."""

    reply: ModelReply
    attempt: str
    call: int
    seconds: float


@frozen(kw_only=True)
class PaidOutput:
    """The output of a tool call that had a bill."""

    output: dict[str, Any]
    status: str
    bills: tuple[tuple[str, Usage], ...]
    attempt: str
    seconds: float


class Journal:
    """Made from the event records of earlier attempts (``attempt``, ``kind``, ``data``), in the order written.

    Each entry serves once. Outputs of tools are kept when they were billed and made no datasets; other tools are called
    again.
    """

    def __init__(self, records: Iterable[Mapping[str, Any]] = ()) -> None:
        self._replies: defaultdict[str, deque[PaidReply]] = defaultdict(deque)
        self._outputs: defaultdict[str, deque[PaidOutput]] = defaultdict(deque)
        asked: dict[tuple[str, int], str] = {}
        called: dict[tuple[str, str], str] = {}
        for record in records:
            attempt, kind, data = record["attempt"], record["kind"], record["data"]
            if "paid_by" in data:
                continue
            if kind == "model_called" and "request" in data:
                asked[attempt, data["call"]] = data["request"]
            elif kind == "model_replied" and (key := asked.get((attempt, data.get("call", 0)))):
                self._replies[key].append(_paid_reply(attempt, data))
            elif kind == "tool_called":
                called[attempt, data["id"]] = _call_key(data["id"], data["name"], data["arguments"])
            elif kind == "tool_returned" and data.get("bills") and not _stored(data["output"]):
                self._outputs[called[attempt, data["id"]]].append(_paid_output(attempt, data))

    def take_reply(self, key: str) -> PaidReply | None:
        """A reply to the request with this key (`RequestKeys`), or None."""
        waiting = self._replies.get(key)
        return waiting.popleft() if waiting else None

    def take_output(self, call: ToolCall) -> PaidOutput | None:
        """The output of this very call, or None."""
        waiting = self._outputs.get(_call_key(call.id, call.name, call.arguments)) if self._outputs else None
        return waiting.popleft() if waiting else None


def _call_key(call_id: str, name: str, arguments: Any) -> str:
    return json.dumps([call_id, name, arguments], sort_keys=True, default=str)


def _stored(output: Mapping[str, Any]) -> bool:
    return bool(output.get("datasets") or output.get("stored"))


def _paid_reply(attempt: str, data: Mapping[str, Any]) -> PaidReply:
    message = Message(
        role="model", text=data["text"], thoughts=data["thoughts"], provider=data["provider"], state=data["state"],
        tool_calls=tuple(load(data["tool_calls"], list[ToolCall], what="tool calls in events.jsonl")),
    )  # fmt: skip
    reply = ModelReply(
        message=message, stop=data["stop"], stop_detail=data["stop_detail"], waited_s=data["waited_s"],
        model_version=data["model_version"], requests=tuple(load(data["requests"], list[Usage], what="usage in events.jsonl")),
    )  # fmt: skip
    return PaidReply(reply=reply, attempt=attempt, call=data["call"], seconds=data["seconds"])


def _paid_output(attempt: str, data: Mapping[str, Any]) -> PaidOutput:
    bills = tuple((b["model"], load(b["usage"], Usage, what="bill in events.jsonl")) for b in data["bills"])
    return PaidOutput(
        output=data["output"], status=data["status"], bills=bills, attempt=attempt, seconds=data["seconds"]
    )
