"""Any subset of plugins works, the empty one included."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gra_core import PluginSelection, Registry, load_plugins

ALL = sorted(load_plugins().records)


def gra_bench(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gra_bench.cli", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )


def without(*names: str) -> list[str]:
    return [part for name in names for part in ("--no-plugin", name)]


def test_no_plugin_at_all() -> None:
    registry = Registry.load(PluginSelection(block=tuple(ALL)))
    for catalogue in ("skills", "tools", "source_catalogue", "model_families", "benchmarks", "guidance"):
        assert len(getattr(registry, catalogue)) == 0
    done = gra_bench("list", "tools", "--json", *without(*ALL))
    assert done.returncode == 0 and json.loads(done.stdout) == {"tools": []}
    done = gra_bench("run", *without(*ALL))
    assert done.returncode == 2 and "unknown benchmark 'geoktools'" in done.stderr


@pytest.mark.parametrize("name", ALL)
def test_every_plugin_alone(name: str) -> None:
    registry = Registry.load(PluginSelection(only=(name,)))
    for catalogue in (
        "skills",
        "tools",
        "source_catalogue",
        "benchmarks",
        "guidance",
        "configurations",
        "sandboxes",
        "model_families",
    ):
        len(getattr(registry, catalogue))
    assert not registry.plugins.failures and list(registry.plugins.records) == [name]


@pytest.mark.parametrize("name", [n for n in ALL if n.startswith("skill-")])
def test_a_run_without_one_skill_goes_through(name: str, tmp_path: Path) -> None:
    done = gra_bench(
        "run",
        "-b",
        "geoexpert",
        "-c",
        "gra",
        "--limit",
        "2",
        "--run-dir",
        str(tmp_path / "run"),
        "--json",
        *without(name),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"][0]["n"] == 2
