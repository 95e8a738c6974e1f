"""Nearest and farthest points by geodesic distance, found through a search tree and proved on the ellipsoid.

A ball tree on the unit sphere gives candidates. The ratio of geodesic to great-circle distance lies between the
smallest and largest radius of curvature, so every point that could be among the k best is a candidate; their geodesic
distances decide. The answer equals the full comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import frozen
from scipy.spatial import cKDTree

from gra_geo.ellipsoid import GEOD, MAX_RADIUS, MIN_RADIUS, unit_vectors

# How much farther on the sphere a point may be and still be as near on the ellipsoid.
MARGIN = MAX_RADIUS / MIN_RADIUS
BLOCK = 400_000
ROUNDING = 1e-12


@frozen(kw_only=True)
class Neighbours:
    """For each of n points up to k others: `index` (n, k) with −1 and `distance_m` (n, k) with NaN where there are
    fewer. Best first; equal distances by index."""

    index: np.ndarray
    distance_m: np.ndarray


def nearest(a: Any, b: Any, k: int = 1, *, max_m: float | None = None) -> Neighbours:
    """The k points of `b` nearest to each of `a` (longitude/latitude arrays of shape (n, 2)), at most `max_m` away."""
    return _search(a, b, k, max_m, far=False)


def farthest(a: Any, b: Any, k: int = 1, *, max_m: float | None = None) -> Neighbours:
    """The k points of `b` farthest from each of `a`, of those at most `max_m` away."""
    if max_m is not None:
        return _farthest_within(a, b, k, max_m)
    return _search(a, b, k, None, far=True)


def distances(a: Any, b: Any) -> np.ndarray:
    """Geodesic distances in metres between all of `a` and all of `b`, shape (n, m)."""
    a, b = _lonlat(a), _lonlat(b)
    out = np.empty((len(a), len(b)))
    for rows in _blocks(len(a), len(b)):
        first, second = np.repeat(a[rows], len(b), axis=0), np.tile(b, (len(a[rows]), 1))
        out[rows] = geodesic_m(first, second).reshape(-1, len(b))
    return out


def within(a: Any, b: Any, max_m: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All pairs at most `max_m` apart: indexes into `a`, into `b`, and metres, by `a` then distance then `b`."""
    a, b = _lonlat(a), _lonlat(b)
    tree, points = cKDTree(unit_vectors(*b.T)), unit_vectors(*a.T)
    radius = _chord(min(max_m / MIN_RADIUS, np.pi)) * (1 + ROUNDING) + ROUNDING
    counts = tree.query_ball_point(points, radius, return_length=True)
    found = []
    for rows in _even_blocks(counts):
        lists = tree.query_ball_point(points[rows], radius)
        i = np.repeat(np.arange(rows.start, rows.stop), counts[rows])
        j = np.concatenate([np.asarray(x, dtype=np.intp) for x in lists]) if len(i) else np.empty(0, np.intp)
        metres = geodesic_m(a[i], b[j])
        keep = metres <= max_m
        i, j, metres = i[keep], j[keep], metres[keep]
        order = np.lexsort((j, metres, i))
        found.append((i[order], j[order], metres[order]))
    if not found:
        return np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0)
    first, second, metres = (np.concatenate(x) for x in zip(*found, strict=True))
    return first, second, metres


def geodesic_m(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Geodesic distance in metres between the points of two (n, 2) arrays, pair by pair."""
    return np.asarray(GEOD.inv(a[:, 0], a[:, 1], b[:, 0], b[:, 1])[2], float)


def _search(a: Any, b: Any, k: int, max_m: float | None, *, far: bool) -> Neighbours:
    a, b = _lonlat(a), _lonlat(b)
    k = min(k, len(b))
    index, metres = np.full((len(a), k), -1), np.full((len(a), k), np.nan)
    if not len(a) or not k:
        return Neighbours(index=index, distance_m=metres)
    # Far from a point is near to its antipode.
    tree, points = cKDTree(unit_vectors(*b.T)), unit_vectors(*a.T) * (-1.0 if far else 1.0)
    open_rows, size = np.arange(len(a)), min(len(b), k + 7)
    while len(open_rows):
        unsettled = []
        for block in _blocks(len(open_rows), size):
            rows = open_rows[block]
            chord, near = (x.reshape(len(rows), size) for x in tree.query(points[rows], k=size))
            settled = (chord[:, -1] > _reach(chord[:, k - 1], far)) | (size == len(b))
            done = rows[settled]
            index[done], metres[done] = _best(
                a[done],
                b,
                near[settled],
                chord[settled] <= _reach(chord[settled, k - 1], far)[:, None],
                k,
                far,
            )
            unsettled.append(rows[~settled])
        open_rows, size = np.concatenate(unsettled), min(len(b), size * 3)
    if max_m is not None:
        beyond = metres > max_m
        index[beyond], metres[beyond] = -1, np.nan
    return Neighbours(index=index, distance_m=metres)


def _reach(chord: np.ndarray, far: bool) -> np.ndarray:
    """The chord (to the point, or to its antipode) within which all candidates lie when the k-th lies at `chord`."""
    angle = 2.0 * np.arcsin(np.clip(chord / 2.0, 0.0, 1.0))
    limit = np.pi - (np.pi - angle) / MARGIN if far else angle * MARGIN
    return _chord(np.minimum(limit, np.pi)) * (1 + ROUNDING) + ROUNDING


def _chord(angle: Any) -> Any:
    return 2.0 * np.sin(np.asarray(angle) / 2.0)


def _best(
    a: np.ndarray, b: np.ndarray, near: np.ndarray, keep: np.ndarray, k: int, far: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The k best of each row's candidates by geodesic distance, then index."""
    row, slot = np.nonzero(keep)
    metres = np.full(near.shape, -np.inf if far else np.inf)
    metres[row, slot] = geodesic_m(a[row], b[near[row, slot]])
    order = np.lexsort((near, -metres if far else metres), axis=1)[:, :k]
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(metres, order, axis=1)


def _farthest_within(a: Any, b: Any, k: int, max_m: float) -> Neighbours:
    a, b = _lonlat(a), _lonlat(b)
    k = min(k, len(b))
    index, metres = np.full((len(a), k), -1), np.full((len(a), k), np.nan)
    first, second, apart = within(a, b, max_m)
    order = np.lexsort((second, -apart, first))
    first, second, apart = first[order], second[order], apart[order]
    rank = np.arange(len(first)) - np.searchsorted(first, first)
    top = rank < k
    index[first[top], rank[top]], metres[first[top], rank[top]] = second[top], apart[top]
    return Neighbours(index=index, distance_m=metres)


def _lonlat(values: Any) -> np.ndarray:
    return np.asarray(values, dtype=float).reshape(-1, 2)


def _blocks(rows: int, width: int) -> Iterator[slice]:
    """Slices over rows so that rows × width stays bounded."""
    step = max(1, BLOCK // max(1, width))
    return (slice(i, min(rows, i + step)) for i in range(0, rows, step))


def _even_blocks(counts: np.ndarray) -> Iterator[slice]:
    """Slices over rows whose counts sum to about `BLOCK` at most."""
    start, total = 0, 0
    for row, count in enumerate(counts):
        if total and total + count > BLOCK:
            yield slice(start, row)
            start, total = row, 0
        total += int(count)
    if start < len(counts):
        yield slice(start, len(counts))
