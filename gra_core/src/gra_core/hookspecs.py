"""Hook specifications. A plugin is a module or object with `@gra_core.hookimpl` functions of these names,
registered under the entry-point group ``gra.plugins``. The contract of each, with an example, is in docs/hooks.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gra_core.markers import hookspec

if TYPE_CHECKING:
    from gra_core.autorater import Autorater
    from gra_core.benchmark import Benchmark, Scorer
    from gra_core.configuration import Configuration
    from gra_core.format import DatasetFormat
    from gra_core.guidance import GuidanceRule
    from gra_core.message import ToolCall
    from gra_core.model import Model, ModelFamily
    from gra_core.result import ToolResult
    from gra_core.sandbox import Sandbox
    from gra_core.session import Session
    from gra_core.skill import Skill
    from gra_core.source import Source, SourceCall
    from gra_core.sources import SourceCallContext
    from gra_core.strategy import Executor, Planner
    from gra_core.trajectory import Event


@hookspec
def gra_skills() -> list[Skill]:
    """Skills with their tools."""


@hookspec
def gra_sources() -> list[Source]:
    """Data sources, each with kind, name, needs, coverage and licence."""


@hookspec
def gra_formats() -> list[DatasetFormat]:
    """Dataset formats: how objects are stored in the workspace and in recordings."""


@hookspec(firstresult=True)
def gra_models(model_id: str) -> Model | None:
    """The model of an id such as ``prefix:name``, or None when the id is not this plugin's."""


@hookspec
def gra_model_families() -> list[ModelFamily]:
    """The prefixes that `gra_models` of this plugin knows, for `list models` and `doctor`."""


@hookspec
def gra_planners() -> list[Planner]:
    """Planning strategies."""


@hookspec
def gra_executors() -> list[Executor]:
    """Execution strategies."""


@hookspec
def gra_guidance() -> list[GuidanceRule]:
    """Guidance rules, each with an id."""


@hookspec
def gra_scorers() -> list[Scorer]:
    """Deterministic scorers."""


@hookspec
def gra_autoraters() -> list[Autorater]:
    """Scorers that ask a model."""


@hookspec
def gra_benchmarks() -> list[Benchmark]:
    """Benchmarks."""


@hookspec
def gra_sandboxes() -> list[Sandbox]:
    """Ways to run untrusted Python."""


@hookspec
def gra_configurations() -> list[Configuration]:
    """Named configurations."""


@hookspec(firstresult=True)
def gra_call_tool(call: ToolCall, context: Session) -> ToolResult | None:
    """Around every tool call: a result replaces the call, None passes it on; wrappers see what comes back."""


@hookspec(firstresult=True)
def gra_call_source(call: SourceCall, context: SourceCallContext) -> object | None:
    """Around every source call: a value replaces the call, None passes it on; wrappers see what comes back."""


@hookspec
def gra_event(event: Event, context: Session) -> None:
    """Told of every event of a trial; must not change anything."""
