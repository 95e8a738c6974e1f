"""What declaring tools costs: declared tokens, and prefix-cache invalidation when the declarations change."""

from __future__ import annotations

from attrs import define, field

from gra_core.message import Message
from gra_core.model import ToolDeclaration
from gra_core.tokens import estimate_tokens


@define
class DisclosureMeter:
    """Counts over a trial (estimates: see `gra_core.tokens`).

    A provider's prefix cache holds system instruction, declarations and history in this order; when the first
    two change, the history sent so far must be read again: `invalidated_tokens` adds it up.
    """

    declared_tokens: int = 0
    declared_tokens_sum: int = 0
    invalidations: int = 0
    invalidated_tokens: int = 0
    history_tokens: int = 0
    _signature: tuple[str, tuple[str, ...]] | None = None
    _sizes: dict[str, int] = field(factory=dict)
    _counted: int = 0
    _first: int = 0

    def observe(
        self, system: str, tools: tuple[ToolDeclaration, ...], messages: tuple[Message, ...]
    ) -> dict[str, int | bool]:
        """Note one model call; returns what the `model_called` event carries."""
        for tool in tools:
            if tool.name not in self._sizes:
                self._sizes[tool.name] = estimate_tokens([tool.name, tool.description, tool.parameters])
        self.declared_tokens = sum(self._sizes[t.name] for t in tools)
        self.declared_tokens_sum += self.declared_tokens
        first = id(messages[0]) if messages else 0
        if first != self._first or len(messages) < self._counted:
            self._first, self._counted, self.history_tokens, self._signature = first, 0, 0, None
        before = self.history_tokens
        self.history_tokens += sum(_size(m) for m in messages[self._counted :])
        self._counted = len(messages)
        signature = (system, tuple(t.name for t in tools))
        changed = self._signature is not None and signature != self._signature
        self._signature = signature
        if changed:
            self.invalidations += 1
            self.invalidated_tokens += before
        return {
            "declared_tools": len(tools), "declared_tokens": self.declared_tokens, "prefix_changed": changed,
            "invalidated_tokens": before if changed else 0, "history_tokens": self.history_tokens,
        }  # fmt: skip

    def summary(self) -> dict[str, int]:
        return {
            "declared_tokens_sum": self.declared_tokens_sum, "invalidations": self.invalidations,
            "invalidated_tokens": self.invalidated_tokens,
        }  # fmt: skip


def _size(message: Message) -> int:
    calls = [c.arguments for c in message.tool_calls] + [r.output for r in message.tool_replies]
    return estimate_tokens(message.text) + (estimate_tokens(calls) if calls else 0)
