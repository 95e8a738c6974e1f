"""One plugin with every list hook: what it gives arrives in the registry's catalogues under its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from gra_core import (
    Autorater,
    Benchmark,
    Configuration,
    DatasetFormat,
    Executor,
    GuidanceRule,
    ModelFamily,
    Planner,
    Registry,
    Sandbox,
    Scorer,
    Skill,
    Source,
    Tool,
    ToolContext,
    hookimpl,
)
from gra_core.testing import registry_of


def look(ctx: ToolContext) -> str:
    """Look."""
    return "seen"


class Full:
    """Everything a plugin can give in lists."""

    @hookimpl
    def gra_skills(self) -> list[Skill]:
        return [
            Skill(
                folder=Path(__file__).parent / "skills" / "weather",
                tools=(Tool(handler=look, skill="weather"),),
            )
        ]

    @hookimpl
    def gra_sources(self) -> list[Source]:
        return [Source(kind="k", name="s", factory="m:f", title="S")]

    @hookimpl
    def gra_formats(self) -> list[DatasetFormat]:
        return [DatasetFormat(name="f", type_names=("m.T",), extension=".t", handler="m:H")]

    @hookimpl
    def gra_model_families(self) -> list[ModelFamily]:
        return [ModelFamily(prefix="m", title="M", example="m:1")]

    @hookimpl
    def gra_planners(self) -> list[Planner]:
        return [Planner(name="p", title="P", function="m:f")]

    @hookimpl
    def gra_executors(self) -> list[Executor]:
        return [Executor(name="e", title="E", function="m:f")]

    @hookimpl
    def gra_guidance(self) -> list[GuidanceRule]:
        return [GuidanceRule(id="g", instruction="G.")]

    @hookimpl
    def gra_scorers(self) -> list[Scorer]:
        return [Scorer(name="sc", function="m:f")]

    @hookimpl
    def gra_autoraters(self) -> list[Autorater]:
        return [Autorater(name="a", function="m:f")]

    @hookimpl
    def gra_benchmarks(self) -> list[Benchmark]:
        return [Benchmark(name="b", title="B", factory="m:f", scorers=("sc",))]

    @hookimpl
    def gra_sandboxes(self) -> list[Sandbox]:
        return [Sandbox(name="sb", title="SB", factory="m:f", probe="m:p")]

    @hookimpl
    def gra_configurations(self) -> list[Configuration]:
        return [Configuration(name="c")]


CATALOGUES = {
    "skills": "weather", "tools": "look", "source_catalogue": "k=s", "model_families": "m", "planners": "p",
    "executors": "e", "guidance": "g", "scorers": "sc", "autoraters": "a", "benchmarks": "b", "sandboxes": "sb",
    "configurations": "c",
}  # fmt: skip


@pytest.fixture(scope="module")
def registry() -> Registry:
    return registry_of(Full())


@pytest.mark.parametrize(("catalogue", "name"), CATALOGUES.items())
def test_it_arrives_under_its_name(registry: Registry, catalogue: str, name: str) -> None:
    found = getattr(registry, catalogue)
    assert list(found) == [name] and len(found) == 1 and name in found
    assert found.plugin(name).name == "Full-0"


def test_formats_are_ours_and_json(registry: Registry) -> None:
    assert [f.name for f in registry.formats] == ["f", "json"]
