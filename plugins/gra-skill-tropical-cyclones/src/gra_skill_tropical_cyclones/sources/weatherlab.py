"""Source ``cyclone-forecasts=weather-lab``: forecast tracks that Google DeepMind publishes as CSV.

File format: licence lines that start with ``#``, then a header; times are UTC without a zone; sample −1 is the
ensemble mean; longitudes may run to 360; lead times read ``5 days 06:00:00``.
"""

from __future__ import annotations

import io
from typing import Any

import pandas as pd

from gra_core import SourceSettings, ToolError
from gra_geo.protocols import FORECAST_COLUMNS, QUADRANTS, WINDS_KT
from gra_geo.rest import Hints, RestService

DEFAULT_MODEL = "FNV3"
_COLUMNS = {
    "track_id": "storm_id", "maximum_sustained_wind_speed_knots": "wind_kt", "minimum_sea_level_pressure_hpa": "pressure_hpa",
    "radius_of_maximum_winds_km": "rmw_km",
}  # fmt: skip
_COLUMNS |= {f"radius_{w}_knot_winds_{q}_km": f"r{w}_{q}_km" for w in WINDS_KT for q in QUADRANTS}
_NEEDED = ("track_id", "sample", "valid_time", "lat", "lon")


class WeatherLab:
    """A `CycloneForecastSource`; the setting `model` chooses the model (FNV3, WNV3, FNV3_LARGE_ENSEMBLE, GENC…)."""

    def __init__(self, settings: SourceSettings) -> None:
        self._rest = RestService(
            settings,
            service="Weather Lab",
            agent="gra-skill-tropical-cyclones",
            hints=Hints(less="wait a minute"),
        )
        self.model = str(settings.get("model", DEFAULT_MODEL))

    def products(self) -> list[str]:
        return ["ensemble_mean", "ensemble"]

    def forecast(self, *, init_time: str, product: str) -> pd.DataFrame:
        """Tracks of one run, of storms that exist at its start; ``not_found`` when there is no such run."""
        if product not in self.products():
            raise ToolError(
                "bad_argument",
                f"Weather Lab has no product {product!r}",
                hint=f"products: {', '.join(self.products())}",
            )
        start = pd.Timestamp(init_time)
        file = f"{self.model}_{start:%Y_%m_%dT%H_%M}_paired.csv"
        try:
            text = self._rest.text(f"/{self.model}/{product}/paired/csv/{file}")
        except ToolError as error:
            if error.kind != "not_found":
                raise
            raise ToolError(
                "not_found",
                f"Weather Lab has no {product} run of {self.model} at {start:%Y-%m-%d %H:%M} UTC",
                hint="runs start at 00, 06, 12 and 18 UTC",
            ) from None
        return read_tracks(text, start)


def read_tracks(text: str, init_time: pd.Timestamp) -> pd.DataFrame:
    """A file's text as a table, columns `FORECAST_COLUMNS` and the radii: wind kt, radii km, longitudes −180 to 180."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    try:
        raw = pd.read_csv(io.StringIO(body), dtype={"track_id": str})
    except (ValueError, pd.errors.ParserError) as error:
        raise ToolError(
            "upstream", f"Weather Lab sent something else than CSV: {error}", hint="try again later"
        ) from error
    if missing := [c for c in _NEEDED if c not in raw.columns]:
        raise ToolError(
            "upstream",
            f"Weather Lab's file has no column {', '.join(missing)}",
            hint="its format changed: report it",
        )
    frame = raw.rename(columns=_COLUMNS)
    frame["init_time"] = pd.to_datetime(frame["init_time"]) if "init_time" in frame else init_time
    frame["valid_time"] = pd.to_datetime(frame["valid_time"])
    frame["lead_hours"] = (frame["valid_time"] - frame["init_time"]) / pd.Timedelta(hours=1)
    frame["lon"] = (frame["lon"] + 180.0) % 360.0 - 180.0
    wanted: list[Any] = [
        *FORECAST_COLUMNS,
        *(c for c in _COLUMNS.values() if c.startswith("r") and c not in FORECAST_COLUMNS),
    ]
    frame = frame.reindex(columns=wanted).dropna(subset=["lon", "lat"])
    return frame.sort_values(["storm_id", "sample", "valid_time"], ignore_index=True)
