"""The region argument of the tools, and the area that a source is asked about."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import pandas as pd
import shapely
from attrs import frozen

from gra_core import ToolContext, ToolError
from gra_geo import antimeridian
from gra_geo.frames import labelled
from gra_geo.inputs import read_regions
from gra_geo.lookup import meant
from gra_geo.names import is_id

PADDING_DEG = 0.1
MANY = 1000


@frozen(kw_only=True)
class Area:
    """Regions to search in, with notes on how they were read."""

    regions: gpd.GeoDataFrame
    notes: list[str]

    @property
    def country(self) -> str:
        """ISO code when the area is exactly one country: sources know a place's country better than any polygon does."""
        if (
            len(self.regions) != 1
            or "level" not in self.regions
            or self.regions["level"].iloc[0] != "country"
        ):
            return ""
        return str(self.regions["country"].iloc[0])

    def exact(self) -> dict[str, Any]:
        """The regions together as one GeoJSON geometry: what a live source is asked about."""
        return shapely.geometry.mapping(shapely.union_all(self.regions.geometry.to_numpy()))

    def around(self) -> dict[str, Any]:
        """Padded boxes around the regions: they also hold places just off a generalised coast, and are short to record."""
        west, south, east, north = antimeridian.bounds_of(self.regions.geometry)
        padded = (
            max(west - PADDING_DEG, -180.0),
            max(south - PADDING_DEG, -90.0),
            min(east + PADDING_DEG, 180.0),
            min(north + PADDING_DEG, 90.0),
        )
        return shapely.geometry.mapping(antimeridian.box(*padded))


def read_area(ctx: ToolContext, region: Any) -> Area:
    """Regions from a reference, ids, GeoJSON or, here, names (one region each, else `ToolError` with the candidates)."""
    if isinstance(region, str) and not region.lstrip().startswith(("ds:", "{", "[")):
        region = [region]
    notes: list[str] = []
    if isinstance(region, list) and all(isinstance(item, str) for item in region):
        region = [item if _is_id(item) else _id_of(ctx, item, notes) for item in region]
    read = read_regions(ctx, region)
    return Area(regions=labelled(read.frame, "region_id"), notes=[*notes, *read.notes])


def regions_named(ctx: ToolContext, name: str) -> pd.DataFrame:
    """All regions of a name or code, those of the very name before those that have it as another name."""
    return meant(ctx.source("boundaries").find(name=name, limit=MANY))


def _id_of(ctx: ToolContext, name: str, notes: list[str]) -> str:
    found = regions_named(ctx, name.strip())
    if found.empty:
        raise ToolError(
            "not_found",
            f"no region is named {name!r}",
            hint="look it up with find_regions, or give a region id such as geoId/31",
        )
    if len(found) > 1:
        listed = ", ".join(
            f"{r.region_id} ({r.level} in {r.parent_name})" for r in found.head(8).itertuples(index=False)
        )
        raise ToolError("bad_argument", f"{name!r} names {len(found)} regions", hint=f"give one id: {listed}")
    row = found.iloc[0]
    notes.append(f"{name!r} was read as {row['name']} ({row['region_id']})")
    return str(row["region_id"])


def _is_id(text: str) -> bool:
    return text.startswith("ds:") or is_id(text)
