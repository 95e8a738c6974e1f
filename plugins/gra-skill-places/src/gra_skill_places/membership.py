"""Which region a place belongs to."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

# Where a place table says itself what a place belongs to, by level of region.
OWN = {"country": "country", "state": "state_id", "county": "county_id"}
RULE = (
    "a place belongs to the region that its source assigns it to, else to the region that its coordinates lie in; "
    "a place on a shared border is counted once, in the region with the smaller id"
)


def memberships(places: pd.DataFrame, regions: gpd.GeoDataFrame) -> pd.DataFrame:
    """Pairs of place and region (row numbers in columns ``place`` and ``region``), in order.

    A place's own codes (`OWN`) decide for regions of that level; they keep a harbour town in its county where a
    generalised coast leaves it in the water. Places without a code, and regions of other levels, go by coordinates:
    a place inside overlapping regions belongs to each, a place only on borders to the one with the smallest id.
    """
    pairs = []
    levels = regions["level"].to_numpy() if "level" in regions else np.full(len(regions), "")
    for level in pd.unique(levels):
        members = np.flatnonzero(levels == level)
        own = _own(places, level)
        known = own != ""
        pairs.append(_by_code(own, known, regions, members, level))
        pairs.append(_by_position(places, ~known, regions, members))
    found = pd.concat(pairs, ignore_index=True)
    on_border = found[~found["inside"]]
    ids = regions["region_id"].astype(str).to_numpy()
    first = (
        on_border.assign(id=ids[on_border["region"]])
        .sort_values("id", kind="stable")
        .drop_duplicates("place")
    )
    kept = pd.concat([found[found["inside"]], first])[["place", "region"]]
    return kept.sort_values(["place", "region"], kind="stable").reset_index(drop=True)


def _own(places: pd.DataFrame, level: str) -> np.ndarray:
    column = OWN.get(level, "")
    if column not in places:
        return np.full(len(places), "", dtype=object)
    return places[column].fillna("").astype(str).to_numpy(dtype=object)


def _by_code(
    own: np.ndarray, known: np.ndarray, regions: gpd.GeoDataFrame, members: np.ndarray, level: str
) -> pd.DataFrame:
    column = "country" if level == "country" and "country" in regions else "region_id"
    row_of = {str(code): int(row) for row, code in zip(members, regions[column].iloc[members], strict=True)}
    rows = np.array(
        [row_of.get(code, -1) if k else -1 for code, k in zip(own, known, strict=True)], dtype=int
    )
    hit = rows >= 0
    return pd.DataFrame({"place": np.flatnonzero(hit), "region": rows[hit], "inside": True})


def _by_position(
    places: pd.DataFrame, wanted: np.ndarray, regions: gpd.GeoDataFrame, members: np.ndarray
) -> pd.DataFrame:
    numbers = np.flatnonzero(wanted)
    points = shapely.points(places["lon"].to_numpy(float)[numbers], places["lat"].to_numpy(float)[numbers])
    shapes = regions.geometry.to_numpy()[members]
    at, within = shapely.STRtree(shapes).query(points, predicate="intersects")
    inside = shapely.contains_properly(shapes[within], points[at])
    return pd.DataFrame({"place": numbers[at], "region": members[within], "inside": inside})
