"""Skill time-series-forecast: forecasts with prediction intervals, backtests and trend tests of tables."""

__version__ = "0.1.0"
