"""The conformance suite of plugins."""

from __future__ import annotations

from typing import ClassVar

from gra_core.testing import PluginConformance

ROWS = [{"year": str(2000 + i), "value": 10.0 + i + (i % 3)} for i in range(12)]


class TestConformance(PluginConformance):
    plugin = "gra_skill_time_series_forecast.plugin"
    examples: ClassVar = {
        "forecast_series": [{"table": ROWS, "time_col": "year", "value_col": "value", "horizon": 3}],
        "backtest_forecast": [
            {"table": ROWS, "time_col": "year", "value_col": "value", "horizon": 2, "folds": 2}
        ],
        "test_trend": [
            {"table": ROWS, "time_col": "year", "value_col": "value", "method": m}
            for m in ("mann-kendall", "hamed-rao", "ols")
        ],
    }
