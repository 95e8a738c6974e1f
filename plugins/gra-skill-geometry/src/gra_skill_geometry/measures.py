"""Sizes and positions of features as a table."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from gra_core import Column
from gra_geo.antimeridian import bounds_of
from gra_geo.geodesy import area_m2, centroids, length_m, perimeter_m

UNITS = {
    "area_km2": Column(unit="km2", quantity="count"),
    "perimeter_km": Column(unit="km"),
    "length_km": Column(unit="km", quantity="count"),
    "lon": Column(unit="degree", description="longitude of the centre of area (of lines: of length)"),
    "lat": Column(unit="degree", description="latitude of the centre of area (of lines: of length)"),
}


def fitting(frame: gpd.GeoDataFrame) -> list[str]:
    """What to measure when nobody says: the area of polygons, the length of lines, the centre of mere points."""
    dimensions = set(shapely.get_dimensions(frame.geometry.to_numpy()))
    return [name for dimension, name in ((2, "area"), (1, "length")) if dimension in dimensions] or [
        "centroid"
    ]


def measure(frame: gpd.GeoDataFrame, what: list[str]) -> gpd.GeoDataFrame:
    """The features with columns for what was asked: area, perimeter, length, centroid, bounds."""
    shapes = frame.geometry.to_numpy()
    columns: dict[str, object] = {}
    if "area" in what:
        columns["area_km2"] = area_m2(shapes) / 1e6
    if "perimeter" in what:
        columns["perimeter_km"] = perimeter_m(shapes) / 1e3
    if "length" in what:
        columns["length_km"] = length_m(shapes) / 1e3
    if "centroid" in what:
        columns |= dict(zip(("lon", "lat"), shapely.get_coordinates(centroids(shapes)).T, strict=True))
    if "bounds" in what:
        columns |= dict(
            zip(("west", "south", "east", "north"), np.array([bounds_of([s]) for s in shapes]).T, strict=True)
        )
    keep = [c for c in frame.columns if c not in columns]
    return frame[keep].assign(**columns)


def totals(table: pd.DataFrame) -> dict[str, float]:
    """Sums over all features of what adds up."""
    return {f"total_{c}": float(table[c].sum()) for c in ("area_km2", "length_km") if c in table}
