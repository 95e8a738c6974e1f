"""Plugin: the skill. It needs no source: it works on tables that other tools made."""

from __future__ import annotations

from gra_core import Skill, hookimpl


@hookimpl
def gra_skills() -> list[Skill]:
    tools = ["tools:forecast_series", "tools:backtest_forecast", "tools:test_trend"]
    return [Skill.from_package("gra_skill_time_series_forecast", "time-series-forecast", tools)]
