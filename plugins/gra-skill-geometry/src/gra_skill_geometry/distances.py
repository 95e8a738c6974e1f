"""Distances between two sets of features: the k nearest or farthest of one for each of the other."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from gra_core import ToolError
from gra_geo.geodesy import GEOD, Neighbours, centroids, distances, farthest, nearest, within
from gra_geo.separation import gap_m, nearest_shapes, outlines

MOST_PAIRS = 2_000_000
MOST_GAPS = 20_000


def compute(
    a: gpd.GeoDataFrame,
    b: gpd.GeoDataFrame,
    *,
    k: int,
    max_m: float | None,
    anchor: str,
    far: bool,
    same: bool,
) -> pd.DataFrame:
    """Pairs with their geodesic distance: a_id, a_name, rank, b_id, b_name, distance_m, bearing_deg.

    `anchor` is what is measured from and to: centroid, representative point or boundary (the shortest gap between the
    shapes). `k` 0 means all. With `same` the two frames are one, and no feature is paired with itself. Equal distances
    are ranked by b's id.
    """
    b = b.assign(_row=np.arange(len(b))).sort_values("feature_id", kind="stable", key=lambda c: c.astype(str))
    own = np.argsort(b["_row"].to_numpy()) if same else None
    if anchor == "boundary":
        i, j, metres = _gaps(a, b, k, max_m, far, own)
        starts, ends = _points(a, "representative"), _points(b, "representative")
    else:
        starts, ends = _points(a, anchor), _points(b, anchor)
        i, j, metres = _between(starts, ends, k, max_m, far, own)
    return _table(a, b, i, j, metres, starts, ends, bearing=anchor != "boundary")


def _points(frame: gpd.GeoDataFrame, anchor: str) -> np.ndarray:
    shapes = frame.geometry.to_numpy()
    points = centroids(shapes) if anchor == "centroid" else shapely.point_on_surface(shapes)
    return shapely.get_coordinates(points)


def _between(
    starts: np.ndarray, ends: np.ndarray, k: int, max_m: float | None, far: bool, own: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if k == 0:
        i, j, metres = within(starts, ends, max_m) if max_m is not None else _all(starts, ends)
        order = np.lexsort((j, -metres if far else metres, i))
        i, j, metres = i[order], j[order], metres[order]
        keep = j != own[i] if own is not None else np.ones(len(i), bool)
        return i[keep], j[keep], metres[keep]
    if min(k, len(ends)) * len(starts) > MOST_PAIRS:
        raise _too_many(min(k, len(ends)) * len(starts), MOST_PAIRS)
    find = farthest if far else nearest
    return _listed(find(starts, ends, k + (own is not None), max_m=max_m), k, own)


def _all(starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if len(starts) * len(ends) > MOST_PAIRS:
        raise _too_many(len(starts) * len(ends), MOST_PAIRS)
    i, j = np.divmod(np.arange(len(starts) * len(ends)), len(ends))
    return i, j, distances(starts, ends).ravel()


def _gaps(
    a: gpd.GeoDataFrame, b: gpd.GeoDataFrame, k: int, max_m: float | None, far: bool, own: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first, second = outlines(a.geometry), outlines(b.geometry)
    if k:
        return _listed(nearest_shapes(first, second, k + (own is not None), max_m=max_m, far=far), k, own)
    if len(first) * len(second) > MOST_GAPS:
        raise _too_many(len(first) * len(second), MOST_GAPS)
    found = [
        (x, y, gap_m(p, q))
        for x, p in enumerate(first)
        for y, q in enumerate(second)
        if own is None or own[x] != y
    ]
    i, j, metres = (
        (np.array(column) for column in zip(*found, strict=True))
        if found
        else (np.zeros(0, int), np.zeros(0, int), np.zeros(0))
    )
    keep = metres <= (np.inf if max_m is None else max_m)
    i, j, metres = i[keep], j[keep], metres[keep]
    order = np.lexsort((j, -metres if far else metres, i))
    return i[order], j[order], metres[order]


def _listed(found: Neighbours, k: int, own: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The neighbours as pairs, without a feature's pair with itself, at most k each."""
    i, slot = np.nonzero(found.index >= 0)
    j, metres = found.index[i, slot], found.distance_m[i, slot]
    if own is not None:
        keep = j != own[i]
        i, j, metres = i[keep], j[keep], metres[keep]
    rank = np.arange(len(i)) - np.searchsorted(i, i)
    return i[rank < k], j[rank < k], metres[rank < k]


def _table(
    a: gpd.GeoDataFrame, b: gpd.GeoDataFrame, i: np.ndarray, j: np.ndarray, metres: np.ndarray, starts: np.ndarray, ends: np.ndarray,
    *, bearing: bool,
) -> pd.DataFrame:  # fmt: skip
    table = pd.DataFrame(
        {
            "a_id": a["feature_id"].to_numpy()[i], "a_name": a["name"].to_numpy()[i],
            "rank": np.arange(len(i)) - np.searchsorted(i, i) + 1,
            "b_id": b["feature_id"].to_numpy()[j], "b_name": b["name"].to_numpy()[j], "distance_m": metres,
        }
    )  # fmt: skip
    if bearing:
        azimuth = np.asarray(GEOD.inv(*starts[i].T, *ends[j].T)[0], float) % 360.0
        table["bearing_deg"] = np.where(metres > 0, azimuth, np.nan)
    return table


def _too_many(pairs: int, most: int) -> ToolError:
    return ToolError(
        "bad_argument",
        f"{pairs:,} pairs are too many (at most {most:,})",
        hint="give a smaller k, a max_m, or fewer features",
    )
