"""A tool context with the dataset formats of gra_geo."""

from __future__ import annotations

from pathlib import Path

import pytest

import gra_geo.plugin
import gra_skill_time_series_forecast.plugin
from gra_core import Registry, Sources, ToolContext, Workspace
from gra_core.plugins import PluginSet


@pytest.fixture
def ctx(tmp_path: Path) -> ToolContext:
    loaded = PluginSet()
    for plugin in (gra_geo.plugin, gra_skill_time_series_forecast.plugin):
        loaded.add(plugin, plugin.__name__)
    loaded.raise_failures()
    registry = Registry(loaded)
    return ToolContext(
        workspace=Workspace(tmp_path / "work", registry.formats),
        sources=Sources(registry),
        call_id="c1",
        tool="test",
    )
