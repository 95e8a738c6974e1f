"""Source ``boundaries``/``atlas``."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from gra_atlas.regions import LEVELS, ROOT, SHOWN, Regions, check_level, regions
from gra_core import ToolError
from gra_geo.names import MATCHES


class AtlasBoundaries:
    """US states and counties, countries, and states of Australia, Brazil and Canada; see `gra_geo.protocols`."""

    def __init__(self, settings: Any = None) -> None:
        """`settings` (`gra_core.SourceSettings`) has nothing to set."""

    def levels(self) -> dict[str, int]:
        """Level to number of regions, largest level first."""
        counts = regions().table["level"].value_counts()
        return {level: int(counts[level]) for level in LEVELS}

    def find(
        self, *, name: str = "", level: str = "", country: str = "", parent: str = "", limit: int = 20
    ) -> pd.DataFrame:
        """Candidates, best match first; equally good ones by level (largest first), name and id.

        Without a name: all regions that fit the other arguments. ``attrs["total"]`` is the number before `limit`.
        """
        atlas = regions()
        keep = _kept(atlas, check_level(level), country, parent)
        if name.strip():
            rows, ranks = atlas.names().match(name)
        else:
            rows, ranks = np.arange(len(atlas.table)), np.zeros(len(atlas.table), dtype=int)
        rows, ranks = rows[keep[rows]], ranks[keep[rows]]
        found = atlas.table.iloc[rows][SHOWN].reset_index(drop=True)
        found["match"] = [MATCHES[rank] for rank in ranks] if name.strip() else ""
        order = pd.DataFrame(
            {
                "rank": ranks,
                "level": found["level"].map(LEVELS.index),
                "name": found["name"],
                "id": found["region_id"],
            }
        )
        found = found.iloc[order.sort_values(["rank", "level", "name", "id"]).index].reset_index(drop=True)
        total = len(found)
        found = found.head(limit)
        found.attrs["total"] = total
        return found

    def get(self, *, region_ids: list[str]) -> gpd.GeoDataFrame:
        """Regions in the order asked, with geometry."""
        atlas = regions()
        return atlas.frame(atlas.require(region_ids))

    def children(self, *, parent_id: str, level: str = "") -> gpd.GeoDataFrame:
        """The regions of a level inside a parent (default: the next level), by id; ``Earth`` has all countries."""
        atlas = regions()
        return atlas.frame(atlas.members(parent_id, level))

    def containing(self, *, points: list[list[float]], levels: list[str]) -> pd.DataFrame:
        """The region of each level at each point; a point on a border has a row for each region that shares it."""
        atlas, xy = regions(), _coordinates(points)
        parts = []
        for level in [check_level(level) for level in levels] or list(LEVELS):
            rows = atlas.rows_of_level(level)
            at, which = atlas.tree(level).query(shapely.points(xy), predicate="intersects")
            found = atlas.table.iloc[rows[which]][SHOWN].reset_index(drop=True)
            found.insert(0, "point", at)
            parts.append(found)
        table = pd.concat(parts, ignore_index=True)
        rank = table["level"].map(LEVELS.index)
        order = table.assign(rank=rank).sort_values(["point", "rank", "region_id"]).index
        return table.loc[order].reset_index(drop=True)


def _kept(atlas: Regions, level: str, country: str, parent: str) -> np.ndarray:
    keep = np.ones(len(atlas.table), dtype=bool)
    if level:
        keep &= (atlas.table["level"] == level).to_numpy()
    if country:
        keep &= (atlas.table["country"] == country.upper()).to_numpy()
    if parent:
        if parent != ROOT:
            atlas.require([parent])
        keep &= atlas.inside(parent)
    return keep


def _coordinates(points: list[list[float]]) -> np.ndarray:
    try:
        xy = np.asarray(points, dtype=float).reshape(len(points), 2)
    except ValueError:
        raise ToolError("bad_argument", "points must be [longitude, latitude] pairs") from None
    wrong = ~(np.isfinite(xy).all(axis=1) & (np.abs(xy) <= [180.0, 90.0]).all(axis=1))
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        raise ToolError(
            "bad_argument",
            f"point {index} is {points[index]}: longitude must be -180 to 180 and latitude -90 to 90",
            hint="points are [longitude, latitude], longitude first",
        )
    return xy
