"""Trend tests: Mann-Kendall with tie correction (and for autocorrelated or seasonal data), Theil-Sen slope, least squares.

Sources: Mann (1945) and Kendall (1975) for the test; Hamed and Rao (1998) for the variance under autocorrelation;
Hirsch, Slack and Smith (1982) for seasons; Sen (1968) for the slope and its interval.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from scipy import stats

MOST_PAIRS = 2500


@frozen(kw_only=True)
class Kendall:
    """The statistic S, its variance, Kendall's tau (of ties: tau-a over all pairs), z with continuity correction and the
    two-sided p."""

    s: float
    variance: float
    tau: float
    z: float
    p: float


@frozen(kw_only=True)
class Slope:
    """A slope per unit of time, its confidence interval and the intercept at time 0."""

    slope: float
    low: float
    high: float
    intercept: float


def score(values: np.ndarray) -> float:
    """S: pairs that rise in time less pairs that fall."""
    return float(sum(np.sign(values[i + 1 :] - values[i]).sum() for i in range(len(values) - 1)))


def variance(values: np.ndarray) -> float:
    """Variance of S for independent values, corrected for ties."""
    n = len(values)
    _, ties = np.unique(values, return_counts=True)
    return (n * (n - 1) * (2 * n + 5) - float(np.sum(ties * (ties - 1) * (2 * ties + 5)))) / 18.0


def kendall(s: float, var: float, pairs: float) -> Kendall:
    """The test from S and its variance."""
    z = (s - np.sign(s)) / np.sqrt(var) if var > 0 else 0.0
    return Kendall(
        s=s, variance=var, tau=s / pairs if pairs else 0.0, z=float(z), p=float(2 * stats.norm.sf(abs(z)))
    )


def mann_kendall(values: np.ndarray) -> Kendall:
    """The test for values in order of time."""
    n = len(values)
    return kendall(score(values), variance(values), n * (n - 1) / 2)


def hamed_rao(values: np.ndarray, alpha: float = 0.05) -> Kendall:
    """The test with the variance of S scaled by the significant autocorrelations of the ranks of the detrended values.

    Values must be at equal steps of time.
    """
    n = len(values)
    steps = np.arange(1, n + 1)
    ranks = stats.rankdata(values - steps * theil_sen(steps.astype(float), values, alpha).slope)
    centred = ranks - ranks.mean()
    total = float(np.sum(centred**2))
    lags = np.arange(1, n)
    correlation = np.array(
        [np.sum(centred[lag:] * centred[: n - lag]) / total if total else 0.0 for lag in lags]
    )
    significant = np.abs(correlation) > stats.norm.ppf(1 - alpha / 2) / np.sqrt(n)
    weights = (n - lags) * (n - lags - 1) * (n - lags - 2)
    factor = 1 + 2 / (n * (n - 1) * (n - 2)) * float(np.sum((weights * correlation)[significant]))
    return kendall(score(values), variance(values) * factor, n * (n - 1) / 2)


def seasonal(values: np.ndarray, season_of: np.ndarray) -> Kendall:
    """The test over pairs of the same season only: S and variances are added over the seasons."""
    parts = [values[season_of == s] for s in np.unique(season_of)]
    pairs = sum(len(p) * (len(p) - 1) / 2 for p in parts)
    return kendall(sum(score(p) for p in parts), sum(variance(p) for p in parts), pairs)


def theil_sen(times: np.ndarray, values: np.ndarray, alpha: float = 0.05) -> Slope:
    """Median of the slopes of all pairs, and Sen's interval of it; the intercept is that of the medians."""
    first, second = np.triu_indices(len(values), k=1)
    rise, run = values[second] - values[first], times[second] - times[first]
    slopes = np.sort(rise[run != 0] / run[run != 0])
    middle = float(np.median(slopes))
    reach = stats.norm.ppf(1 - alpha / 2) * np.sqrt(variance(values))
    low = min(round((len(slopes) + reach) / 2), len(slopes) - 1)
    high = max(round((len(slopes) - reach) / 2) - 1, 0)
    interval = sorted((float(slopes[low]), float(slopes[high])))
    return Slope(
        slope=middle,
        low=interval[0],
        high=interval[1],
        intercept=float(np.median(values) - middle * np.median(times)),
    )


def least_squares(times: np.ndarray, values: np.ndarray, alpha: float = 0.05) -> tuple[Slope, float, float]:
    """Ordinary least squares: slope with its t interval, two-sided p, and R²."""
    fit = stats.linregress(times, values)
    reach = stats.t.ppf(1 - alpha / 2, len(values) - 2) * fit.stderr
    slope = Slope(
        slope=float(fit.slope),
        low=float(fit.slope - reach),
        high=float(fit.slope + reach),
        intercept=float(fit.intercept),
    )
    return slope, float(fit.pvalue), float(fit.rvalue**2)


def lag_one(values: np.ndarray, times: np.ndarray) -> float:
    """Autocorrelation at lag 1 of the residuals from the Theil-Sen line."""
    line = theil_sen(times, values)
    rest = values - line.slope * times
    rest = rest - rest.mean()
    total = float(np.sum(rest**2))
    return float(np.sum(rest[1:] * rest[:-1]) / total) if total else 0.0
