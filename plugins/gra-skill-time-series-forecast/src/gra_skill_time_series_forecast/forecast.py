"""The forecast of one series: model chosen by rolling-origin error, quantiles from its prediction intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen

from gra_core import ToolError
from gra_skill_time_series_forecast.backtest import Outcome, best_of, evaluate, origins
from gra_skill_time_series_forecast.models import ENOUGH_FOR_RICH, LONGEST, SHORTEST, candidates
from gra_skill_time_series_forecast.series import Grid
from gra_skill_time_series_forecast.times import write_time

FOLDS = 3
POOR_COVERAGE = 0.6


@frozen(kw_only=True)
class Forecast:
    """Times as text, and per time the mean and each quantile, in order. `errors` is the mean absolute error of each
    model that was compared, `coverage` the share of values that the model's 80% interval held in those tests."""

    grid: Grid
    model: str
    times: list[str]
    mean: np.ndarray
    quantiles: dict[float, np.ndarray]
    errors: dict[str, float | None]
    coverage: float | None
    notes: list[str]

    def rows(self) -> list[dict[str, Any]]:
        """One row a step, JSON-ready."""
        return [
            {"time": t, "mean": _digits(self.mean[i])}
            | {quantile_name(q): _digits(v[i]) for q, v in self.quantiles.items()}
            for i, t in enumerate(self.times)
        ]

    def frame(self) -> pd.DataFrame:
        """One row a step: group, time, model, mean and quantiles."""
        data: dict[str, Any] = {
            "group": self.grid.group,
            "time": self.times,
            "model": self.model,
            "mean": self.mean,
        }
        return pd.DataFrame(data | {quantile_name(q): v for q, v in self.quantiles.items()})


def quantile_name(quantile: float) -> str:
    """The column of a quantile: ``q0.1``."""
    return f"q{quantile:g}"


def check_quantiles(quantiles: list[float] | None) -> list[float]:
    """Quantiles in order, without repeats, each between 0 and 1."""
    chosen = sorted(set(quantiles if quantiles is not None else [0.1, 0.5, 0.9]))
    if not chosen or chosen[0] < 0.001 or chosen[-1] > 0.999:
        raise ToolError(
            "bad_argument",
            f"quantiles {quantiles!r}: expected numbers from 0.001 to 0.999",
            hint="such as [0.1, 0.5, 0.9]",
        )
    return chosen


def make_forecast(grid: Grid, horizon: int, quantiles: list[float], *, groups: int = 1) -> Forecast:
    """Forecast a regular series. The model with the least rolling-origin error is fitted to all values; its intervals
    assume that the future varies like the past residuals. `ToolError` for fewer than `SHORTEST` values."""
    values, season = grid.values, grid.frequency.season
    notes: list[str] = []
    label = f"series {grid.group!r}: " if grid.group else ""
    if len(values) < SHORTEST:
        raise ToolError(
            "bad_argument",
            f"{label}{len(values)} values, at least {SHORTEST} are needed",
            hint="give a longer history",
        )
    if np.ptp(values) == 0:
        return _constant(
            grid,
            horizon,
            quantiles,
            f"{label}all values are {values[0]:g}: the forecast and its quantiles are that value",
        )
    if len(values) > LONGEST:
        values = values[-LONGEST:]
        notes.append(f"{label}only the last {LONGEST} values are used")
    if season > 1 and len(values) < 2 * season:
        notes.append(f"{label}fewer than two seasons of {season} steps: no seasonal model")
    if len(values) < ENOUGH_FOR_RICH:
        notes.append(f"{label}{len(values)} values only: simple models, and intervals that are rough")
    if horizon > len(values):
        notes.append(f"{label}the horizon is longer than the history: the far end is extrapolation")
    models = candidates(len(values), season, groups=groups)
    outcomes = _compare(values, models, horizon, season)
    ranked = (
        sorted(outcomes, key=lambda o: (o.error is None, o.error or 0.0)) if best_of(outcomes) else outcomes
    )
    by_name = {m.name: m for m in models}
    levels = [float(v) for v in sorted({round(abs(2 * q - 1) * 100, 10) for q in quantiles} - {0.0})]
    for outcome in ranked:
        found = by_name[outcome.name].forecast(values, horizon, levels or None)
        if found is not None:
            if outcome.coverage is not None and outcome.coverage < POOR_COVERAGE:
                notes.append(
                    f"{label}in past tests the 80% interval held {outcome.coverage:.0%} of the values: the quantiles are too narrow"
                )
            return _made(grid, outcome, found, quantiles, {o.name: o.error for o in outcomes}, notes)
        notes.append(f"{label}{outcome.name} could not be fitted to all values")
    raise ToolError(
        "bad_argument", f"{label}no model could be fitted", hint="check the values with inspect_dataset"
    )


def _compare(values: np.ndarray, models: Any, horizon: int, season: int) -> list[Outcome]:
    """Errors over a few folds, with a shorter horizon where the series is short."""
    shortest = max(3, 2 * season if len(values) >= 3 * season and season > 1 else 3)
    room = len(values) - shortest
    window = max(1, min(horizon, room // 2))
    cuts = origins(len(values), window, FOLDS, min(shortest, len(values) - window))
    return evaluate(values, models, cuts, window, season=season, intervals=True)


def _made(
    grid: Grid,
    outcome: Outcome,
    found: dict[str, np.ndarray],
    quantiles: list[float],
    errors: dict[str, float | None],
    notes: list[str],
) -> Forecast:
    bounds = {_level(key): key.split("-", 1)[1] for key in found if "-" in key}
    table = np.vstack([_quantile(found, bounds, q) for q in quantiles])
    table = np.maximum.accumulate(table, axis=0)  # equal but for rounding where two quantiles are close
    if np.all(grid.values >= 0) and table.min() < 0:
        notes = [
            *notes,
            (f"series {grid.group!r}: " if grid.group else "")
            + "quantiles below 0, though no value so far is: read them as 0 for counts",
        ]
    return Forecast(
        grid=grid, model=outcome.name, coverage=outcome.coverage, times=_times(grid, len(found["mean"])), mean=found["mean"],
        quantiles=dict(zip(quantiles, table, strict=True)), errors=errors, notes=notes,
    )  # fmt: skip


def _level(key: str) -> float:
    return round(float(key.split("-", 1)[1]), 6)


def _quantile(found: dict[str, np.ndarray], bounds: dict[float, str], quantile: float) -> np.ndarray:
    """A quantile is the end of the central interval of that level; the median is the mean (intervals are symmetric)."""
    level = round(abs(2 * quantile - 1) * 100, 6)
    if level == 0:
        return found["mean"]
    return found[("lo-" if quantile < 0.5 else "hi-") + bounds[level]]


def _constant(grid: Grid, horizon: int, quantiles: list[float], note: str) -> Forecast:
    flat = np.full(horizon, grid.values[0])
    return Forecast(
        grid=grid,
        model="Constant",
        times=_times(grid, horizon),
        mean=flat,
        quantiles=dict.fromkeys(quantiles, flat),
        errors={"Constant": 0.0},
        coverage=None,
        notes=[note],
    )


def _times(grid: Grid, horizon: int) -> list[str]:
    return [write_time(grid.frequency.after(grid.end, i), grid.style) for i in range(1, horizon + 1)]


def _digits(value: float) -> float:
    return float(f"{value:.8g}")
