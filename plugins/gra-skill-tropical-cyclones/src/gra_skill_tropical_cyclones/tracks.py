"""Tracks of storms as tables and lines."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from gra_core import ToolContext, ToolError
from gra_geo.antimeridian import cut
from gra_skill_tropical_cyclones.category import HIGHEST, LOWEST, label

CATEGORY_NOTE = "categories follow the Saffir-Simpson scale (1-minute wind); other agencies' scales differ"


def load_fixes(ctx: ToolContext, **filters: Any) -> pd.DataFrame:
    """Fixes from the active source of kind ``cyclones``, by storm and time, without repeats."""
    frame = ctx.source("cyclones").fixes(**filters)
    frame = frame.dropna(subset=["lon", "lat", "time"]).drop_duplicates(["storm_id", "time"])
    return frame.sort_values(["storm_id", "time"], ignore_index=True)


def one_storm(ctx: ToolContext, storm: str) -> pd.DataFrame:
    """The fixes of the storm that an id, or a name with its season ("Katrina 2005"), means; never a guess."""
    text = storm.strip()
    if not text:
        raise ToolError(
            "bad_argument",
            "storm_id is empty",
            hint="give an id from find_historical_storms, or a name with its year",
        )
    frame = load_fixes(ctx, storm_ids=[text])
    name, _, year = text.rpartition(" ")
    if frame.empty and name and year.isdigit():
        frame = load_fixes(ctx, name=name, seasons=[int(year)])
    elif frame.empty:
        frame = load_fixes(ctx, name=text)
    found = frame.drop_duplicates("storm_id")
    if frame.empty:
        raise ToolError(
            "not_found",
            f"source {ctx.source('cyclones').name} has no storm {storm!r}",
            hint="find storms with find_historical_storms",
        )
    if len(found) > 1:
        shown = ", ".join(
            f"{r.storm_id} ({r.name_} {r.season}, {r.basin})"
            for r in found.rename(columns={"name": "name_"}).head(20).itertuples()
        )
        raise ToolError(
            "bad_argument", f"{storm!r} may mean {len(found)} storms", hint=f"give one of these ids: {shown}"
        )
    return frame


def summaries(fixes: pd.DataFrame) -> pd.DataFrame:
    """One row a storm: name, season, basins, first and last time, strongest wind and category, lowest pressure."""
    grouped = fixes.groupby("storm_id", sort=True)
    table = pd.DataFrame(
        {
            "name": grouped["name"].agg(lambda s: next((str(v) for v in s if isinstance(v, str) and v), "")),
            "season": grouped["season"].first(),
            "basin": grouped["basin"].agg(lambda s: "/".join(dict.fromkeys(map(str, s)))),
            "start": grouped["time"].min(),
            "end": grouped["time"].max(),
            "max_wind_kt": grouped["wind_kt"].max(),
            "max_category": grouped["category"].max().fillna(LOWEST).astype(int),
            "min_pressure_hpa": grouped["pressure_hpa"].min(),
        }
    )
    return table.reset_index()


def lines(fixes: pd.DataFrame) -> gpd.GeoSeries:
    """Track of each storm in EPSG:4326, cut at the 180th meridian; a storm with one fix is a point."""
    tracks = {
        str(storm): _line(group[["lon", "lat"]].to_numpy(float))
        for storm, group in fixes.groupby("storm_id", sort=True)
    }
    return gpd.GeoSeries(tracks, crs="EPSG:4326")


def _line(lonlat: np.ndarray) -> shapely.Geometry:
    return shapely.Point(lonlat[0]) if len(lonlat) == 1 else cut(shapely.LineString(lonlat))


def check_category(category: int) -> int:
    """A category of the scale, or ``bad_argument``."""
    if not LOWEST <= category <= HIGHEST:
        raise ToolError(
            "bad_argument",
            f"category {category}: expected -5 to 5",
            hint="1 to 5 are hurricanes, 0 is a tropical storm, -1 a depression",
        )
    return category


def by_category(categories: Any) -> dict[str, int]:
    """How many storms of each category, strongest first, in words."""
    counts = pd.Series(list(categories), dtype=int).value_counts().sort_index(ascending=False)
    return {label(int(c)): int(n) for c, n in counts.items()}


def averaging_notes(coverage: dict[str, Any]) -> list[str]:
    """A warning when the source's winds are not 1-minute means."""
    minutes = coverage.get("wind_averaging_min")
    if minutes in (None, 1):
        return []
    return [
        f"winds of this source are {minutes}-minute means, about a tenth lower than 1-minute ones: categories are too low"
    ]
