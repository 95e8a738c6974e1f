"""Past storms near a region."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pandas as pd

from gra_core import ToolContext
from gra_geo.antimeridian import bounds_of, wrap
from gra_skill_tropical_cyclones.approach import closest_approaches
from gra_skill_tropical_cyclones.region import Region
from gra_skill_tropical_cyclones.tracks import lines, load_fixes, summaries

# A track may pass a box between two fixes: no storm moves farther in half a day.
MARGIN_KM = 800.0
KM_PER_DEG = 111.0
COLUMNS = [
    "storm_id", "name", "season", "basin", "distance_km", "time", "lon", "lat", "wind_kt", "wind_near_kt", "category_near", "wind_before_kt", "category_before", "fixes_near",
    "max_wind_kt", "max_category", "min_pressure_hpa", "start", "end",
]  # fmt: skip


def find_storms(
    ctx: ToolContext, region: Region, first: int, last: int, within_km: float, basin: str = ""
) -> gpd.GeoDataFrame:
    """Storms whose closest approach to a region was within a distance and in the calendar years `first` to `last`
    (UTC), by time of the approach, with columns `COLUMNS` and their tracks.

    Southern seasons are named after the year they end in, so the neighbouring seasons are searched too.
    """
    seasons = list(range(first - 1, last + 2))
    fixes = load_fixes(ctx, seasons=seasons, basin=basin, bbox=search_box(region, within_km))
    found = closest_approaches(fixes, region, within_km * 1000.0)
    found = found[pd.to_datetime(found["time"]).dt.year.between(first, last)] if len(found) else found
    mine = fixes[fixes["storm_id"].isin(found["storm_id"])]
    table = (
        found.merge(summaries(mine), on="storm_id", how="left")
        if len(found)
        else pd.DataFrame(columns=COLUMNS)
    )
    table = table.reindex(columns=COLUMNS).sort_values(["time", "storm_id"], ignore_index=True)
    tracks = lines(mine).reindex(table["storm_id"]).to_numpy() if len(table) else []
    return gpd.GeoDataFrame(table, geometry=gpd.GeoSeries(tracks, crs="EPSG:4326"), crs="EPSG:4326")


def search_box(region: Region, within_km: float) -> list[float]:
    """A box (west > east across the 180th meridian) that some fix of every track near the region lies in."""
    west, south, east, north = bounds_of([region.geometry])
    reach = (within_km + MARGIN_KM) / KM_PER_DEG
    south, north = max(-90.0, south - reach), min(90.0, north + reach)
    widest = max(abs(south), abs(north))
    sideways = reach / np.cos(np.radians(min(widest, 89.0)))
    width = (east - west) % 360.0 if east < west else east - west
    if width + 2 * sideways >= 360.0 or widest > 85.0:
        return [-180.0, south, 180.0, north]
    return [float(wrap(west - sideways)), south, float(wrap(east + sideways)), north]
