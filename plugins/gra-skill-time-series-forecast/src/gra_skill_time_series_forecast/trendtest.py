"""The trend of one series as a tool reports it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gra_core import ToolError
from gra_skill_time_series_forecast import trend
from gra_skill_time_series_forecast.series import Series
from gra_skill_time_series_forecast.times import write_time

SHORTEST = 4
ROUGH = 10
DAYS_A_YEAR = 365.2425


def years_of(times: pd.Series) -> np.ndarray:
    """Decimal years: exact for the first of January and of every month, else by days of 1/365.2425 year."""
    if (times.dt.day == 1).all() and (times == times.dt.normalize()).all():
        return (times.dt.year + (times.dt.month - 1) / 12.0).to_numpy(float)
    return ((times - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=DAYS_A_YEAR)).to_numpy(float) + 1970.0


def check_trend(series: Series, method: str, alpha: float) -> tuple[dict[str, Any], list[str]]:
    """Test, Theil-Sen slope a year with its interval, and for ``ols`` the least-squares line; with notes."""
    label = f"series {series.group!r}: " if series.group else ""
    values = series.values
    if len(values) < SHORTEST:
        raise ToolError(
            "bad_argument",
            f"{label}{len(values)} values, at least {SHORTEST} are needed",
            hint="give a longer series",
        )
    notes: list[str] = []
    if len(values) > trend.MOST_PAIRS:
        raise ToolError(
            "bad_argument",
            f"{label}{len(values)} values, at most {trend.MOST_PAIRS}",
            hint="aggregate to months or years first (query_table)",
        )
    years = years_of(series.times)
    content: dict[str, Any] = {
        "n": len(values), "first": write_time(series.times.iloc[0], series.style), "last": write_time(series.times.iloc[-1], series.style),
        "method": method, "alpha": alpha,
    }  # fmt: skip
    if series.group:
        content = {"group": series.group} | content
    if np.ptp(values) == 0:
        return content | {"trend": "no trend", "p": 1.0, "slope_per_year": 0.0}, [
            f"{label}all values are equal"
        ]
    sen = trend.theil_sen(years, values, alpha)
    confidence = {
        "slope_per_year": sen.slope,
        "slope_interval": [sen.low, sen.high],
        "slope_method": "Theil-Sen",
    }
    if method == "ols":
        line, p, r2 = trend.least_squares(years, values, alpha)
        content |= {
            "slope_per_year": line.slope,
            "slope_interval": [line.low, line.high],
            "slope_method": "least squares",
            "r2": r2,
        }
        content |= {"p": p, "trend": _direction(line.slope, p, alpha), "theil_sen_slope_per_year": sen.slope}
    else:
        test = _test(series, method, alpha, label)
        content |= {
            "trend": _direction(test.s, test.p, alpha),
            "p": test.p,
            "z": test.z,
            "s": test.s,
            "tau": test.tau,
            "variance_s": test.variance,
        }
        content |= confidence
    notes += _warnings(series, years, method, label)
    return {k: _plain(v) for k, v in content.items()}, notes


def _test(series: Series, method: str, alpha: float, label: str) -> trend.Kendall:
    if method == "mann-kendall":
        return trend.mann_kendall(series.values)
    frequency = series.frequency()
    positions = frequency.positions(series.times) if frequency else None
    if frequency is None or positions is None:
        raise ToolError(
            "bad_argument",
            f"{label}{method} needs equal steps of time",
            hint="use method mann-kendall, or aggregate first",
        )
    if method == "hamed-rao":
        if positions[-1] + 1 != len(series.values):
            raise ToolError(
                "bad_argument",
                f"{label}hamed-rao needs a value at every step, some are missing",
                hint="use method mann-kendall",
            )
        test = trend.hamed_rao(series.values, alpha)
        if test.variance <= 0:
            raise ToolError(
                "bad_argument",
                f"{label}the autocorrelation leaves no variance for the test",
                hint="use method mann-kendall",
            )
        return test
    if frequency.season == 1:
        raise ToolError(
            "bad_argument",
            f"{label}a {frequency.label} series has no seasons",
            hint="use method mann-kendall",
        )
    return trend.seasonal(series.values, positions % frequency.season)


def _warnings(series: Series, years: np.ndarray, method: str, label: str) -> list[str]:
    n, notes = len(series.values), []
    if n < ROUGH:
        notes.append(f"{label}{n} values only: p is an approximation that is rough below {ROUGH}")
    lag = trend.lag_one(series.values, years)
    if method != "hamed-rao" and abs(lag) > 1.96 / np.sqrt(n):
        notes.append(
            f"{label}residuals are autocorrelated (lag 1: {lag:.2f}): p is too small; try method hamed-rao"
        )
    frequency = series.frequency()
    if method in ("mann-kendall", "ols") and frequency and frequency.season > 1 and n >= 2 * frequency.season:
        notes.append(f"{label}{frequency.label} values may have a season: try method seasonal")
    return notes


def _direction(sign: float, p: float, alpha: float) -> str:
    if p >= alpha or sign == 0:
        return "no trend"
    return "increasing" if sign > 0 else "decreasing"


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value
