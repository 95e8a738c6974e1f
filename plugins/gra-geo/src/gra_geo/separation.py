"""The gap between two shapes: the shortest geodesic between their edges, 0 where they touch or overlap.

The closest places are found in earth-centred space, where chords rank as geodesics do, and their distance is then the
exact geodesic between them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import shapely
from attrs import frozen
from scipy.spatial import cKDTree

from gra_geo.ellipsoid import GEOD, geocentric
from gra_geo.measure import along_geodesics, area_m2, geometries
from gra_geo.nearest import Neighbours, geodesic_m

# Degrees to which edges are cut so that chords in space follow them.
STEP = 0.1
# A path over an angle seen from the Earth's centre is at least the polar and at most (nearly) the equatorial radius long.
LOW_RADIUS, HIGH_RADIUS = GEOD.b, GEOD.a * 1.00001
HALF_EARTH_M2 = 2.55e14


@frozen(kw_only=True, slots=False)
class Outline:
    """A shape's edges in space: `lonlat` and `xyz` of their vertices, which vertices start an edge, and the cap
    (unit vector and angle) that holds the shape."""

    shape: Any
    lonlat: np.ndarray
    xyz: np.ndarray
    starts: np.ndarray
    cap: np.ndarray
    angle: float

    @cached_property
    def tree(self) -> cKDTree:
        """Search tree of the vertices in space."""
        return cKDTree(self.xyz)


def outlines(values: Any) -> list[Outline]:
    """Outlines of geometries in EPSG:4326."""
    return [_outline(shape) for shape in geometries(values)]


def _outline(shape: Any) -> Outline:
    shape = along_geodesics(shape)
    fine = shapely.segmentize(shape, STEP)
    parts = shapely.get_parts(shapely.get_parts(fine))
    lines = [r for p in parts for r in (shapely.get_rings(p) if p.geom_type == "Polygon" else [p])]
    lonlat, line = shapely.get_coordinates(lines, return_index=True)
    xyz = geocentric(lonlat[:, 0], lonlat[:, 1])
    unit = xyz / np.linalg.norm(xyz, axis=1, keepdims=True)
    middle = unit.sum(axis=0)
    norm = np.linalg.norm(middle)
    cap = middle / norm if norm > 1e-9 else unit[0]
    angle = float(np.arccos(np.clip(unit @ cap, -1.0, 1.0)).max()) + 1e-6
    if _over_the_edge(shape, angle):
        angle = np.pi
    return Outline(
        shape=shape, lonlat=lonlat, xyz=xyz, starts=np.nonzero(line[1:] == line[:-1])[0], cap=cap, angle=angle
    )


def _over_the_edge(shape: Any, angle: float) -> bool:
    """Whether a polygon's inside may reach farther than its edge: only when it holds more than a hemisphere."""
    if shapely.get_dimensions(shape) < 2:
        return False
    west, _, east, _ = shape.bounds
    return angle > np.pi / 2 or (east - west == 360.0 and float(area_m2(shape)[0]) > HALF_EARTH_M2)


def gap_m(a: Outline, b: Outline) -> float:
    """Metres between two shapes."""
    if shapely.intersects(a.shape, b.shape):
        return 0.0
    first = _closest(a, b)
    second = _closest(b, a)
    return float(min(first, second))


def _closest(a: Outline, b: Outline) -> float:
    """Metres between a's vertices and b's edges."""
    near, at = b.tree.query(a.xyz)
    reach = STEP * 111_700.0
    keep = np.nonzero(near <= near.min() + reach)[0]
    points, lonlat = a.xyz[keep], a.lonlat[keep]
    if not len(b.starts):
        return float(geodesic_m(lonlat, b.lonlat[at[keep]]).min())
    edges = _edges_near(b, points, near.min() + reach)
    best = np.inf
    for i in range(0, len(keep), max(1, 200_000 // len(edges))):
        rows = slice(i, i + max(1, 200_000 // len(edges)))
        best = min(best, _to_edges(points[rows], lonlat[rows], b, edges))
    return best


def _edges_near(b: Outline, points: np.ndarray, reach: float) -> np.ndarray:
    """Edges of `b` that may hold the closest place: those with a vertex that close to some point."""
    close = cKDTree(points).query(b.xyz)[0] <= reach + 1.0
    return b.starts[close[b.starts] | close[b.starts + 1]]


def _to_edges(points: np.ndarray, lonlat: np.ndarray, b: Outline, edges: np.ndarray) -> float:
    start, step = b.xyz[edges], b.xyz[edges + 1] - b.xyz[edges]
    square = np.maximum(np.einsum("ij,ij->i", step, step), 1e-12)
    along = np.clip((points @ step.T - np.einsum("ij,ij->i", start, step)) / square, 0.0, 1.0)
    offset = points[:, None, :] - start[None] - along[..., None] * step[None]
    apart = np.einsum("ijk,ijk->ij", offset, offset)
    # All that are nearly as close, since chords and geodesics rank slightly differently.
    best = np.nonzero(apart.ravel() <= apart.min() * 1.008)[0]
    if len(best) > 2_000:
        best = best[np.argsort(apart.ravel()[best])[:2_000]]
    row, edge = np.unravel_index(best, apart.shape)
    share = along[row, edge][:, None]
    place = b.lonlat[edges[edge]] * (1 - share) + b.lonlat[edges[edge] + 1] * share
    return float(geodesic_m(lonlat[row], place).min())


def nearest_shapes(
    a: list[Outline], b: list[Outline], k: int = 1, *, max_m: float | None = None, far: bool = False
) -> Neighbours:
    """For each shape of `a` the k of `b` with the smallest (or, `far`, largest) gap, at most `max_m` away.

    Bounds from the shapes' caps decide which pairs need the exact gap.
    """
    k = min(k, len(b))
    index, metres = np.full((len(a), k), -1), np.full((len(a), k), np.nan)
    caps, angles = np.array([o.cap for o in b]).reshape(-1, 3), np.array([o.angle for o in b])
    for row, outline in enumerate(a):
        best = _best_of(outline, b, caps, angles, k, max_m, far)
        for slot, (gap, which) in enumerate(best):
            index[row, slot], metres[row, slot] = which, gap
    return Neighbours(index=index, distance_m=metres)


def _best_of(
    a: Outline, b: list[Outline], caps: np.ndarray, angles: np.ndarray, k: int, max_m: float | None, far: bool
) -> list[tuple[float, int]]:
    apart = np.arccos(np.clip(caps @ a.cap, -1.0, 1.0))
    low = np.maximum(apart - a.angle - angles, 0.0) * LOW_RADIUS
    high = np.minimum(apart + a.angle + angles, np.pi) * HIGH_RADIUS
    order = np.argsort(-high if far else low, kind="stable")
    best: list[tuple[float, int]] = []
    for which in order:
        if max_m is not None and low[which] > max_m:
            if far:
                continue
            break
        if len(best) == k and (high[which] < best[-1][0] if far else low[which] > best[-1][0]):
            break
        gap = gap_m(a, b[which])
        if max_m is None or gap <= max_m:
            best.append((gap, int(which)))
            best.sort(key=lambda pair: (-pair[0] if far else pair[0], pair[1]))
            del best[k:]
    return best
