"""A backtest of one series as a tool reports it."""

from __future__ import annotations

from typing import Any

from gra_core import ToolError
from gra_skill_time_series_forecast.backtest import best_of, digits, evaluate, origins, rounded
from gra_skill_time_series_forecast.models import LONGEST, SHORTEST, baseline, candidates
from gra_skill_time_series_forecast.series import Grid
from gra_skill_time_series_forecast.times import write_time


def backtest_series(
    grid: Grid, horizon: int, folds: int, metric: str, *, groups: int = 1
) -> tuple[dict[str, Any], list[str]]:
    """Errors of every candidate model; `ToolError` when the series is too short for one fold."""
    label = f"series {grid.group!r}: " if grid.group else ""
    values, season, notes = grid.values[-LONGEST:], grid.frequency.season, []
    cuts = origins(len(values), horizon, folds, SHORTEST)
    if not cuts:
        raise ToolError(
            "bad_argument", f"{label}{len(values)} values are too few to hold back {horizon} and fit to {SHORTEST}",
            hint=f"use a horizon of at most {max(0, len(values) - SHORTEST)}",
        )  # fmt: skip
    if len(cuts) < folds:
        notes.append(f"{label}only {len(cuts)} folds fit")
    if len(cuts) > 1 and cuts[1] - cuts[0] < horizon:
        notes.append(f"{label}the test windows overlap: their errors are not independent")
    models = candidates(cuts[0], season, groups=groups)
    outcomes = evaluate(values, models, cuts, horizon, metric=metric, season=season, intervals=True)
    best, base = best_of(outcomes), next(o for o in outcomes if o.name == baseline(cuts[0], season))
    if best is None:
        raise ToolError(
            "bad_argument",
            f"{label}{metric} is not defined here (division by zero)",
            hint="use metric mae, rmse or mase",
        )
    offset = len(grid.values) - len(values)
    windows = [[_time(grid, offset + c), _time(grid, offset + c + horizon - 1)] for c in cuts]
    skill = 1 - (best.error or 0.0) / base.error if base.error else None
    entry = {
        "frequency": grid.frequency.label, "season_steps": season, "observations": len(grid.values) - grid.filled, "folds": len(cuts), "test_windows": windows,
        "best": best.name, "error": best.error, "baseline": base.name, "baseline_error": base.error, "skill": skill, "models": rounded(outcomes),
    }  # fmt: skip
    entry = {k: digits(v) if isinstance(v, float) else v for k, v in entry.items()}
    return ({"group": grid.group} if grid.group else {}) | entry, notes


def _time(grid: Grid, position: int) -> str:
    return write_time(grid.frequency.after(grid.start, position), grid.style)
