"""Areas, lengths and centres of longitude/latitude geometries on the WGS 84 ellipsoid.

Polygon edges are straight in longitude and latitude, as in every planar predicate, so that parts of a polygon add up
to the whole; line edges are geodesics. Rings may run either way, cross the 180th meridian or go round a pole.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from shapely import Geometry

from gra_geo import antimeridian
from gra_geo.ellipsoid import GEOD, A, authalic_step, authalic_vectors, from_authalic

NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
# Degrees to which polygon edges are cut so that geodesics follow them: at most 30 cm off in the middle of a step.
STEP = 0.05


def geometries(values: Any) -> np.ndarray:
    """An array of geometries from a geometry, list or GeoSeries, each cut at the 180th meridian where it must be."""
    if isinstance(values, Geometry):
        values = [values]
    shapes = np.array(np.asarray(values, dtype=object).ravel(), dtype=object)
    bounds = shapely.bounds(shapes)
    for row in np.nonzero(bounds[:, 2] - bounds[:, 0] > 180.0)[0]:
        shapes[row] = antimeridian.cut(shapes[row])
    return shapes


def area_m2(values: Any) -> np.ndarray:
    """Area in square metres of each geometry; 0 for points and lines. Exact for the ellipsoid."""
    shapes = geometries(values)
    rings, sign, owner = _rings(shapes)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    start, end, edge = _edges(xy, ring)
    middle, half = (start[:, 1] + end[:, 1]) / 2, (end[:, 1] - start[:, 1]) / 2
    base = xy[np.searchsorted(ring, np.arange(len(rings))), 1][edge] if len(rings) else middle
    q = np.zeros(len(edge))
    for node, weight in zip(NODES, WEIGHTS, strict=True):
        q += weight * authalic_step(middle + half * node, base)
    signed = np.bincount(edge, q / 2 * np.radians(end[:, 0] - start[:, 0]), minlength=len(rings)) * A * A / 2
    return np.bincount(owner, np.abs(signed) * sign, minlength=len(shapes))


def _rings(shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All rings, +1 for shells and −1 for holes, and the row each belongs to."""
    polygons, owner = _flat(shapes)
    keep = shapely.get_type_id(polygons) == 3
    polygons, owner = polygons[keep], owner[keep]
    rings, polygon = shapely.get_rings(polygons, return_index=True)
    first = np.concatenate([[True], np.diff(polygon) > 0]) if len(polygon) else np.zeros(0, bool)
    return rings, np.where(first, 1.0, -1.0), owner[polygon]


