"""Candidate models, from simple to rich. Imports statsforecast (slow) when the first candidate is made."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import frozen

SHORTEST = 4
ENOUGH_FOR_RICH = 10
LONGEST_FULL_SEASON = 24
MOST_GROUPS_WITH_ARIMA = 10
LONGEST = 2000


@frozen(kw_only=True)
class Candidate:
    """A model by name; `make` builds a statsforecast model, which is fitted anew for each forecast."""

    name: str
    make: Callable[[], Any]

    def forecast(
        self, values: np.ndarray, horizon: int, levels: list[float] | None = None
    ) -> dict[str, np.ndarray] | None:
        """``mean`` and, for each level in per cent, ``lo-…`` and ``hi-…``; None when the model cannot be fitted."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = self.make().forecast(
                    y=np.ascontiguousarray(values, dtype=float), h=horizon, level=levels
                )
        except Exception:  # statsforecast raises bare Exception for a series that a model does not suit
            return None
        arrays = {key: np.asarray(value, dtype=float) for key, value in found.items()}
        return arrays if all(np.isfinite(a).all() for a in arrays.values()) else None


def candidates(length: int, season: int, *, groups: int = 1) -> list[Candidate]:
    """The models to compare for a series of some length, simplest first.

    Naive and drift always; seasonal naive from two seasons on; ETS and Theta from `ENOUGH_FOR_RICH` values, ARIMA too
    when there are few series. Seasons longer than `LONGEST_FULL_SEASON` steps are too long for ETS and ARIMA, which
    then work on what MSTL leaves.
    """
    from statsforecast import models

    seasonal = season > 1 and length >= 2 * season
    found = [
        Candidate(name="Naive", make=models.Naive),
        Candidate(name="RandomWalkWithDrift", make=models.RandomWalkWithDrift),
    ]
    if seasonal:
        found.append(Candidate(name="SeasonalNaive", make=lambda: models.SeasonalNaive(season_length=season)))
    if length < ENOUGH_FOR_RICH:
        return found
    period = season if seasonal else 1
    found.append(Candidate(name="AutoTheta", make=lambda: models.AutoTheta(season_length=period)))
    if period > LONGEST_FULL_SEASON:
        found.append(
            Candidate(
                name="MSTL+AutoETS",
                make=lambda: models.MSTL(season_length=period, trend_forecaster=models.AutoETS(model="ZZN")),
            )
        )
        return found
    found.append(Candidate(name="AutoETS", make=lambda: models.AutoETS(season_length=period)))
    if groups <= MOST_GROUPS_WITH_ARIMA:
        found.append(Candidate(name="AutoARIMA", make=lambda: models.AutoARIMA(season_length=period)))
    return found


def baseline(length: int, season: int) -> str:
    """The model that others are measured against."""
    return "SeasonalNaive" if season > 1 and length >= 2 * season else "Naive"
