"""Percentile bootstrap intervals over traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray


@frozen(kw_only=True)
class Estimate:
    """A statistic with its interval; None where it is not defined. `undefined` counts resamples in which it was not,
    which the interval leaves out."""

    value: float | None
    low: float | None = None
    high: float | None = None
    undefined: int = 0


@frozen(kw_only=True)
class Bootstrap:
    """Draws whole traces with replacement, `resamples` times, the same ones for every statistic."""

    traces: int
    resamples: int = 2000
    seed: int = 0
    confidence: float = 0.95

    def draw(self) -> NDArray[np.int64]:
        """Which traces are in each resample, in shape (resamples, traces)."""
        return np.random.default_rng(self.seed).integers(0, self.traces, (self.resamples, self.traces))

    def estimate(self, statistic: Callable[..., Any], *data: Any) -> Estimate:
        """The statistic of arrays whose last axis are the traces, with the interval between the outer percentiles.

        `statistic` works on the last axis (or last two), over any axes before it.
        """
        value = float(statistic(*data))
        places = self.draw()
        # Resamples come first, so that the statistic sees them as axes before its own.
        drawn = [np.moveaxis(d[..., places], -2, 0) for d in data]
        made = np.asarray(statistic(*drawn), dtype=float)
        defined = made[~np.isnan(made)]
        low = high = None
        if defined.size and not np.isnan(value):
            outer = (1 - self.confidence) / 2
            low, high = (float(p) for p in np.percentile(defined, [100 * outer, 100 * (1 - outer)]))
        return Estimate(
            value=None if np.isnan(value) else value,
            low=low,
            high=high,
            undefined=int(made.size - defined.size),
        )
