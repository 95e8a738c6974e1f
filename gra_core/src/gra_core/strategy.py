"""Planners and executors: how a trial is planned and carried out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import frozen

from gra_core.lazy import load_object

if TYPE_CHECKING:
    from gra_core.session import Session


@frozen(kw_only=True)
class Planner:
    """A planner by name. `function` (or ``"module:callable"``) takes a `Session` and leaves a plan in it, before
    any geospatial tool is used."""

    name: str
    title: str
    function: str | Callable[[Session], None]

    def plan(self, session: Session) -> None:
        function = load_object(self.function) if isinstance(self.function, str) else self.function
        function(session)


@frozen(kw_only=True)
class Executor:
    """An executor by name. `function` takes a `Session` and returns the final answer's text."""

    name: str
    title: str
    function: str | Callable[[Session], str]

    def execute(self, session: Session) -> str:
        function = load_object(self.function) if isinstance(self.function, str) else self.function
        return function(session)
