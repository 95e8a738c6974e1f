"""Forecasts and backtests against textbook formulas and invariants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gra_core import Column, ToolError
from gra_skill_time_series_forecast import tools
from gra_skill_time_series_forecast.backtest import origins
from gra_skill_time_series_forecast.forecast import check_quantiles, make_forecast
from gra_skill_time_series_forecast.frequency import infer_frequency
from gra_skill_time_series_forecast.metrics import error_of
from gra_skill_time_series_forecast.models import candidates
from gra_skill_time_series_forecast.series import Grid


def grid(values: Any, freq: str = "YS", style: str = "year") -> Grid:
    times = pd.Series(pd.date_range("2000-01-01", periods=len(values), freq=freq))
    frequency = infer_frequency(times)
    assert frequency is not None
    return Grid(
        group="",
        start=times.iloc[0],
        end=times.iloc[-1],
        values=np.asarray(values, float),
        frequency=frequency,
        style=style,
        filled=0,
    )


def rows(values: Any, freq: str = "MS", fmt: str = "%Y-%m") -> list[dict[str, Any]]:
    return [
        {"t": t.strftime(fmt), "v": float(v)}
        for t, v in zip(pd.date_range("2000-01-01", periods=len(values), freq=freq), values, strict=True)
    ]


@pytest.fixture(scope="module")
def passengers() -> np.ndarray:
    """Monthly airline passengers 1949 to 1960 (Box and Jenkins), as statsforecast ships them."""
    from statsforecast.utils import AirPassengers

    return np.asarray(AirPassengers, float)


def test_drift_is_the_textbook_formula() -> None:
    """Mean y_T + h (y_T - y_1) / (T - 1); standard error s √(h (1 + h / (T - 1))); statsforecast takes
    s² as the mean squared residual, without a correction for the estimated drift."""
    y = np.array([3.0, 5.0, 4.0, 6.0, 9.0, 8.0])
    model = next(c for c in candidates(len(y), 1) if c.name == "RandomWalkWithDrift")
    found = model.forecast(y, 3, [80.0])
    assert found is not None
    step, h = (y[-1] - y[0]) / 5, np.arange(1, 4)
    assert found["mean"] == pytest.approx(y[-1] + h * step)
    residuals = np.diff(y) - step
    error = np.sqrt(np.mean(residuals**2)) * np.sqrt(h * (1 + h / 5))
    [high] = [v for k, v in found.items() if k.startswith("hi")]
    assert high - found["mean"] == pytest.approx(stats.norm.ppf(0.9) * error)


def test_seasonal_naive_wins_on_a_pure_season_and_repeats_it() -> None:
    season = [5.0, 1.0, 7.0, 3.0]
    made = make_forecast(grid(season * 6, "QS", "quarter"), 6, [0.1, 0.5, 0.9])
    assert made.model == "SeasonalNaive" and made.errors["SeasonalNaive"] == 0
    assert made.mean.tolist() == [5, 1, 7, 3, 5, 1] and made.times == [
        "2006-Q1",
        "2006-Q2",
        "2006-Q3",
        "2006-Q4",
        "2007-Q1",
        "2007-Q2",
    ]


def test_a_straight_line_is_continued() -> None:
    made = make_forecast(grid(np.arange(20) * 2.5 + 7), 4, [0.05, 0.5, 0.95])
    assert made.mean == pytest.approx([57.0, 59.5, 62.0, 64.5], abs=0.05) and made.times == [
        "2020",
        "2021",
        "2022",
        "2023",
    ]


def test_constant_series() -> None:
    made = make_forecast(grid([4.0] * 9), 3, [0.1, 0.9])
    assert (
        made.model == "Constant"
        and made.quantiles[0.1].tolist() == [4, 4, 4]
        and "all values are 4" in made.notes[0]
    )


def test_short_series_get_simple_models_and_a_note() -> None:
    made = make_forecast(grid([1.0, 2.0, 1.5, 2.5, 3.0]), 2, [0.1, 0.5, 0.9])
    assert set(made.errors) == {"Naive", "RandomWalkWithDrift"} and any(
        "5 values only" in n for n in made.notes
    )
    with pytest.raises(ToolError, match="at least 4"):
        make_forecast(grid([1.0, 2.0, 3.0]), 2, [0.5])


def test_negative_quantiles_of_counts_are_told() -> None:
    made = make_forecast(grid([3.0, 0.0, 4.0, 1.0, 0.0, 5.0, 2.0]), 5, [0.01, 0.5])
    assert made.quantiles[0.01].min() < 0 and any("below 0" in n for n in made.notes)


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.floats(-1000, 1000).map(lambda v: round(v, 2)), min_size=4, max_size=20), st.integers(1, 8),
    st.lists(st.floats(0.01, 0.99).map(lambda v: round(v, 3)), min_size=1, max_size=6, unique=True),
)  # fmt: skip
def test_quantiles_never_cross_and_same_input_gives_same_output(
    values: list[float], horizon: int, quantiles: list[float]
) -> None:
    chosen = check_quantiles(quantiles)
    first, second = make_forecast(grid(values), horizon, chosen), make_forecast(grid(values), horizon, chosen)
    table = np.vstack([first.quantiles[q] for q in chosen])
    assert (
        table.shape == (len(chosen), horizon)
        and np.isfinite(table).all()
        and (np.diff(table, axis=0) >= 0).all()
    )
    assert first.model == second.model and all(
        np.array_equal(first.quantiles[q], second.quantiles[q]) for q in chosen
    )


@pytest.mark.parametrize("quantiles", [[], [0.0], [0.5, 1.2]])
def test_bad_quantiles(quantiles: list[float]) -> None:
    with pytest.raises(ToolError, match=r"from 0\.001 to 0\.999"):
        check_quantiles(quantiles)


def test_airline_passengers(ctx: Any, passengers: np.ndarray) -> None:
    """1960 forecast from 1949 to 1959: a seasonal model must be within 8% on average (naive errs by 14%)."""
    result = tools.forecast_series(ctx, rows(passengers[:132]), "t", "v", 12)
    [entry] = result.content["forecasts"]
    assert entry["frequency"] == "monthly" and entry["season_steps"] == 12 and entry["observations"] == 132
    assert (
        entry["model"] in ("AutoTheta", "AutoETS", "AutoARIMA")
        and entry["backtest_mae"][entry["model"]] < entry["backtest_mae"]["Naive"]
    )
    forecast = np.array([r["mean"] for r in entry["forecast"]])
    assert np.mean(np.abs(forecast - passengers[132:]) / passengers[132:]) < 0.08
    frame = ctx.load(result.datasets[0].ref)
    assert (
        list(frame.columns) == ["time", "model", "mean", "q0.1", "q0.5", "q0.9"]
        and frame["time"].iloc[0] == "2011-01"
    )


def test_backtest_of_airline_passengers(ctx: Any, passengers: np.ndarray) -> None:
    result = tools.backtest_forecast(ctx, rows(passengers), "t", "v", 12, folds=3, metric="mape")
    [entry] = result.content["results"]
    assert entry["test_windows"] == [["2009-01", "2009-12"], ["2010-01", "2010-12"], ["2011-01", "2011-12"]]
    assert entry["baseline"] == "SeasonalNaive" and result.content["unit"] == "%"
    # Seasonal naive by hand: each month against the same month a year before.
    by_hand = [
        np.mean(np.abs(passengers[c : c + 12] - passengers[c - 12 : c]) / passengers[c : c + 12]) * 100
        for c in (108, 120, 132)
    ]
    naive = next(m for m in entry["models"] if m["model"] == "SeasonalNaive")
    assert naive["by_fold"] == pytest.approx(by_hand, rel=1e-5) and entry["skill"] == pytest.approx(
        1 - entry["error"] / np.mean(by_hand), rel=1e-4
    )
    assert all(0 <= m["coverage_80pct"] <= 1 for m in entry["models"])


def test_intervals_hold_what_they_promise_on_a_random_walk() -> None:
    """Synthetic: of 300 random walks, 80% intervals one step ahead hold about 80% (±7 points is three standard errors)."""
    rng = np.random.default_rng(11)
    model = candidates(30, 1)[0]
    inside = 0
    for _ in range(300):
        walk = np.cumsum(rng.normal(size=31))
        found = model.forecast(walk[:30], 1, [80.0])
        assert found is not None
        low, high = (next(v[0] for k, v in found.items() if k.startswith(s)) for s in ("lo", "hi"))
        inside += low <= walk[30] <= high
    assert inside / 300 == pytest.approx(0.8, abs=0.07)


def test_folds_never_see_the_future() -> None:
    assert origins(20, 4, 3, 4) == [8, 12, 16]
    assert origins(8, 4, 3, 4) == [4]
    assert origins(7, 4, 3, 4) == []
    assert origins(12, 4, 5, 4) == [4, 5, 6, 7, 8]


@given(st.integers(1, 60), st.integers(1, 12), st.integers(1, 6), st.integers(2, 8))
def test_folds_fit_into_the_series(length: int, horizon: int, folds: int, shortest: int) -> None:
    cuts = origins(length, horizon, folds, shortest)
    assert len(cuts) <= folds and cuts == sorted(set(cuts))
    assert all(shortest <= c <= length - horizon for c in cuts) and (not cuts or cuts[-1] == length - horizon)


def test_metrics_by_hand() -> None:
    actual, forecast, training = np.array([2.0, 4.0]), np.array([3.0, 2.0]), np.array([1.0, 2.0, 4.0])
    assert error_of("mae", actual, forecast, training) == 1.5
    assert error_of("rmse", actual, forecast, training) == pytest.approx(np.sqrt(2.5))
    assert error_of("mape", actual, forecast, training) == pytest.approx(50.0)
    assert error_of("smape", actual, forecast, training) == pytest.approx(100 * (1 / 2.5 + 2 / 3) / 2)
    assert error_of("mase", actual, forecast, training) == 1.0
    assert error_of("mape", np.array([0.0]), np.array([1.0]), training) is None
    assert error_of("mase", actual, forecast, np.array([1.0, 1.0])) is None


def test_groups_units_and_a_bad_series(ctx: Any) -> None:
    data = [
        {"t": str(1990 + i), "v": float(i * k + i % 3), "g": f"geoId/0{k}"} for k in (1, 2) for i in range(15)
    ] + [{"t": "1990", "v": 1.0, "g": "geoId/09"}]
    saved = ctx.save(pd.DataFrame(data), name="history", columns={"v": Column(unit="kg", quantity="count")})
    result = tools.forecast_series(ctx, saved.ref, "t", "v", 3, group_col="g", quantiles=[0.05, 0.95])
    assert [f["group"] for f in result.content["forecasts"]] == ["geoId/01", "geoId/02"] and result.content[
        "unit"
    ] == "kg"
    assert any("left out: series 'geoId/09'" in n for n in result.notes)
    manifest = ctx.dataset(result.datasets[0].ref).manifest
    assert (
        manifest.columns["q0.05"] == Column(unit="kg", quantity="count")
        and saved.ref in manifest.lineage.inputs
    )
    assert list(ctx.load(result.datasets[0].ref)["g"].unique()) == ["geoId/01", "geoId/02"]


def test_weekly_season_is_too_long_for_ets(ctx: Any) -> None:
    values = 10 + 3 * np.sin(np.arange(160) * 2 * np.pi / 52)
    [entry] = tools.forecast_series(ctx, rows(values, "W", "%Y-%m-%d"), "t", "v", 8).content["forecasts"]
    assert (
        entry["frequency"] == "weekly"
        and "MSTL+AutoETS" in entry["backtest_mae"]
        and "AutoARIMA" not in entry["backtest_mae"]
    )
    expected = 10 + 3 * np.sin(np.arange(160, 168) * 2 * np.pi / 52)
    assert [r["mean"] for r in entry["forecast"]] == pytest.approx(expected, abs=0.4)


def test_backtest_errors(ctx: Any) -> None:
    with pytest.raises(ToolError, match="too few to hold back 12") as error:
        tools.backtest_forecast(ctx, rows(range(10)), "t", "v", 12)
    assert "horizon of at most 6" in error.value.hint
    with pytest.raises(ToolError, match="mape is not defined"):
        tools.backtest_forecast(ctx, rows([0.0, 1.0] * 8), "t", "v", 2, metric="mape")
