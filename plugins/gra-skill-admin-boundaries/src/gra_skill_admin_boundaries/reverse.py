"""Which regions a point lies in."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import pandas as pd
from attrs import frozen

from gra_skill_admin_boundaries.levels import level_named


@frozen(kw_only=True)
class Located:
    """`table` has a row a point: point, lon, lat and for each level ``<level>_id`` and ``<level>_name`` ("" for none)."""

    table: pd.DataFrame
    levels: list[str]
    notes: list[str]

    @property
    def nowhere(self) -> list[int]:
        """The points that lie in no region of any of the levels."""
        ids = self.table[[f"{level}_id" for level in self.levels]]
        return [int(p) for p in self.table["point"][(ids == "").all(axis=1)]]


def locate(source: Any, points: gpd.GeoDataFrame, levels: list[str]) -> Located:
    """The region of each level (default: every level of the source) at each point.

    A point on the border of two regions is given to the one with the smaller id, and a note says so.
    """
    known = source.levels()
    wanted = list(dict.fromkeys(level_named(level, known) for level in levels)) or list(known)
    pairs = [[float(p.x), float(p.y)] for p in points.geometry]
    found = source.containing(points=pairs, levels=wanted).sort_values(["point", "region_id"])
    shared = found[found.duplicated(["point", "level"])]
    found = found.drop_duplicates(["point", "level"])
    table = pd.DataFrame(
        {"point": range(len(pairs)), "lon": [p[0] for p in pairs], "lat": [p[1] for p in pairs]}
    )
    for level in wanted:
        here = found[found["level"] == level].set_index("point")
        for column, values in (("id", here["region_id"]), ("name", here["name"])):
            table[f"{level}_{column}"] = table["point"].map(values).fillna("").astype(object)
    numbers = ", ".join(str(p) for p in sorted(set(shared["point"]))[:20])
    notes = [f"points on a border, given to the region with the smaller id: {numbers}"] if len(shared) else []
    return Located(table=table, levels=wanted, notes=notes)
