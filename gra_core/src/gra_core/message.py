"""Messages between the loop and a model, in one neutral form for every provider."""

from __future__ import annotations

from typing import Any, Literal

from attrs import field, frozen


@frozen(kw_only=True)
class ToolCall:
    """A model's wish to call a tool."""

    id: str
    name: str
    arguments: dict[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class ToolReply:
    """The answer to one `ToolCall`: `output` is `ToolResult.for_model()`."""

    call_id: str
    name: str
    output: dict[str, Any]


@frozen(kw_only=True)
class Message:
    """One turn. `state` is the provider's own form of a model turn (JSON-ready: signatures base64), to be sent
    back unchanged by the client whose `provider` it names; any other client uses the neutral fields."""

    role: Literal["user", "model", "tool"]
    text: str = ""
    thoughts: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_replies: tuple[ToolReply, ...] = ()
    provider: str = ""
    state: Any = None

    @classmethod
    def user(cls, text: str) -> Message:
        return cls(role="user", text=text)

    @classmethod
    def results(cls, replies: list[ToolReply]) -> Message:
        """All replies to the calls of one model turn, in one turn."""
        return cls(role="tool", tool_replies=tuple(replies))
