"""Errors of two simple forecasts of a yearly series in rolling-origin tests."""

from __future__ import annotations

import numpy as np
import pandas as pd

FOLDS = 3


def errors(series: pd.Series, horizon: int) -> dict[str, float]:
    """Mean absolute error of ``naive`` (the last known value goes on) and ``drift`` (so does the mean yearly change).

    The last `FOLDS` × `horizon` years are cut into `FOLDS` windows; each is forecast from all values before it. The
    error is the mean over the windows.
    """
    values = series.to_numpy(dtype=float)
    steps = np.arange(1, horizon + 1)
    naive, drift = [], []
    for fold in range(FOLDS, 0, -1):
        cut = len(values) - fold * horizon
        known, actual = values[:cut], values[cut : cut + horizon]
        slope = (known[-1] - known[0]) / (len(known) - 1)
        naive.append(np.abs(actual - known[-1]).mean())
        drift.append(np.abs(actual - (known[-1] + slope * steps)).mean())
    return {"naive": float(np.mean(naive)), "drift": float(np.mean(drift))}