def _flat(shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Single geometries and the row each belongs to (collections may hold multi-geometries)."""
    parts, outer = shapely.get_parts(shapes, return_index=True)
    flat, inner = shapely.get_parts(parts, return_index=True)
    return flat, outer[inner]


def _edges(xy: np.ndarray, owner: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts, ends and owners of the steps between neighbouring coordinates of the same owner."""
    same = owner[1:] == owner[:-1]
    return xy[:-1][same], xy[1:][same], owner[:-1][same]


def length_m(values: Any) -> np.ndarray:
    """Geodesic length in metres of the lines of each geometry; 0 for points and polygons."""
    shapes = geometries(values)
    parts, owner = _flat(shapes)
    keep = np.isin(shapely.get_type_id(parts), (1, 2))
    xy, line = shapely.get_coordinates(parts[keep], return_index=True)
    start, end, edge = _edges(xy, line)
    return np.bincount(owner[keep][edge], _steps(start, end), minlength=len(shapes))


def perimeter_m(values: Any) -> np.ndarray:
    """Length in metres of the boundary of each geometry's polygons, holes included; cuts along the 180th meridian and
    edges along a pole are no boundary."""
    shapes = geometries(values)
    rings, _, owner = _rings(shapes)
    xy, ring = shapely.get_coordinates(shapely.segmentize(rings, STEP), return_index=True)
    start, end, edge = _edges(xy, ring)
    row = owner[edge]
    seam = (np.abs(start[:, 0]) == 180.0) & (start[:, 0] == end[:, 0])
    total = np.bincount(row[~seam], _steps(start[~seam], end[~seam]), minlength=len(shapes))
    for which in np.unique(row[seam]):
        total[which] += _seam_length(start[seam & (row == which)], end[seam & (row == which)])
    return total


def _seam_length(start: np.ndarray, end: np.ndarray) -> float:
    """Metres along the 180th meridian where only one side of it has an edge."""
    east = start[:, 0] > 0
    sides = [
        shapely.union_all(shapely.linestrings(np.stack([start[s], end[s]], axis=1) * [0.0, 1.0]))
        for s in (east, ~east)
    ]
    free = shapely.symmetric_difference(*sides)
    return float(length_m(free)[0]) if not free.is_empty else 0.0


def _steps(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    return np.asarray(GEOD.inv(start[:, 0], start[:, 1], end[:, 0], end[:, 1])[2], float)


def along_geodesics(shape: Geometry, step_m: float = 20_000.0) -> Geometry:
    """Lines with vertices added so that straight steps in longitude and latitude follow their geodesics, cut at the
    180th meridian. Other geometries are returned as they are."""
    parts = [
        p for p in shapely.get_parts(shapely.get_parts(shape)) if p.geom_type in ("LineString", "LinearRing")
    ]
    if shapely.get_dimensions(shape) != 1 or not parts:
        return shape
    lines = [
        antimeridian.cut(shapely.LineString(_followed(np.asarray(p.coords)[:, :2], step_m))) for p in parts
    ]
    flat = shapely.get_parts(lines)
    return flat[0] if len(flat) == 1 else shapely.multilinestrings(flat)


def _followed(line: np.ndarray, step_m: float) -> np.ndarray:
    metres = _steps(line[:-1], line[1:])
    pieces = np.ceil(metres / step_m).astype(int)
    # A step along a meridian follows its geodesic already.
    pieces[(line[:-1, 0] == line[1:, 0]) & (np.abs(line[:-1, 0]) < 180.0)] = 1
    out = []
    for start, end, count in zip(line[:-1], line[1:], pieces, strict=True):
        out.append(start)
        if count > 1:
            between = GEOD.npts(start[0], start[1], end[0], end[1], int(count) - 1)
            out += [np.array(p) for p in between]
    return np.array([*out, line[-1]])


def centroids(values: Any) -> np.ndarray:
    """The centre of each geometry as a point: of area for polygons, of length for lines, of positions for points.

    The centre is the direction of the mean vector on the sphere of equal area, so the 180th meridian and the poles are
    places like any other. It may lie outside a bent shape.
    """
    shapes = geometries(values)
    moments = np.zeros((len(shapes), 3))
    dimension = shapely.get_dimensions(shapes)
    for level, moment in ((2, _area_moments), (1, _line_moments), (0, _point_moments)):
        rows = np.nonzero(dimension == level)[0]
        if len(rows):
            moments[rows] = moment(shapes[rows])
    lon, lat = from_authalic(moments)
    points = shapely.points(np.where(lon == -180.0, 180.0, lon), lat)
    size = np.linalg.norm(moments, axis=1)
    single = (shapely.get_type_id(shapes) == 0) | (size == 0.0)
    points[single] = shapely.centroid(shapes[single])
    return points


def _area_moments(shapes: np.ndarray) -> np.ndarray:
    """Integral of the position vector over each area: half the sum of the edges' angles times their planes' normals."""
    rings, sign, owner = _rings(shapes)
    rings = shapely.segmentize(rings, STEP)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    vectors = authalic_vectors(xy[:, 0], xy[:, 1])
    start, end, edge = _edges(vectors, ring)
    # Cross products about a vertex of the ring keep their precision when the ring is small.
    anchor = vectors[np.searchsorted(ring, np.arange(len(rings)))][edge]
    local = np.cross(start - anchor, end - anchor)
    full = np.cross(start, end)
    sine = np.linalg.norm(full, axis=1)
    angle = np.arctan2(sine, np.einsum("ij,ij->i", start, end))
    excess = np.where(sine > 0, angle / np.where(sine > 0, sine, 1.0) - 1.0, 0.0)
    terms = (local + excess[:, None] * full) / 2
    moments = np.stack([np.bincount(edge, terms[:, i], minlength=len(rings)) for i in range(3)], axis=1)
    turn = np.where(shapely.is_ccw(rings), 1.0, -1.0) * sign
    moments *= turn[:, None]
    return np.stack([np.bincount(owner, moments[:, i], minlength=len(shapes)) for i in range(3)], axis=1)


def _line_moments(shapes: np.ndarray) -> np.ndarray:
    parts, owner = _flat(shapes)
    keep = np.isin(shapely.get_type_id(parts), (1, 2))
    xy, line = shapely.get_coordinates(parts[keep], return_index=True)
    start, end, edge = _edges(authalic_vectors(xy[:, 0], xy[:, 1]), line)
    # A great-circle arc's mean vector times its length points along start + end, with the length of the chord.
    chord, bisector = np.linalg.norm(end - start, axis=1), start + end
    terms = bisector * (chord / np.maximum(np.linalg.norm(bisector, axis=1), 1e-300))[:, None]
    return np.stack(
        [np.bincount(owner[keep][edge], terms[:, i], minlength=len(shapes)) for i in range(3)], axis=1
    )


def _point_moments(shapes: np.ndarray) -> np.ndarray:
    xy, owner = shapely.get_coordinates(shapes, return_index=True)
    vectors = authalic_vectors(xy[:, 0], xy[:, 1])
    return np.stack([np.bincount(owner, vectors[:, i], minlength=len(shapes)) for i in range(3)], axis=1)


def centre(values: Any) -> tuple[float, float]:
    """Longitude and latitude of the middle of a set of geometries: the mean direction of their centres."""
    points = centroids(values)
    lon, lat = from_authalic(authalic_vectors(shapely.get_x(points), shapely.get_y(points)).sum(axis=0))
    return (180.0 if float(lon) == -180.0 else float(lon)), float(lat)
