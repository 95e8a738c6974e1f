"""Errors of forecasts."""

from __future__ import annotations

import numpy as np

METRICS = ("mae", "rmse", "mape", "smape", "mase")


def error_of(
    metric: str, actual: np.ndarray, forecast: np.ndarray, training: np.ndarray, season: int = 1
) -> float | None:
    """One fold's error: mae and rmse in the unit of the values, mape and smape in per cent, mase relative to the mean
    error of the (seasonal) naive forecast inside the training values. None where it is not defined (a zero to divide by).
    """
    gap = np.abs(actual - forecast)
    if metric == "rmse":
        return float(np.sqrt(np.mean(gap**2)))
    if metric == "mape":
        return float(100.0 * np.mean(gap / np.abs(actual))) if np.all(actual != 0) else None
    if metric == "smape":
        size = (np.abs(actual) + np.abs(forecast)) / 2.0
        return float(100.0 * np.mean(gap / size)) if np.all(size > 0) else None
    if metric == "mase":
        lag = season if len(training) > season else 1
        scale = float(np.mean(np.abs(training[lag:] - training[:-lag])))
        return float(np.mean(gap) / scale) if scale > 0 else None
    return float(np.mean(gap))
