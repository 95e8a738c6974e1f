"""Longitudes on a sphere: shapes across the 180th meridian and around the poles, bounds that may cross it.

Edges are straight lines in longitude and latitude (RFC 7946). An edge that jumps more than 180 degrees of longitude
is read the short way round, across the 180th meridian; a ring that goes once round the Earth encloses the pole on
its smaller side. The direction of rings does not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import shapely
from shapely import Geometry, MultiPolygon, Polygon

from gra_geo.bounds import Box, bounds_of, box, split_box

__all__ = [
    "Box",
    "aliases",
    "bounds_of",
    "box",
    "cut",
    "fold",
    "goes_round",
    "over_pole",
    "split_box",
    "unroll",
    "wrap",
]

Repair = Callable[[Geometry], Geometry]


def wrap(lon: Any) -> Any:
    """Longitudes brought to −180 (inclusive) to 180 (exclusive)."""
    return (np.asarray(lon, float) + 180.0) % 360.0 - 180.0


def cut(geometry: Geometry, repair: Repair = shapely.make_valid) -> Geometry:
    """The geometry with what crosses the 180th meridian cut in two there, and rings around a pole made caps.

    Input and output are longitude/latitude in degrees; a geometry that needs nothing is returned as it is.
    `repair` is called with a polygon that is invalid even with its longitudes unrolled.
    """
    if geometry.is_empty or not _suspicious(geometry):
        return geometry
    kind = geometry.geom_type
    if kind == "Polygon":
        return _cut_polygon(geometry, repair)
    if kind in ("LineString", "LinearRing"):
        return _cut_line(np.asarray(geometry.coords)[:, :2])
    if kind.startswith("Multi") and kind != "MultiPoint":
        return _merge([cut(part, repair) for part in geometry.geoms], kind)
    if kind == "GeometryCollection":
        return shapely.GeometryCollection([cut(part, repair) for part in geometry.geoms])
    return geometry


def _suspicious(geometry: Geometry) -> bool:
    west, _, east, _ = geometry.bounds
    if east - west <= 180.0 and west >= -180.0 and east <= 180.0:
        return False
    return not -180.0 <= west <= east <= 180.0 or any(_jumps(ring) for ring in _sequences(geometry))


def _jumps(line: np.ndarray) -> bool:
    return bool(np.any(np.abs(np.diff(line[:, 0])) > 180.0)) and not _whole_turns(line)


def _sequences(geometry: Geometry) -> list[np.ndarray]:
    """Coordinate arrays of every ring and line."""
    lines = []
    for part in shapely.get_parts(geometry) if hasattr(geometry, "geoms") else [geometry]:
        if hasattr(part, "geoms"):
            lines += _sequences(part)
        elif part.geom_type == "Polygon":
            lines += [np.asarray(r.coords) for r in (part.exterior, *part.interiors)]
        else:
            lines.append(np.asarray(part.coords))
    return lines


def unroll(ring: np.ndarray) -> np.ndarray:
    """Coordinates with longitudes made continuous: no step is longer than 180 degrees, so they may leave −180..180."""
    steps = np.diff(ring[:, 0])
    steps = np.where(np.abs(steps) > 180.0, steps - 360.0 * np.round(steps / 360.0), steps)
    lon = ring[0, 0] + np.concatenate([[0.0], np.cumsum(steps)])
    return np.column_stack([lon, ring[:, 1]])


def _whole_turns(ring: np.ndarray) -> bool:
    """Whether steps of exactly 360 degrees stand for the full circle: the edge along a pole of an unrolled cap, or the
    two long sides of a band around the Earth. A single one elsewhere joins a point with itself."""
    steps, lat = np.diff(ring[:, 0]), ring[:-1, 1]
    full = np.abs(np.abs(steps) - 360.0) < 1e-9
    if not full.any() or np.any(np.abs(steps[~full]) > 180.0):
        return False
    return bool(np.all(np.abs(lat[full]) > 90.0 - 1e-9)) or int(full.sum()) == 2


def _unrolled(ring: np.ndarray) -> np.ndarray:
    return ring if _whole_turns(ring) else unroll(ring)


def _cut_polygon(polygon: Polygon, repair: Repair) -> Geometry:
    shell = _unrolled(np.asarray(polygon.exterior.coords)[:, :2])
    north = _encloses_north(shell)
    area = _valid(Polygon(_close(shell, north)), repair)
    for interior in polygon.interiors:
        hole = _close(_unrolled(np.asarray(interior.coords)[:, :2]), north)
        for shift in (-360.0, 0.0, 360.0):
            area = area.difference(_valid(Polygon(hole + np.array([shift, 0.0])), repair))
    return _merge([fold(area)], "MultiPolygon")


def _valid(polygon: Polygon, repair: Repair) -> Geometry:
    return polygon if polygon.is_valid else repair(polygon)


def _encloses_north(ring: np.ndarray) -> bool:
    """Which pole a ring that goes round the Earth encloses: the one on its smaller side."""
    mean = np.sin(np.radians((ring[1:, 1] + ring[:-1, 1]) / 2))
    turn = np.diff(ring[:, 0])
    return bool(np.sum(mean * turn) * np.sign(turn.sum() or 1.0) > 0)


def _close(ring: np.ndarray, north: bool) -> np.ndarray:
    """A ring that goes round the Earth, closed over the pole; others as they are."""
    return over_pole(ring, north) if goes_round(ring) else ring


def goes_round(ring: np.ndarray) -> bool:
    """Whether an unrolled ring ends a whole turn from where it starts."""
    return abs(ring[-1, 0] - ring[0, 0]) > 180.0


def over_pole(ring: np.ndarray, north: bool) -> np.ndarray:
    """An unrolled ring that goes round the Earth as the edge of the cap over a pole, starting at the 180th meridian."""
    turn = 360.0 if ring[-1, 0] > ring[0, 0] else -360.0
    strips = np.floor((ring[:, 0] + 180.0) / 360.0)
    crossings = np.nonzero(np.diff(strips))[0]
    # A ring from meridian to meridian may, by rounding, stay short of it: then its last step is the crossing.
    at = int(crossings[0]) if len(crossings) else len(ring) - 2
    strip = max(strips[at], strips[at + 1]) if len(crossings) else strips[at] + (turn > 0)
    meridian = -180.0 + 360.0 * strip
    (x1, y1), (x2, y2) = ring[at], ring[at + 1]
    lat = y1 + (y2 - y1) * (meridian - x1) / (x2 - x1)
    rest = np.vstack([ring[at + 1 : -1], ring[: at + 1] + np.array([turn, 0.0])])
    rest = rest - np.array([meridian + turn / 2, 0.0])
    start, end, pole = -turn / 2, turn / 2, 90.0 if north else -90.0
    return np.vstack([[start, lat], rest, [end, lat], [end, pole], [start, pole], [start, lat]])


def fold(geometry: Geometry) -> Geometry:
    """Cut a geometry with unrolled longitudes into strips and move each to −180..180."""
    if geometry.is_empty:
        return geometry
    west, _, east, _ = geometry.bounds
    parts = []
    for turn in range(int(np.floor((west + 180.0) / 360.0)), int(np.ceil((east + 180.0) / 360.0))):
        left = -180.0 + 360.0 * turn
        strip = geometry.intersection(shapely.box(left, -90.0, left + 360.0, 90.0))
        parts.append(shapely.transform(strip, lambda xy, left=left: xy - [left + 180.0, 0.0]))
    return shapely.union_all([p for p in parts if not p.is_empty]) if len(parts) > 1 else parts[0]


def _cut_line(line: np.ndarray) -> Geometry:
    steps = np.abs(np.diff(line[:, 0]))
    if np.all((steps <= 180.0) | (np.abs(steps - 360.0) < 1e-9)):
        return shapely.LineString(line)
    flat = _with_crossings(unroll(line))
    # Split at the meridian's vertices, not by an overlay, which would drop what a line passes twice.
    turn = np.floor(((flat[:-1, 0] + flat[1:, 0]) / 2 + 180.0) / 360.0)
    breaks = np.nonzero(np.diff(turn))[0] + 1
    runs = zip([0, *breaks], [*breaks, len(turn)], strict=True)
    return _merge(
        [shapely.LineString(flat[i : j + 1] - np.array([360.0 * turn[i], 0.0])) for i, j in runs],
        "MultiLineString",
    )


def _with_crossings(line: np.ndarray) -> np.ndarray:
    """An unrolled line with a vertex where each of its geodesics crosses the 180th meridian, so that lengths are kept."""
    out = [line[0]]
    for start, end in pairwise(line):
        low, high = sorted((start[0], end[0]))
        meridian = 180.0 + 360.0 * np.ceil((low - 180.0) / 360.0)
        if low < meridian < high:
            out.append(np.array([meridian, _latitude_at(meridian, start, end)]))
        out.append(end)
    return np.array(out)


def _latitude_at(lon: float, start: np.ndarray, end: np.ndarray) -> float:
    """Where the great circle through two places meets a meridian between them."""
    before, after, whole = np.sin(np.radians([lon - start[0], end[0] - lon, end[0] - start[0]]))
    if abs(whole) < 1e-12:
        return float((start[1] + end[1]) / 2)
    first, second = np.tan(np.radians([start[1], end[1]]))
    return float(np.degrees(np.arctan((first * after + second * before) / whole)))


def _merge(parts: list[Geometry], kind: str) -> Geometry:
    wanted = kind.removeprefix("Multi")
    flat = [
        p for p in shapely.get_parts(shapely.get_parts(parts)) if p.geom_type == wanted and not p.is_empty
    ]
    if len(flat) == 1:
        return flat[0]
    return MultiPolygon(flat) if wanted == "Polygon" else shapely.multilinestrings(flat)


def aliases(geometry: Geometry) -> Geometry:
    """A point with the other forms it has: on the 180th meridian both signs, at a pole every longitude.

    Planar predicates see the whole place that way; other geometries are returned as they are.
    """
    if geometry.geom_type != "Point" or geometry.is_empty:
        return geometry
    lon, lat = geometry.x, geometry.y
    if abs(lat) >= 90.0:
        return shapely.LineString([(-180.0, lat), (180.0, lat)])
    if abs(lon) == 180.0:
        return shapely.MultiPoint([(-180.0, lat), (180.0, lat)])
    return geometry
