"""Source ``cyclones``/``atlas``: the IBTrACS extract."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gra_atlas.files import Once, data_file
from gra_core import ToolError

BASINS = ("NA", "EP", "WP", "NI", "SI", "SP", "SA")


def _load() -> pd.DataFrame:
    """By storm and time. `category` is ``Int64`` with gaps, `name` "" where the extract has none."""
    table = pd.read_parquet(data_file("cyclones.parquet"))
    return table.astype({"season": "int64", "category": "Int64", "wind_kt": float, "pressure_hpa": float})


table = Once(_load)


class AtlasCyclones:
    """Best tracks 1980-2024; see `gra_geo.protocols`.

    `wind_kt` is the 1-minute mean of the US agencies; beside the protocol's columns: `agency`, `wmo_wind_kt` and
    `wmo_pressure_hpa` (the responsible WMO agency's, of another averaging time).
    """

    def __init__(self, settings: Any = None) -> None:
        """`settings` (`gra_core.SourceSettings`) has nothing to set."""

    def coverage(self) -> dict[str, Any]:
        """First and last season, storms per basin of origin, averaging time of winds, what has names."""
        storms = table().drop_duplicates("storm_id")
        basins = storms["basin"].value_counts()
        return {
            "first_season": int(storms["season"].min()), "last_season": int(storms["season"].max()),
            "storms": len(storms), "basins": {basin: int(basins.get(basin, 0)) for basin in BASINS},
            "wind_averaging_min": 1, "interval_hours": 6, "named_storms": int((storms["name"] != "").sum()),
            "names": "Atlantic storms of 1980 to 2021",
        }  # fmt: skip

    def fixes(
        self,
        *,
        seasons: list[int] | None = None,
        name: str = "",
        storm_ids: list[str] | None = None,
        basin: str = "",
        bbox: list[float] | None = None,
    ) -> pd.DataFrame:
        """Whole storms that fit every argument; in a basin or box when one of their fixes is."""
        fixes = table()
        chosen = np.ones(len(fixes), dtype=bool)
        if seasons is not None:
            chosen &= fixes["season"].isin(seasons).to_numpy()
        if name.strip():
            chosen &= (fixes["name"] == name.strip().upper()).to_numpy()
        if storm_ids is not None:
            chosen &= fixes["storm_id"].isin([str(storm).strip().upper() for storm in storm_ids]).to_numpy()
        storms = set(fixes["storm_id"][chosen])
        if basin:
            storms &= set(fixes["storm_id"][chosen & (fixes["basin"] == _basin(basin)).to_numpy()])
        if bbox is not None:
            storms &= set(fixes["storm_id"][chosen & _inside(fixes, bbox)])
        return fixes[chosen & fixes["storm_id"].isin(storms).to_numpy()].reset_index(drop=True)


def _basin(basin: str) -> str:
    if basin.upper() not in BASINS:
        raise ToolError(
            "bad_argument", f"unknown basin {basin!r}", hint=f"IBTrACS basins: {', '.join(BASINS)}"
        )
    return basin.upper()


def _inside(fixes: pd.DataFrame, bbox: list[float]) -> np.ndarray:
    """Fixes in ``[west, south, east, north]``; west > east means across the antimeridian."""
    if len(bbox) != 4 or not np.isfinite(bbox).all() or bbox[1] > bbox[3]:
        raise ToolError("bad_argument", f"bbox {bbox}: expected [west, south, east, north] in degrees")
    west, south, east, north = bbox
    lon, lat = fixes["lon"].to_numpy(), fixes["lat"].to_numpy()
    in_lon = (lon >= west) & (lon <= east) if west <= east else (lon >= west) | (lon <= east)
    return in_lon & (lat >= south) & (lat <= north)
