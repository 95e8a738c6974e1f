"""Agreement of raters on an interval scale. All functions work along the last axis, over any axes before it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Array = NDArray[np.float64]


def interval_alpha(ratings: Array) -> Any:
    """Krippendorff's alpha with the interval metric, of ratings in shape (…, raters, units); NaN is a missing rating.

    NaN where it is not defined: no unit with two ratings, or all ratings the same. Krippendorff, K. (2011), "Computing
    Krippendorff's Alpha-Reliability"; squared differences within a unit and over all are taken from sums and sums of
    squares, since the sum of (a − b)² over all pairs of n values is n·Σa² − (Σa)².
    """
    present = ~np.isnan(ratings)
    counts = present.sum(axis=-2)
    pairable = counts >= 2
    used = present & pairable[..., None, :]
    # A common origin changes no difference and keeps the sums small.
    values = np.where(used, ratings - _least(ratings), 0.0)
    n = np.where(pairable, counts, 0)
    sums, squares = values.sum(axis=-2), (values**2).sum(axis=-2)
    within = ((n * squares - sums**2) / np.maximum(n - 1, 1)).sum(axis=-1)
    total = n.sum(axis=-1)
    overall = total * squares.sum(axis=-1) - sums.sum(axis=-1) ** 2
    spread = np.where(used, ratings, -np.inf).max(axis=(-2, -1)) > np.where(used, ratings, np.inf).min(
        axis=(-2, -1)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread, 1 - within * (total - 1) / overall, np.nan)


def _least(ratings: Array) -> float:
    return 0.0 if np.isnan(ratings).all() else float(np.nanmin(ratings))


def spearman(x: Array, y: Array) -> Any:
    """Spearman's rank correlation, ties at their mean rank; NaN where one side is constant."""
    ranks = [rankdata(side, axis=-1) for side in (x, y)]
    a, b = (r - r.mean(axis=-1, keepdims=True) for r in ranks)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (a * b).sum(axis=-1) / np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
