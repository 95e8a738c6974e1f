"""What this plugin provides."""

from __future__ import annotations

from importlib import resources

from gra_core import Configuration, Executor, GuidanceRule, Planner, hookimpl, parse_configuration
from gra_core.configuration import table_of

# Parents come before the configurations that extend them.
CONFIGURATIONS = ("llm", "llm-basic", "llm-tools", "gra")


@hookimpl
def gra_planners() -> list[Planner]:
    return [
        Planner(
            name="upfront",
            title="plans from capability cards before any geospatial tool is used",
            function="gra_orchestration.upfront:plan",
        )
    ]


@hookimpl
def gra_executors() -> list[Executor]:
    return [
        Executor(
            name="reactive",
            title="a plain loop of model and tools",
            function="gra_orchestration.executors:reactive",
        ),
        Executor(
            name="guided",
            title="follows and adapts a plan under guidance rules",
            function="gra_orchestration.executors:guided",
        ),
    ]


@hookimpl
def gra_guidance() -> list[GuidanceRule]:
    from gra_orchestration.rules import RULES

    return list(RULES)


@hookimpl
def gra_configurations() -> list[Configuration]:
    folder = resources.files("gra_orchestration") / "configurations"
    made: dict[str, Configuration] = {}
    for name in CONFIGURATIONS:
        text = (folder / f"{name}.toml").read_text(encoding="utf-8")
        made[name] = parse_configuration(text, where=f"{name}.toml", parent=lambda base: table_of(made[base]))
    return list(made.values())
