"""Two layers laid over each other: the pieces, with what they come from and how large they are."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from gra_core import ToolError
from gra_geo.frames import WGS84
from gra_geo.geodesy import area_m2, length_m
from gra_geo.joins import pairs, size_of
from gra_geo.validity import polygons_of

# Pieces smaller than this share of their source are left over from edges that nearly agree.
SLIVER = 1e-9


def overlay(a: gpd.GeoDataFrame, b: gpd.GeoDataFrame, how: str) -> gpd.GeoDataFrame:
    """The pieces of an overlay with columns a_id, a_name, b_id, b_name, area_km2 (or length_km), share_of_a, share_of_b.

    intersection: where a and b meet, a piece for each pair. difference: a without b. union: both, cut at each other.
    identity: a, cut by b. symmetric_difference: what lies in only one. Features of one layer should not overlap.
    """
    if (
        how != "intersection"
        and how != "difference"
        and (shapely.get_dimensions(b.geometry.to_numpy()) < 2).any()
    ):
        raise ToolError(
            "bad_argument",
            f"overlay {how} needs polygons in b",
            hint="use intersection or difference, or buffer b first",
        )
    parts = []
    if how in ("intersection", "union", "identity"):
        parts.append(_common(a, b))
    if how in ("difference", "union", "identity", "symmetric_difference"):
        parts.append(_rest(a, b, "a"))
    if how in ("union", "symmetric_difference"):
        parts.append(_rest(b, a, "b"))
    filled = [p for p in parts if len(p)] or parts[:1]
    return gpd.GeoDataFrame(pd.concat(filled, ignore_index=True), crs=WGS84)


def _common(a: gpd.GeoDataFrame, b: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    i, j = pairs(a.geometry, b.geometry, "intersects")
    shapes = _like(
        shapely.intersection(a.geometry.to_numpy()[i], b.geometry.to_numpy()[j]),
        a.geometry.to_numpy()[i],
        b.geometry.to_numpy()[j],
    )
    return _pieces(shapes, {"a": (a, i), "b": (b, j)})


def _rest(one: gpd.GeoDataFrame, other: gpd.GeoDataFrame, side: str) -> gpd.GeoDataFrame:
    shapes, others = one.geometry.to_numpy().copy(), other.geometry.to_numpy()
    i, j = pairs(shapes, others, "intersects")
    for row in np.unique(i):
        shapes[row] = shapely.difference(shapes[row], shapely.union_all(others[j[i == row]]))
    rest = _like(shapes, one.geometry.to_numpy(), one.geometry.to_numpy())
    return _pieces(rest, {side: (one, np.arange(len(one)))})


def _like(shapes: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Shapes of the lower dimension of their two sources; mere touching gives none."""
    wanted = np.minimum(shapely.get_dimensions(first), shapely.get_dimensions(second))
    out = shapes.copy()
    for row, (shape, dimension) in enumerate(zip(shapes, wanted, strict=True)):
        if shapely.get_dimensions(shape) != dimension or shape.geom_type == "GeometryCollection":
            out[row] = _only(shape, int(dimension))
    return out


def _only(shape: shapely.Geometry, dimension: int) -> shapely.Geometry:
    if dimension == 2:
        return polygons_of(shape)
    parts = [
        p
        for p in shapely.get_parts(shapely.get_parts(shape))
        if shapely.get_dimensions(p) == dimension and not p.is_empty
    ]
    return shapely.union_all(parts) if parts else shapely.GeometryCollection()


def _pieces(shapes: np.ndarray, sources: dict[str, tuple[gpd.GeoDataFrame, np.ndarray]]) -> gpd.GeoDataFrame:
    columns: dict[str, object] = {}
    size = size_of(shapes) if len(shapes) else np.zeros(0)
    keep = ~shapely.is_empty(shapes) if len(shapes) else np.zeros(0, bool)
    for side, (frame, rows) in sources.items():
        columns[f"{side}_id"] = frame["feature_id"].to_numpy()[rows]
        columns[f"{side}_name"] = frame["name"].to_numpy()[rows]
        whole = size_of(frame.geometry.to_numpy())[rows]
        same = shapely.get_dimensions(frame.geometry.to_numpy()[rows]) == shapely.get_dimensions(shapes)
        columns[f"share_of_{side}"] = np.where(
            same, np.clip(size / np.where(whole > 0, whole, 1.0), 0.0, 1.0), np.nan
        )
        keep &= ~(same & (size <= SLIVER * whole))
    frame = gpd.GeoDataFrame(columns, geometry=list(shapes), crs=WGS84)[keep].reset_index(drop=True)
    dimension = shapely.get_dimensions(frame.geometry.to_numpy()) if len(frame) else np.zeros(0)
    if (dimension == 1).any():
        frame["length_km"] = length_m(frame.geometry) / 1e3
    frame["area_km2"] = area_m2(frame.geometry) / 1e6 if len(frame) else np.zeros(0)
    return frame
