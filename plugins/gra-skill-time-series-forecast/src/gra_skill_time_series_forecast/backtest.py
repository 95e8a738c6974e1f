"""Rolling-origin evaluation: each fold is forecast from the values before it only."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import field, frozen

from gra_skill_time_series_forecast.metrics import error_of
from gra_skill_time_series_forecast.models import Candidate

LEVEL = 80.0


@frozen(kw_only=True)
class Outcome:
    """A model's error in each fold (None where not defined), their mean, and the share of actual values inside its
    80% interval. `failed` says that it could not be fitted to some fold."""

    name: str
    errors: list[float | None] = field(factory=list)
    coverage: float | None = None
    failed: bool = False

    @property
    def error(self) -> float | None:
        known = [e for e in self.errors if e is not None]
        return float(np.mean(known)) if known and not self.failed else None


def origins(length: int, horizon: int, folds: int, shortest: int) -> list[int]:
    """Numbers of training values of up to `folds` folds, earliest first. Test windows of `horizon` values lie side by
    side at the end; when there is no room, they overlap."""
    room = length - horizon - shortest
    if room < 0:
        return []
    count = min(folds, room + 1)
    step = horizon if count == 1 or room // (count - 1) >= horizon else max(1, room // (count - 1))
    return [length - horizon - step * i for i in range(count)][::-1]


def evaluate(
    values: np.ndarray,
    models: list[Candidate],
    cuts: list[int],
    horizon: int,
    *,
    metric: str = "mae",
    season: int = 1,
    intervals: bool = False,
) -> list[Outcome]:
    """Every model over every fold."""
    return [_evaluate(values, model, cuts, horizon, metric, season, intervals) for model in models]


def _evaluate(
    values: np.ndarray,
    model: Candidate,
    cuts: list[int],
    horizon: int,
    metric: str,
    season: int,
    intervals: bool,
) -> Outcome:
    errors: list[float | None] = []
    inside: list[np.ndarray] = []
    for cut in cuts:
        training, actual = values[:cut], values[cut : cut + horizon]
        found = model.forecast(training, horizon, [LEVEL] if intervals else None)
        if found is None:
            return Outcome(name=model.name, failed=True)
        errors.append(error_of(metric, actual, found["mean"], training, season))
        if intervals:
            low, high = (next(v for k, v in found.items() if k.startswith(side)) for side in ("lo", "hi"))
            inside.append((actual >= low) & (actual <= high))
    coverage = float(np.mean(np.concatenate(inside))) if inside else None
    return Outcome(name=model.name, errors=errors, coverage=coverage)


def best_of(outcomes: list[Outcome]) -> Outcome | None:
    """The outcome with the least error; the first (simplest) of equals; None when no model has an error."""
    known = [o for o in outcomes if o.error is not None]
    return min(known, key=lambda o: (round(o.error or 0.0, 12), outcomes.index(o))) if known else None


def rounded(outcomes: list[Outcome]) -> list[dict[str, Any]]:
    """JSON-ready rows, best first."""
    rows = []
    for outcome in sorted(outcomes, key=lambda o: (o.error is None, o.error or 0.0)):
        row: dict[str, Any] = {
            "model": outcome.name,
            "error": digits(outcome.error),
            "by_fold": [digits(e) for e in outcome.errors],
        }
        if outcome.coverage is not None:
            row["coverage_80pct"] = round(outcome.coverage, 3)
        if outcome.failed:
            row["failed"] = "could not be fitted"
        rows.append(row)
    return rows


def digits(value: float | None) -> float | None:
    """Six significant digits."""
    return None if value is None else float(f"{value:.6g}")
