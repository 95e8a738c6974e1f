"""The plugin as the core sees it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from gra_core import Registry, ToolError
from gra_core.plugins import PluginSet
from gra_skill_time_series_forecast import plugin

HEAVY = ("pandas", "numpy", "scipy", "statsforecast", "numba", "geopandas")


def test_skill_and_tools() -> None:
    [skill] = plugin.gra_skills()
    assert skill.name == "time-series-forecast" and [t.name for t in skill.tools] == [
        "forecast_series",
        "backtest_forecast",
        "test_trend",
    ]
    assert len(skill.guidance.splitlines()) < 120
    for tool in skill.tools:
        assert all("description" in p for p in tool.parameters["properties"].values()), tool.name
        assert tool.card.sources == () and tool.card.coverage


def test_schemas_import_nothing_heavy() -> None:
    code = (
        "import sys, json; import gra_skill_time_series_forecast.plugin as p; [t.parameters for s in p.gra_skills() for t in s.tools]; "
        f"print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == []


def test_trend_test_does_not_import_statsforecast() -> None:
    code = "import sys; import gra_skill_time_series_forecast.trendtest; import gra_skill_time_series_forecast.series; print('statsforecast' in sys.modules)"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "False"
    )


def test_arguments_are_checked_by_schema() -> None:
    plugins = PluginSet()
    plugins.add(plugin, "skill-time-series-forecast")
    tool = Registry(plugins).tools["forecast_series"]
    with pytest.raises(ToolError, match="missing parameter 'horizon'"):
        tool.check({"table": "ds://x-1", "time_col": "t", "value_col": "v"})
    with pytest.raises(ToolError, match="at least 1"):
        tool.check({"table": [{"t": "2020", "v": 1}], "time_col": "t", "value_col": "v", "horizon": 0})
    assert tool.check({"table": [], "time_col": "t", "value_col": "v", "horizon": 3.0})["horizon"] == 3
