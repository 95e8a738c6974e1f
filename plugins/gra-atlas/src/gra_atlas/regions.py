"""The tables of regions, read once: attributes (quick) apart from geometries."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from gra_atlas.files import Once, data_file
from gra_atlas.names import NameIndex
from gra_core import ToolError

LEVELS = ("country", "state", "county")
ROOT = "Earth"
SHOWN = [
    "region_id", "name", "level", "country", "parent_id", "parent_name", "short_name", "fips", "code", "continent",
]  # fmt: skip
FILES = ("regions_us.parquet", "regions_world.parquet")


class Regions:
    """All regions of the atlas. `table` has their attributes, in the order of the files."""

    def __init__(self) -> None:
        parts = [pd.read_parquet(data_file(name), columns=[*SHOWN, "aliases"]) for name in FILES]
        counts = [len(part) for part in parts]
        self.table = pd.concat(parts, ignore_index=True).astype(object)
        self._first_row = dict(zip(FILES, np.cumsum([0, *counts]), strict=False))
        self.row = {str(region): row for row, region in enumerate(self.table["region_id"])}
        self.names = Once(lambda: NameIndex(self.table["name"], self.table["aliases"]))
        self._shapes = {name: Once(partial(_geometries, name)) for name in FILES}
        self._trees = {level: Once(partial(self._make_tree, level)) for level in LEVELS}
        self._parents = self.table["parent_id"].to_numpy(dtype=object)
        self._levels = self.table["level"].to_numpy(dtype=object)

    def rows_of_level(self, level: str) -> np.ndarray:
        return np.flatnonzero(self._levels == level)

    def tree(self, level: str) -> shapely.STRtree:
        """A spatial index of `rows_of_level`."""
        return self._trees[level]()

    def _make_tree(self, level: str) -> shapely.STRtree:
        return shapely.STRtree(self.shapes(self.rows_of_level(level)))

    def shapes(self, rows: Iterable[int]) -> np.ndarray:
        """Geometries of rows; only the files that hold them are read."""
        rows = np.asarray(rows, dtype=int)
        shapes = np.empty(len(rows), dtype=object)
        first = {**self._first_row, "": len(self.table)}
        for name, following in zip(FILES, (*FILES[1:], ""), strict=True):
            mine = (rows >= first[name]) & (rows < first[following])
            if mine.any():
                shapes[mine] = self._shapes[name]()[rows[mine] - first[name]]
        return shapes

    def frame(self, rows: Iterable[int]) -> gpd.GeoDataFrame:
        """Rows with geometry as a new GeoDataFrame in EPSG:4326."""
        rows = np.asarray(rows, dtype=int)
        attributes = self.table.iloc[rows][SHOWN].reset_index(drop=True)
        return gpd.GeoDataFrame(attributes, geometry=self.shapes(rows), crs="EPSG:4326")

    def inside(self, parent: str) -> np.ndarray:
        """Which rows lie below a region, at any depth."""
        if parent == ROOT:
            return np.ones(len(self.table), dtype=bool)
        found = self._parents == parent
        below = set(self.table["region_id"][found])
        while below:
            deeper = np.isin(self._parents, list(below)) & ~found
            found |= deeper
            below = set(self.table["region_id"][deeper])
        return found

    def require(self, region_ids: Iterable[str]) -> list[int]:
        """Rows of ids, in order; `ToolError` ``not_found`` names those that the atlas has not."""
        wanted = [str(region) for region in region_ids]
        if missing := [region for region in wanted if region not in self.row]:
            listed = ", ".join(missing[:10]) + (f" and {len(missing) - 10} more" if len(missing) > 10 else "")
            raise ToolError(
                "not_found",
                f"the atlas has no region {listed}",
                hint="ids look like country/FRA, geoId/31, geoId/31147 or iso3166-2/BR-SP; find them by name with find_regions",
            )
        return [self.row[region] for region in wanted]

    def next_level(self, parent: str) -> str:
        """The level below a region; "" below the last."""
        level = "" if parent == ROOT else str(self._levels[self.require([parent])[0]])
        following = LEVELS[LEVELS.index(level) + 1 :] if level else LEVELS
        return following[0] if following else ""

    def members(self, parent: str, level: str = "") -> np.ndarray:
        """Rows of a level inside a parent (default: the next level), by id."""
        level = level or self.next_level(parent)
        if parent != ROOT:
            self.require([parent])
        rows = np.flatnonzero(self.inside(parent) & (self._levels == check_level(level)))
        return rows[np.argsort(self.table["region_id"].to_numpy(dtype=str)[rows], kind="stable")]


def check_level(level: str) -> str:
    """A level that exists ("" passes); ``bad_argument`` lists them."""
    if level and level not in LEVELS:
        raise ToolError(
            "bad_argument", f"unknown level {level!r}", hint=f"levels of the atlas: {', '.join(LEVELS)}"
        )
    return level


def _geometries(name: str) -> np.ndarray:
    table = pd.read_parquet(data_file(name), columns=["geometry"])
    return shapely.from_wkb(table["geometry"].to_numpy())


regions = Once(Regions)
