"""Trend tests against pymannkendall, scipy and a published value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pymannkendall
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from gra_core import ToolError
from gra_skill_time_series_forecast import tools, trend

VALUES = st.lists(st.integers(0, 12).map(float), min_size=5, max_size=40).map(np.array)


@given(VALUES)
@settings(deadline=None)
def test_mann_kendall_as_pymannkendall(values: np.ndarray) -> None:
    assume(np.ptp(values) > 0)
    ours, theirs = trend.mann_kendall(values), pymannkendall.original_test(values)
    assert (ours.s, ours.variance) == (theirs.s, pytest.approx(theirs.var_s))
    assert (ours.z, ours.p, ours.tau) == (
        pytest.approx(theirs.z),
        pytest.approx(theirs.p, abs=1e-12),
        pytest.approx(theirs.Tau),
    )


@pytest.mark.filterwarnings("ignore:invalid value")
@given(
    st.lists(st.floats(-100, 100).map(lambda v: round(v, 3)), min_size=8, max_size=40, unique=True).map(
        np.array
    )
)
@settings(deadline=None)
def test_hamed_rao_as_pymannkendall(values: np.ndarray) -> None:
    ours, theirs = trend.hamed_rao(values), pymannkendall.hamed_rao_modification_test(values)
    assume(theirs.var_s > 0)
    assert ours.variance == pytest.approx(theirs.var_s, rel=1e-9)
    assert (ours.z, ours.p) == (pytest.approx(theirs.z, rel=1e-9), pytest.approx(theirs.p, abs=1e-12))


@given(st.lists(st.integers(0, 9).map(float), min_size=24, max_size=60).map(np.array))
@settings(deadline=None)
def test_seasonal_as_pymannkendall(values: np.ndarray) -> None:
    values = values[: len(values) // 12 * 12]
    assume(np.ptp(values) > 0)
    ours, theirs = (
        trend.seasonal(values, np.arange(len(values)) % 12),
        pymannkendall.seasonal_test(values, period=12),
    )
    assert (ours.s, ours.variance) == (theirs.s, pytest.approx(theirs.var_s))
    assert ours.p == pytest.approx(theirs.p, abs=1e-12)


@given(VALUES, st.sampled_from([0.01, 0.05, 0.1]))
@settings(deadline=None)
def test_theil_sen_as_scipy(values: np.ndarray, alpha: float) -> None:
    assume(np.ptp(values) > 0)
    times = np.arange(len(values)) / 4 + 1990
    ours, theirs = trend.theil_sen(times, values, alpha), stats.theilslopes(values, times, alpha=1 - alpha)
    found = (ours.slope, ours.low, ours.high, ours.intercept)
    assert found == pytest.approx(
        (theirs.slope, theirs.low_slope, theirs.high_slope, theirs.intercept), abs=1e-9
    )


@given(VALUES, st.floats(0.5, 20), st.floats(-50, 50))
@settings(deadline=None)
def test_invariants(values: np.ndarray, scale: float, shift: float) -> None:
    """Scaling keeps p; turning time round turns S; adding a line adds its slope."""
    assume(np.ptp(values) > 0)
    plain = trend.mann_kendall(values)
    assert trend.mann_kendall(values * scale + shift).p == pytest.approx(plain.p)
    assert trend.mann_kendall(values[::-1]).s == -plain.s
    times = np.arange(len(values), dtype=float)
    assert trend.theil_sen(times, values + 3 * times).slope == pytest.approx(
        trend.theil_sen(times, values).slope + 3, abs=1e-9
    )


def test_published_least_squares() -> None:
    """NIST StRD data set Norris: certified slope 1.00211681802045, R² 0.999993745883712."""
    x = [0.2, 337.4, 118.2, 884.6, 10.1, 226.5, 666.3, 996.3, 448.6, 777.0, 558.2, 0.4, 0.6, 775.5, 666.9, 338.0, 447.5, 11.6, 556.0, 228.1, 995.8, 887.6, 120.2, 0.3, 0.3, 556.8, 339.1, 887.2, 999.0, 779.0, 11.1, 118.3, 229.2, 669.1, 448.9, 0.5]  # fmt: skip
    y = [0.1, 338.8, 118.1, 888.0, 9.2, 228.1, 668.5, 998.5, 449.1, 778.9, 559.2, 0.3, 0.1, 778.1, 668.8, 339.3, 448.9, 10.8, 557.7, 228.3, 998.0, 888.8, 119.6, 0.3, 0.6, 557.6, 339.3, 888.0, 998.5, 778.9, 10.2, 117.6, 228.9, 668.4, 449.2, 0.2]  # fmt: skip
    line, _, r2 = trend.least_squares(np.array(x), np.array(y))
    assert line.slope == pytest.approx(1.00211681802045, rel=1e-12) and r2 == pytest.approx(
        0.999993745883712, rel=1e-12
    )
    # Certified standard deviation of the slope 0.429796848199937e-03, t(0.975, 34) = 2.032244509.
    assert (line.high - line.low) / 2 == pytest.approx(0.429796848199937e-03 * 2.032244509, rel=1e-8)


def rows(values: list[float], start: int = 1990) -> list[dict[str, Any]]:
    return [{"t": str(start + i), "v": v} for i, v in enumerate(values)]


def test_tool_on_a_rising_series(ctx: Any) -> None:
    values = [2.0, 3.1, 2.9, 4.2, 5.0, 4.8, 6.1, 7.2, 6.9, 8.0, 9.1, 8.7]
    result = tools.test_trend(ctx, rows(values), "t", "v")
    [entry] = result.content["results"]
    reference, slopes = pymannkendall.original_test(values), stats.theilslopes(values)
    assert entry["trend"] == reference.trend == "increasing" and entry["p"] == pytest.approx(reference.p)
    assert entry["slope_per_year"] == pytest.approx(slopes.slope)
    assert entry["slope_interval"] == pytest.approx([slopes.low_slope, slopes.high_slope])
    assert (entry["n"], entry["first"], entry["last"]) == (12, "1990", "2001")


def test_slopes_are_per_year_whatever_the_step(ctx: Any) -> None:
    months = [
        {"t": f"{2000 + i // 12}-{i % 12 + 1:02d}", "v": 10.0 + i / 12 * 6 + (i % 2) * 0.01}
        for i in range(36)
    ]
    assert tools.test_trend(ctx, months, "t", "v").content["results"][0]["slope_per_year"] == pytest.approx(
        6.0, abs=0.01
    )
    decades = [{"t": str(1900 + 10 * i), "v": 5.0 * i + i % 2} for i in range(10)]
    assert tools.test_trend(ctx, decades, "t", "v", "ols").content["results"][0][
        "slope_per_year"
    ] == pytest.approx(0.5, abs=0.01)
    days = [{"t": f"2020-01-{i + 1:02d}", "v": float(i + i % 2)} for i in range(20)]
    assert tools.test_trend(ctx, days, "t", "v").content["results"][0]["slope_per_year"] == pytest.approx(
        365.2425, rel=0.001
    )


def test_irregular_times_work_for_mann_kendall_only(ctx: Any) -> None:
    data = [
        {"t": t, "v": v}
        for t, v in (
            ("2000-01-01", 1.0),
            ("2000-01-05", 2.0),
            ("2000-03-01", 3.5),
            ("2000-03-02T05:00", 4.0),
            ("2001-01-01", 9.0),
        )
    ]
    assert tools.test_trend(ctx, data, "t", "v").content["results"][0]["s"] == 10
    for method in ("hamed-rao", "seasonal"):
        with pytest.raises(ToolError, match="equal steps"):
            tools.test_trend(ctx, data, "t", "v", method)


def test_autocorrelation_and_season_are_told(ctx: Any) -> None:
    rng = np.random.default_rng(3)  # synthetic
    walk = np.cumsum(rng.normal(size=60)).tolist()
    assert any("autocorrelated" in n for n in tools.test_trend(ctx, rows(walk, 1900), "t", "v").notes)
    months = [{"t": f"{2000 + i // 12}-{i % 12 + 1:02d}", "v": float(rng.normal())} for i in range(48)]
    assert any("method seasonal" in n for n in tools.test_trend(ctx, months, "t", "v").notes)


def test_constant_short_and_grouped(ctx: Any) -> None:
    [entry] = tools.test_trend(ctx, rows([5.0] * 8), "t", "v").content["results"]
    assert entry["trend"] == "no trend" and entry["slope_per_year"] == 0
    with pytest.raises(ToolError, match="at least 4"):
        tools.test_trend(ctx, rows([1.0, 2.0, 3.0]), "t", "v")
    data = [r | {"g": f"g{g:02d}"} for g in range(25) for r in rows([float(i * (g - 12)) for i in range(6)])]
    data += [{"t": "2000", "v": 1.0, "g": "short"}]
    result = tools.test_trend(ctx, data, "t", "v", group_col="g")
    assert (
        result.content["trends"] == {"increasing": 12, "decreasing": 12, "no trend": 1}
        and len(result.content["results"]) == 20
    )
    assert abs(result.content["results"][0]["slope_per_year"]) == 12 and any(
        "left out: series 'short'" in n for n in result.notes
    )
    frame = ctx.load(result.datasets[0].ref)
    assert len(frame) == 25 and {"g", "slope_per_year", "slope_low", "slope_high"} <= set(frame.columns)


def test_hamed_rao_refuses_gaps(ctx: Any) -> None:
    data = [r for r in rows([float(i + i % 3) for i in range(15)]) if r["t"] != "1995"]
    with pytest.raises(ToolError, match="value at every step"):
        tools.test_trend(ctx, data, "t", "v", "hamed-rao")
