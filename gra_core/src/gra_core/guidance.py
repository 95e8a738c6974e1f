"""Guidance rules: one instruction each, and, where code can enforce it, one guard."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from attrs import frozen

from gra_core.message import ToolCall
from gra_core.result import ToolResult

if TYPE_CHECKING:
    from gra_core.session import Session

# Looks at a call before it is made; a result blocks it, None lets it pass.
Guard = Callable[[ToolCall, "Session"], "ToolResult | None"]
# Looks at a result after the call and may replace it.
Review = Callable[[ToolCall, ToolResult, "Session"], ToolResult]


@frozen(kw_only=True)
class GuidanceRule:
    """A rule by id, so that it can be switched off alone.

    `instruction` is added to the system instruction when the rule is on; `when` limits it to best-effort trials
    or to trials that may abstain. `guard` and `review` enforce it around every tool call.
    """

    id: str
    instruction: str
    title: str = ""
    when: Literal["always", "best_effort", "strict"] = "always"
    guard: Guard | None = None
    review: Review | None = None

    def applies(self, best_effort: bool) -> bool:
        return self.when == "always" or (self.when == "best_effort") == best_effort
