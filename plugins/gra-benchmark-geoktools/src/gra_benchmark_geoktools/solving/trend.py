"""Mann-Kendall test (Mann 1945, Kendall 1975) and Sen's slope (Sen 1968) of a yearly series."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from gra_core import IllPosed

SIGNIFICANCE = 0.05
# Between these two p-values the verdict hangs on details of the test.
CLEAR = (0.02, 0.15)


def sens_slope(series: pd.Series) -> float:
    """The median of the slopes between all pairs of points, per year."""
    x, y = series.index.to_numpy(dtype=float), series.to_numpy(dtype=float)
    i, j = np.triu_indices(len(x), 1)
    return float(np.median((y[j] - y[i]) / (x[j] - x[i])))


def p_value(series: pd.Series) -> float:
    """Two-sided p-value of the Mann-Kendall test, normal approximation, corrected for ties and for continuity."""
    y = series.to_numpy(dtype=float)
    n = len(y)
    i, j = np.triu_indices(n, 1)
    s = float(np.sign(y[j] - y[i]).sum())
    ties = np.unique(y, return_counts=True)[1]
    variance = (n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    if variance <= 0:
        return 1.0
    z = (s - np.sign(s)) / math.sqrt(variance)
    return math.erfc(abs(z) / math.sqrt(2))


def direction(series: pd.Series) -> str:
    """``increasing``, ``decreasing`` or ``no trend`` at the 5% level; `IllPosed` when it is not clear, or too short."""
    if len(series) < 8:
        raise IllPosed(f"{len(series)} values are too few for a trend test")
    p = p_value(series)
    if CLEAR[0] < p < CLEAR[1]:
        raise IllPosed(f"a p-value of {p:.3f} is too near the level of the test")
    if p >= SIGNIFICANCE:
        return "no trend"
    return "increasing" if sens_slope(series) > 0 else "decreasing"
