"""What sources of this skill's own kinds offer. Light: nothing heavy is imported here.

Operations take keyword arguments that are JSON-ready and raise `gra_core.ToolError`. Kind ``cyclones`` (best tracks)
is described in `gra_geo.protocols`; its sources may add the columns `RADII_COLUMNS`, ``rmw_km`` and ``atcf_id``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pandas as pd

QUADRANTS = ("ne", "se", "sw", "nw")
WINDS_KT = (34, 50, 64)
RADII_COLUMNS = tuple(f"r{wind}_{quadrant}_km" for wind in WINDS_KT for quadrant in QUADRANTS)
ADVISORY_COLUMNS = (
    "storm_id", "name", "basin", "classification", "time", "lon", "lat", "wind_kt", "pressure_hpa", "direction_deg", "speed_kt", "advisory", "url",
)  # fmt: skip
FORECAST_COLUMNS = (
    "storm_id",
    "sample",
    "init_time",
    "valid_time",
    "lead_hours",
    "lon",
    "lat",
    "wind_kt",
    "pressure_hpa",
    "rmw_km",
)


class CycloneAdvisorySource(Protocol):
    """Kind ``cyclone-advisories``: storms that a warning centre follows now."""

    def basins(self) -> list[str]:
        """The basins it covers (IBTrACS codes: NA, EP, WP, NI, SI, SP, SA)."""
        ...

    def active(self) -> pd.DataFrame:
        """The storms of the latest advisories, columns `ADVISORY_COLUMNS` (times UTC, wind 1-minute mean)."""
        ...


class CycloneForecastSource(Protocol):
    """Kind ``cyclone-forecasts``: forecast tracks of a model."""

    def products(self) -> list[str]:
        """The products it has, such as ensemble_mean and ensemble."""
        ...

    def forecast(self, *, init_time: str, product: str) -> pd.DataFrame:
        """Tracks of all storms of one model run (ISO time, UTC), columns `FORECAST_COLUMNS` and `RADII_COLUMNS`;
        `sample` numbers the members (−1 for the mean). ``not_found`` when there is no such run.
        """
        ...
