"""The plugin as others meet it: entry point, schemas, SKILL.md, and nothing heavy imported before its time."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import ClassVar

import pytest

from gra_core import Configuration, Registry, Skill
from gra_core.plugins import PluginSet
from gra_core.testing import PluginConformance, ScriptedModel, calls, scripted_trial
from gra_skill_scratch_datasets import plugin

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


class TestConformance(PluginConformance):
    plugin = "gra_skill_scratch_datasets.plugin"
    examples: ClassVar = {"list_datasets": [{}]}


def test_sandboxes_and_the_geospatial_library_wait_for_the_first_call():
    code = """
import sys
from gra_skill_scratch_datasets import plugin
assert len([t.parameters for s in plugin.gra_skills() for t in s.tools]) == 6
plugin.gra_sandboxes()
print([m for m in ("sandlock", "gra_geo", "pyarrow", "pyogrio") if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_launcher_needs_the_standard_library_only():
    code = """
import sys
before = set(sys.modules)
import gra_skill_scratch_datasets.sandboxes.launcher.main
print(sorted({m.partition(".")[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['gra_skill_scratch_datasets']"


@pytest.mark.usefixtures("any_isolating")
def test_a_trial_goes_on_after_code_that_misbehaves(gra_registry, tmp_path):
    """Through the real loop: four bad programs, then a good one, then the answer."""
    if "reactive" not in gra_registry.executors:
        pytest.skip("no plugin with an executor is installed")
    bad = [
        "while True: pass",
        "x = []\nwhile True: x.append(bytearray(50 << 20))",
        "import os\nwhile True: os.fork()",
        "import socket; socket.create_connection(('127.0.0.1', 1))",
    ]
    turns = [
        calls(("run_python", {"code": code, "timeout_s": 5 if "True: pass" in code else 60})) for code in bad
    ]
    model = ScriptedModel([*turns, calls(("run_python", {"code": "6 * 7"})), "It is 42."])
    limits = {"memory_bytes": 400 << 20, "processes": 8}
    configuration = Configuration(
        name="t", executor="reactive", tools=("run_python",), settings={"sandbox_limits": limits}
    )
    record = scripted_trial(gra_registry, configuration, model, tmp_path / "w")
    replies = [e.data["output"] for e in record.events if e.kind == "tool_returned"]
    assert [r["error"]["kind"] for r in replies[:4]] == ["timeout", "quota", "quota", "bad_argument"]
    assert replies[4]["content"]["value"] == 42
    assert (record.outcome.status, record.outcome.answer) == ("answered", "It is 42.")


def test_the_docstring_of_run_python_says_offline():
    description = next(t for t in skill().tools if t.name == "run_python").description
    assert "offline" in description
    assert "Earth Engine" in description


def test_skill_document_names_only_tools_that_exist():
    document = skill().document
    assert document.name == "scratch-datasets"
    assert document.metadata["tools"].split() == [t.name for t in skill().tools] or set(
        document.metadata["tools"].split()
    ) == set(TOOLS)
    assert len(document.guidance.splitlines()) < 120
    named = set(re.findall(r"`([a-z]+_[a-z]+)`", document.guidance))
    assert named <= {*TOOLS, "save_dataset", "load_dataset", "timeout_s"}


def test_arguments_are_checked_with_the_tool_named():
    tools = {t.name: t for t in skill().tools}
    assert tools["query_table"].check({"refs": {"t": "ds://a-1"}, "sql": "select 1"})["refs"] == {
        "t": "ds://a-1"
    }
    assert tools["query_table"].check({"refs": ["ds://a-1"], "sql": "select 1"})["refs"] == ["ds://a-1"]
    assert tools["run_python"].check({"code": "1", "inputs": None, "timeout_s": 5})["timeout_s"] == 5.0
