"""Kinds ``cyclones`` (best tracks), ``cyclone-advisories`` and ``cyclone-forecasts``.

Winds are 1-minute means in knots, times UTC without a zone, longitudes −180 to 180, basins IBTrACS codes (NA, EP, WP,
NI, SI, SP, SA).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pandas as pd

FIX_COLUMNS = (
    "storm_id", "name", "season", "basin", "time", "lon", "lat", "wind_kt", "pressure_hpa", "status", "category",
)  # fmt: skip
ADVISORY_COLUMNS = (
    "storm_id", "name", "basin", "classification", "time", "lon", "lat", "wind_kt", "pressure_hpa", "direction_deg",
    "speed_kt", "advisory", "url",
)  # fmt: skip
FORECAST_COLUMNS = (
    "storm_id", "sample", "init_time", "valid_time", "lead_hours", "lon", "lat", "wind_kt", "pressure_hpa", "rmw_km",
)  # fmt: skip
QUADRANTS = ("ne", "se", "sw", "nw")
WINDS_KT = (34, 50, 64)
# Reach of winds of at least so many knots, by quadrant.
RADII_COLUMNS = tuple(f"r{wind}_{quadrant}_km" for wind in WINDS_KT for quadrant in QUADRANTS)


class CycloneSource(Protocol):
    """Best tracks."""

    def coverage(self) -> dict[str, Any]:
        """first_season, last_season, basins, storms, wind_averaging_min, radii (whether radii are recorded)."""
        ...

    def fixes(
        self,
        *,
        seasons: list[int] | None = None,
        name: str = "",
        storm_ids: list[str] | None = None,
        basin: str = "",
        bbox: list[float] | None = None,
    ) -> pd.DataFrame:
        """Track fixes, columns `FIX_COLUMNS` (category −5…5 on the Saffir-Simpson scale), whole storms only (a storm with
        one fix in the box is given whole), by storm and time. Some sources add `RADII_COLUMNS`, ``rmw_km``, ``atcf_id``.
        """
        ...  # fmt: skip


class CycloneAdvisorySource(Protocol):
    """Storms that a warning centre follows now."""

    def basins(self) -> list[str]:
        """The basins it covers."""
        ...

    def active(self) -> pd.DataFrame:
        """The storms of the latest advisories, columns `ADVISORY_COLUMNS`; none out of season."""
        ...


class CycloneForecastSource(Protocol):
    """Forecast tracks of a model."""

    def products(self) -> list[str]:
        """The products it has, such as ensemble_mean and ensemble."""
        ...

    def forecast(self, *, init_time: str, product: str) -> pd.DataFrame:
        """Tracks of all storms of one model run (ISO time, UTC), columns `FORECAST_COLUMNS` and `RADII_COLUMNS`;
        `sample` numbers the members (−1 for the mean). ``not_found`` when there is no such run.
        """
        ...
