"""The conformance suite: inherit `PluginConformance` in your tests and name your plugin.

from gra_core.testing import PluginConformance

class TestConformance(PluginConformance):
    plugin = "gra_skill_example.plugin"
    examples = {"measure_something": [{"region_ids": ["geoId/31"]}]}
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import pytest

from gra_core.errors import ERROR_KINDS, ToolError
from gra_core.plugins import PluginSet, discover
from gra_core.registry import Registry
from gra_core.result import ToolResult
from gra_core.schema import argument_docs
from gra_core.session import run_tool
from gra_core.testing.harness import tool_context
from gra_core.tool import Tool

# What every provider's function declarations accept.
SCHEMA_KEYS = {
    "type", "description", "properties", "required", "items", "enum", "anyOf", "minimum", "maximum", "minItems",
    "maxItems", "pattern", "additionalProperties",
}  # fmt: skip
HEAVY = (
    "geopandas", "pandas", "numpy", "xarray", "rasterio", "rioxarray", "shapely", "pyproj", "scipy", "duckdb", "ee",
    "google.genai", "openai", "statsforecast", "matplotlib", "sklearn",
)  # fmt: skip
MAX_DEPTH = 5


class PluginConformance:
    """Tests of one plugin. `plugin` is its module; `examples` are calls of its tools that must answer ok or empty
    on the sources installed here (`skip_examples` says why there can be none)."""

    plugin: ClassVar[str]
    examples: ClassVar[dict[str, list[dict[str, Any]]]] = {}
    skip_examples: ClassVar[str] = ""

    @pytest.fixture(scope="class")
    def alone(self) -> Registry:
        """A registry of this plugin and no other."""
        plugins = PluginSet()
        plugins.add(import_module(self.plugin), self.plugin)
        return Registry(plugins)

    def test_it_loads_alone(self, alone: Registry) -> None:
        for catalogue in (
            "skills",
            "tools",
            "source_catalogue",
            "formats",
            "benchmarks",
            "guidance",
            "configurations",
        ):
            getattr(alone, catalogue)
        assert not alone.plugins.failures, "; ".join(map(str, alone.plugins.failures))

    def test_it_is_registered(self) -> None:
        found = {e.value: e for e in discover()}
        assert self.plugin in found, (
            f"no entry point in group gra.plugins names {self.plugin}; found {sorted(found)}"
        )

    def test_nothing_heavy_is_imported_before_first_use(self) -> None:
        code = (
            "import importlib, sys\n"
            "from gra_core.plugins import PluginSet\nfrom gra_core.registry import Registry\n"
            f"plugins = PluginSet(); plugins.add(importlib.import_module({self.plugin!r}), 'x')\n"
            "registry = Registry(plugins)\n"
            "[tool.parameters for tool in registry.tools.values()]; registry.source_catalogue\n"
            f"print([m for m in {HEAVY!r} if m in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == "[]", f"imported before first use: {done.stdout}"

    def test_skills_follow_the_specification(self, alone: Registry) -> None:
        for skill in alone.skills.values():
            skill.check()
            assert skill.guidance, f"{skill.name}: SKILL.md has no guidance"
            for name in skill.resources():
                assert skill.read_resource(name), f"{skill.name}: resource {name} is empty"

    def test_schemas_are_valid_for_every_provider(self, alone: Registry) -> None:
        from jsonschema import Draft202012Validator

        for tool in alone.tools.values():
            Draft202012Validator.check_schema(tool.parameters)
            json.dumps(tool.parameters)
            for path, schema in _subschemas(tool.parameters, tool.name):
                assert set(schema) <= SCHEMA_KEYS, (
                    f"{path}: {sorted(set(schema) - SCHEMA_KEYS)} are not accepted everywhere"
                )
                assert path.count(".") <= MAX_DEPTH, f"{path}: nested too deep for function declarations"

    def test_tools_are_described(self, alone: Registry) -> None:
        for tool in alone.tools.values():
            assert tool.description, f"{tool.name}: no docstring"
            documented = argument_docs(inspect.getdoc(tool.function) or "")
            assert set(documented) <= set(tool.parameters["properties"]), (
                f"{tool.name}: docstring names other parameters"
            )
            for name, schema in tool.parameters["properties"].items():
                assert schema.get("description"), f"{tool.name}: parameter {name!r} has no description"

    def test_cards_say_what_the_planner_needs(self, alone: Registry) -> None:
        for tool in alone.tools.values():
            assert tool.card.coverage or tool.card.limits, (
                f"{tool.name}: its card states neither coverage nor limits"
            )

    def test_sources_say_where_data_comes_from(self, alone: Registry) -> None:
        for name, source in alone.source_catalogue.items():
            assert source.title and source.licence and source.coverage, (
                f"{name}: title, licence and coverage are needed"
            )
            for need in source.needs:
                assert need.how, f"{name}: a need must say how to meet it"

    def test_bad_arguments_get_a_clear_error(self, alone: Registry) -> None:
        for tool in alone.tools.values():
            with pytest.raises(ToolError, match="no_such_parameter") as caught:
                tool.check({"no_such_parameter": 1})
            assert caught.value.kind == "bad_argument"
            for name in tool.parameters.get("required", ()):
                with pytest.raises(ToolError, match=name):
                    tool.check({})

    def test_examples_answer_the_contract(self, installed: Registry, tmp_path: Path) -> None:
        if self.skip_examples:
            pytest.skip(self.skip_examples)
        for name, calls in self.examples.items():
            for arguments in calls:
                result = call_tool(installed.tools[name], arguments, installed, tmp_path)
                assert result.status in ("ok", "empty"), f"{name}({arguments}): {result.error}"
                check_result(result)

    @pytest.fixture(scope="class")
    def installed(self) -> Registry:
        """A registry of everything installed here."""
        return Registry.load()


def call_tool(
    tool: Tool,
    arguments: dict[str, Any],
    registry: Registry,
    folder: Path,
    *,
    chosen: Mapping[str, str] | None = None,
    sources: Mapping[str, Mapping[str, Any]] | None = None,
    session: Any = None,
    **settings: Any,
) -> ToolResult:
    """Call a tool as a trial would: checked arguments, workspace in `folder`; a `ToolError` becomes a result.

    `chosen` and `sources` as for `tool_context`; `settings` are the configuration's.
    """
    context = tool_context(
        registry, folder, chosen=chosen, sources=sources, tool=tool.name, arguments=arguments, settings=settings,
        session=session,
    )  # fmt: skip
    try:
        return run_tool(tool, context, tool.check(arguments))
    except ToolError as error:
        return ToolResult.failed(error)


def check_result(result: ToolResult) -> None:
    """Assert the contract of a tool's result."""
    output = result.for_model()
    json.dumps(output, allow_nan=False)
    assert (result.error is not None) == (result.status == "error")
    if result.error is not None:
        assert result.error.kind in ERROR_KINDS and result.error.message
    for dataset in result.datasets:
        assert dataset.ref.startswith("ds://") and Path(dataset.path).exists()
        json.dumps(dataset.summary, allow_nan=False)


def _subschemas(schema: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    yield path, schema
    for name, child in schema.get("properties", {}).items():
        yield from _subschemas(child, f"{path}.{name}")
    if isinstance(schema.get("items"), dict):
        yield from _subschemas(schema["items"], f"{path}.items")
    for child in schema.get("anyOf", ()):
        yield from _subschemas(child, path)
