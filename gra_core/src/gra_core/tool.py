"""Tools: plain functions with a JSON schema made from their annotations and docstring."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from attrs import define, field, frozen

from gra_core.errors import PluginError
from gra_core.lazy import load_object
from gra_core.schema import check_arguments, parameters_of, summary_of

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
F = TypeVar("F", bound=Callable[..., Any])


@frozen(kw_only=True)
class Card:
    """A tool's capability card: what the planner reads before any data is touched.

    `sources` are the source kinds it needs; a kind ending in ``?`` is optional.
    """

    coverage: str = ""
    resolution: str = ""
    period: str = ""
    sources: tuple[str, ...] = ()
    cost: str = ""
    limits: str = ""


def tool(
    *,
    coverage: str = "",
    resolution: str = "",
    period: str = "",
    sources: tuple[str, ...] = (),
    cost: str = "",
    limits: str = "",
    timeout_s: float | None = None,
) -> Callable[[F], F]:
    """Attach a capability card to a tool function; `timeout_s` bounds one call (default: the trial's limit).

    The function's first parameter is a `ToolContext`; it returns a `ToolResult` or JSON-ready content, and
    raises `ToolError`. It may be ``async``.
    """
    card = Card(
        coverage=coverage, resolution=resolution, period=period, sources=sources, cost=cost, limits=limits
    )

    def mark(function: F) -> F:
        function.__gra_card__ = card  # type: ignore[attr-defined]
        function.__gra_timeout__ = timeout_s  # type: ignore[attr-defined]
        return function

    return mark


@define(kw_only=True, slots=False, eq=False)
class Tool:
    """A tool by name. `handler` is ``"module:function"`` (imported on first use) or the function itself."""

    handler: str | Callable[..., Any]
    skill: str = ""
    name: str = field()

    @name.default
    def _name(self) -> str:
        return self.handler.rpartition(":")[2] if isinstance(self.handler, str) else self.handler.__name__

    @name.validator
    def _legal(self, _attribute: Any, value: str) -> None:
        if not NAME.fullmatch(value):
            raise PluginError(
                f"tool name {value!r}: expected a letter or _, then letters, digits or _, at most 64"
            )

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function, imported now."""
        return load_object(self.handler) if isinstance(self.handler, str) else self.handler

    @cached_property
    def description(self) -> str:
        return summary_of(self.function)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """JSON schema of the parameters."""
        return parameters_of(self.function)

    @cached_property
    def card(self) -> Card:
        return getattr(self.function, "__gra_card__", Card())

    @property
    def timeout_s(self) -> float | None:
        return getattr(self.function, "__gra_timeout__", None)

    def check_schema(self) -> None:
        """Make the schema now; raises what importing or reading the function raises."""
        self.__dict__.setdefault("parameters", parameters_of(self.function))

    def check(self, arguments: Any) -> dict[str, Any]:
        """Arguments ready for the function; `ToolError` of kind ``bad_argument`` otherwise."""
        return check_arguments(self.name, self.parameters, arguments)
