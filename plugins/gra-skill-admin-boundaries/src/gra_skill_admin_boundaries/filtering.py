"""Regions chosen by how they lie to a mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import geopandas as gpd
import numpy as np
import shapely

from gra_core import ToolError
from gra_geo.geodesy import area_m2

PREDICATES: dict[str, Callable[[Any, Any], Any]] = {
    "intersects": shapely.intersects,
    "within": shapely.covered_by,
    "contains": shapely.covers,
    "touches": shapely.touches,
    "overlaps": shapely.overlaps,
    "disjoint": shapely.disjoint,
}
WITHOUT_OVERLAP = ("touches", "disjoint")


def select(
    regions: gpd.GeoDataFrame, mask: gpd.GeoDataFrame, predicate: str, min_overlap: float = 0.0
) -> gpd.GeoDataFrame:
    """The regions that stand in a relation to the union of the mask, with a column ``overlap_share``.

    Both frames are EPSG:4326 and cut at the 180th meridian. ``within`` and ``contains`` let borders coincide. The share
    is the geodesic area of region and mask together over the region's own (1 for a point or line in the mask); regions
    with less than `min_overlap` are left out. Relations are judged on straight edges in longitude and latitude.
    """
    if min_overlap > 0 and predicate in WITHOUT_OVERLAP:
        raise ToolError(
            "bad_argument",
            f"min_overlap {min_overlap:g} cannot be met by predicate {predicate!r}",
            hint="use predicate intersects",
        )
    shape = shapely.union_all(mask.geometry.to_numpy())
    shapely.prepare(shape)
    chosen = regions[PREDICATES[predicate](regions.geometry.to_numpy(), shape)].copy()
    chosen["overlap_share"] = _shares(chosen.geometry.to_numpy(), shape)
    if min_overlap > 0:
        chosen = chosen[chosen["overlap_share"] >= min_overlap]
    return chosen.reset_index(drop=True)


def _shares(regions: np.ndarray, mask: shapely.Geometry) -> np.ndarray:
    """Share of each region's area that lies in the mask. Only regions that cross its border are cut."""
    shares = np.where(shapely.covered_by(regions, mask), 1.0, 0.0)
    partly = np.flatnonzero(
        (shares == 0.0) & shapely.intersects(regions, mask) & (shapely.get_dimensions(regions) == 2)
    )
    if len(partly):
        common = shapely.intersection(regions[partly], mask)
        shares[partly] = np.clip(area_m2(common) / area_m2(regions[partly]), 0.0, 1.0)
    return shares
