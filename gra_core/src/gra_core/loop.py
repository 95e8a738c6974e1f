"""The loop of model and tools that planners and executors share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gra_core.errors import GraError, LimitExceeded
from gra_core.message import Message
from gra_core.model import ModelReply, ToolChoice
from gra_core.session import Session
from gra_core.tool import Tool

NUDGE = "Your last turn was empty. Call a tool, or give the final answer now."
MAX_EMPTY_TURNS = 2


class ModelStopped(GraError):
    """The model stopped without an answer. `stop` is the reason in our vocabulary."""

    def __init__(self, reply: ModelReply) -> None:
        detail = f" ({reply.stop_detail})" if reply.stop_detail else ""
        super().__init__(f"the model stopped without an answer: {reply.stop}{detail}")
        self.stop = reply.stop


class Repeats:
    """Counts turns in a row that make the very same tool calls; `LimitExceeded` when there are more than `allowed`."""

    def __init__(self, allowed: int) -> None:
        self.allowed = allowed
        self._last: list[tuple[str, dict[str, Any]]] = []
        self._count = 0

    def check(self, message: Message) -> None:
        calls = [(call.name, call.arguments) for call in message.tool_calls]
        self._count = self._count + 1 if calls == self._last else 1
        self._last = calls
        if self.allowed and self._count > self.allowed:
            raise LimitExceeded("repeated_calls", self.allowed, self._count)


def converse(
    session: Session,
    *,
    system: Callable[[], str],
    tools: Callable[[], list[Tool]],
    finished: Callable[[], bool] = lambda: False,
    choice: ToolChoice = ToolChoice(),
    text: str = "",
) -> str:
    """Talk until the model answers without a tool call (returns its text) or `finished()` after a round of tools
    (returns an empty text). `system` and `tools` are asked anew before each call.

    A reply cut by the output limit counts as an answer when it has text; any other stop that is not a clean one
    raises `ModelStopped`.
    """
    messages = [Message.user(text or session.text)]
    empty = 0
    stuck = Repeats(session.configuration.limits.repeated_calls)
    while True:
        reply = session.call_model(messages, system=system(), tools=tools(), choice=choice)
        message = reply.message
        if message.tool_calls:
            stuck.check(message)
            messages += [message, session.call_tools(message.tool_calls)]
            if finished():
                return ""
            continue
        if reply.stop not in ("stop", "max_tokens"):
            raise ModelStopped(reply)
        if message.text.strip():
            return message.text
        empty += 1
        if empty > MAX_EMPTY_TURNS:
            raise ModelStopped(reply)
        messages += [message, Message.user(NUDGE)]
