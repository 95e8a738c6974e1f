"""Which features lie in, hold or meet which others, and joins that say how ties are settled.

Boundaries belong to shapes: a point on an edge is within both neighbours, and the tie rule decides. A point on the
180th meridian or at a pole is one place, whichever of its coordinates it carries.
"""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from gra_core import ToolError
from gra_geo import antimeridian
from gra_geo.measure import area_m2, length_m

PREDICATES = ("intersects", "within", "contains")
TIES = ("first", "largest", "all", "error")


def pairs(left: Any, right: Any, predicate: str = "intersects") -> tuple[np.ndarray, np.ndarray]:
    """Positions (left, right) of all pairs for which the predicate holds, by left, then right.

    `within` (the left one lies in the right one) and `contains` (the reverse) include the boundary.
    """
    if predicate not in PREDICATES:
        raise ToolError(
            "bad_argument", f"unknown predicate {predicate!r}", hint=f"choose from {', '.join(PREDICATES)}"
        )
    first, second = _everywhere(left), _everywhere(right)
    i, j = shapely.STRtree(second).query(first, predicate="intersects")
    order = np.lexsort((j, i))
    i, j = i[order], j[order]
    if predicate != "intersects":
        a, b = np.asarray(left, dtype=object), np.asarray(right, dtype=object)
        inner, outer = (a[i], b[j]) if predicate == "within" else (b[j], a[i])
        # For a point, meeting a shape is lying in it.
        keep = (shapely.get_type_id(inner) == 0) & (shapely.get_dimensions(outer) > 0)
        rest = ~keep
        keep[rest] = shapely.covered_by(inner[rest], outer[rest])
        i, j = i[keep], j[keep]
    return i, j


def _everywhere(values: Any) -> np.ndarray:
    shapes = np.array(np.asarray(values, dtype=object), dtype=object)
    xy = shapely.get_coordinates(shapes)
    if np.any(np.abs(xy) >= [180.0, 90.0]):
        odd = (shapely.get_type_id(shapes) == 0) & (
            (np.abs(shapely.get_x(shapes)) == 180.0) | (np.abs(shapely.get_y(shapes)) >= 90.0)
        )
        shapes[odd] = [antimeridian.aliases(s) for s in shapes[odd]]
    return shapes


def size_of(values: Any) -> np.ndarray:
    """The size by which shares are measured: area of polygons, length of lines, number of positions of points."""
    shapes = np.asarray(values, dtype=object)
    dimension = shapely.get_dimensions(shapes)
    size = np.where(dimension == 2, area_m2(shapes), length_m(shapes))
    return np.where(dimension == 0, shapely.get_num_coordinates(shapes), size)


def overlap(left: Any, right: Any, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """The share of each left geometry (by area, length or positions) that lies in the right one, pair by pair."""
    a, b = np.asarray(left, dtype=object), np.asarray(right, dtype=object)
    if not len(i):
        return np.zeros(0)
    common = shapely.intersection(a[i], b[j])
    dimension = shapely.get_dimensions(a[i])
    part = np.where(dimension == 2, area_m2(common), length_m(common))
    share = np.divide(part, size_of(a)[i], out=np.zeros(len(i)), where=dimension > 0)
    points = dimension == 0
    share[points] = shapely.get_num_coordinates(common[points]) / shapely.get_num_coordinates(a[i][points])
    return np.clip(np.where(points & (shapely.get_type_id(a[i]) == 0), 1.0, share), 0.0, 1.0)


def share_inside(features: Any, mask: Any) -> np.ndarray:
    """The share of each feature that lies in the union of the mask's geometries."""
    shapes = np.asarray(features, dtype=object)
    whole = shapely.union_all(np.asarray(mask, dtype=object))
    shapely.prepare(whole)
    share = np.zeros(len(shapes))
    met = shapely.intersects(whole, _everywhere(shapes))
    inside = met & shapely.covered_by(shapes, whole)
    share[inside] = 1.0
    rest = np.nonzero(met & ~inside)[0]
    share[rest] = overlap(shapes, np.array([whole], dtype=object), rest, np.zeros(len(rest), int))
    return share


def join(
    left: gpd.GeoDataFrame,
    right: gpd.GeoDataFrame,
    predicate: str = "intersects",
    ties: str = "first",
    *,
    right_id: str,
) -> tuple[np.ndarray, np.ndarray, int]:
    """For each left feature the right one it belongs to: positions (left, right; −1 for none) and how many had a tie.

    `ties`: ``first`` takes the right feature with the smallest id, whatever the order of rows; ``largest`` the one that
    holds the largest share of the left feature (then the smallest id); ``all`` keeps every pair; ``error`` refuses.
    """
    if ties not in TIES:
        raise ToolError(
            "bad_argument", f"unknown rule for ties {ties!r}", hint=f"choose from {', '.join(TIES)}"
        )
    i, j = pairs(left.geometry.to_numpy(), right.geometry.to_numpy(), predicate)
    counts = np.bincount(i, minlength=len(left))
    tied = int((counts > 1).sum())
    if ties == "error" and tied:
        row = int(np.nonzero(counts > 1)[0][0])
        ids = ", ".join(right[right_id].iloc[j[i == row]].astype(str))
        raise ToolError(
            "bad_argument",
            f"{tied} features match several others; feature {row + 1} matches {ids}",
            hint="choose ties first, largest or all",
        )
    if ties in ("first", "largest"):
        rank = natural_order(right[right_id])
        share = overlap(left.geometry, right.geometry, i, j) if ties == "largest" else np.zeros(len(i))
        order = np.lexsort((rank[j], -np.round(share, 9), i))
        i, j = i[order], j[order]
        first = np.concatenate([[True], np.diff(i) > 0]) if len(i) else np.zeros(0, bool)
        i, j = i[first], j[first]
    missing = np.nonzero(counts == 0)[0]
    rows, others = np.concatenate([i, missing]), np.concatenate([j, np.full(len(missing), -1)])
    order = np.argsort(rows, kind="stable")
    return rows[order], others[order], tied


def natural_order(ids: pd.Series) -> np.ndarray:
    """Rank of each id in alphabetical order."""
    return ids.astype(str).rank(method="first").to_numpy().astype(int)


def joined(
    left: gpd.GeoDataFrame, right: gpd.GeoDataFrame, rows: np.ndarray, others: np.ndarray, prefix: str
) -> gpd.GeoDataFrame:
    """The left rows with the right columns beside them (prefixed where names clash), empty where there is no match."""
    table = pd.DataFrame(right.drop(columns=right.active_geometry_name)).reset_index(drop=True)
    table = table.rename(columns={c: f"{prefix}{c}" for c in table.columns if c in left.columns})
    beside = table.reindex(others).set_axis(range(len(others)))
    return left.iloc[rows].reset_index(drop=True).join(beside)
