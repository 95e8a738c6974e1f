"""The plugin as others meet it: entry point, schemas, SKILL.md, and nothing heavy imported before its time."""

from __future__ import annotations

import json
import re
import subprocess
import sys

from gra_skill_scratch_datasets import plugin

from gra_core import Registry, Skill
from gra_core.plugins import PluginSet

HEAVY = ("geopandas", "pandas", "numpy", "rasterio", "shapely", "xarray", "duckdb", "pyarrow", "pyogrio", "pyproj", "sandlock", "gra_geo")
TOOLS = ["export_dataset", "import_file", "inspect_dataset", "list_datasets", "query_table", "run_python"]


def skill() -> Skill:
    return plugin.gra_skills()[0]


def test_registered_under_the_entry_point_group():
    plugins = PluginSet()
    plugins.add(plugin, "skill-scratch-datasets")
    registry = Registry(plugins)
    assert plugins.failures == []
    assert sorted(registry.tools) == TOOLS
    assert sorted(registry.sandboxes) == ["bubblewrap", "none", "sandlock"]
    assert [s.name for s in registry.sandboxes.values() if not s.isolating] == ["none"]


def test_nothing_heavy_is_imported_to_declare_the_tools():
    code = f"""
import sys, json
from gra_skill_scratch_datasets import plugin
schemas = [(t.name, t.parameters, t.description, t.card) for s in plugin.gra_skills() for t in s.tools]
plugin.gra_sandboxes()
assert len(schemas) == 6
print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_schemas_describe_every_parameter():
    for tool in skill().tools:
        assert tool.card.limits or tool.card.coverage
        assert len(tool.description) > 60
        for name, schema in tool.parameters["properties"].items():
            assert schema.get("description"), f"{tool.name}.{name}"


def test_the_docstring_of_run_python_says_offline():
    description = next(t for t in skill().tools if t.name == "run_python").description
    assert "offline" in description
    assert "Earth Engine" in description


def test_skill_document_names_only_tools_that_exist():
    document = skill().document
    assert document.name == "scratch-datasets"
    assert document.metadata["tools"].split() == [t.name for t in skill().tools] or set(document.metadata["tools"].split()) == set(TOOLS)
    assert len(document.guidance.splitlines()) < 120
    named = set(re.findall(r"`([a-z]+_[a-z]+)`", document.guidance))
    assert named <= {*TOOLS, "save_dataset", "load_dataset", "timeout_s"}


def test_arguments_are_checked_with_the_tool_named():
    tools = {t.name: t for t in skill().tools}
    assert tools["query_table"].check({"refs": {"t": "ds://a-1"}, "sql": "select 1"})["refs"] == {"t": "ds://a-1"}
    assert tools["query_table"].check({"refs": ["ds://a-1"], "sql": "select 1"})["refs"] == ["ds://a-1"]
    assert tools["run_python"].check({"code": "1", "inputs": None, "timeout_s": 5})["timeout_s"] == 5.0
