"""Buffers that are as wide as they say at every latitude, across the 180th meridian and over the poles.

A point's buffer is the geodesic circle. Other shapes are taken apart into pieces small enough for an azimuthal
equidistant projection around each; the pieces' buffers are made there and joined.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyproj
import shapely
from shapely import Geometry

from gra_core import ToolError
from gra_geo import antimeridian
from gra_geo.ellipsoid import GEOD, MEAN_RADIUS
from gra_geo.measure import along_geodesics, geometries
from gra_geo.validity import polygons_of

# Beyond a quarter of the meridian a circle's inside and outside change places.
LONGEST_M = 9_900_000.0
VERTICES = 128
# Degrees: within this a projection around the middle keeps distances to better than a thousandth.
PIECE = 5.0
TURN = np.array([360.0, 0.0])
# How far, as a share of the distance, an edge may stray from where it should be.
SLACK = 5e-4
# Degrees of longitude that one edge of a circle may span.
STEEP = 4.0


def buffer(values: Any, distance_m: float) -> np.ndarray:
    """Polygons of all places within `distance_m` of each geometry (EPSG:4326); negative shrinks polygons.

    Widths are within 0.1 % (0.3 % beyond 3,000 km). `ToolError` when the distance is too large; a polygon shrunk away is empty.
    """
    if not np.isfinite(distance_m) or abs(distance_m) > LONGEST_M:
        raise ToolError(
            "bad_argument",
            f"buffer distance {distance_m:g} m is out of range",
            hint=f"give up to {LONGEST_M:g} metres either way",
        )
    shapes = geometries(values)
    if distance_m == 0:
        return np.array([polygons_of(s) for s in shapes], dtype=object)
    if distance_m < 0:
        return np.array([_shrunk(shape, -distance_m) for shape in shapes], dtype=object)
    out = np.empty(len(shapes), dtype=object)
    points = shapely.get_type_id(shapes) == 0
    out[points] = circles(shapely.get_x(shapes[points]), shapely.get_y(shapes[points]), distance_m)
    out[~points] = [_grown(shape, distance_m) for shape in shapes[~points]]
    return out


def circles(lon: Any, lat: Any, radius_m: float, vertices: int = VERTICES) -> np.ndarray:
    """Geodesic circles as polygons, cut at the 180th meridian, closed over a pole that lies inside."""
    lon, lat = np.atleast_1d(np.asarray(lon, float)), np.atleast_1d(np.asarray(lat, float))
    if not len(lon):
        return np.empty(0, dtype=object)
    turn = np.linspace(0.0, 360.0, vertices, endpoint=False)
    rings = _ring(np.repeat(lon, vertices), np.repeat(lat, vertices), np.tile(turn, len(lon)), radius_m)
    rings = rings.reshape(len(lon), vertices, 2)
    polygons = shapely.polygons(rings)
    steps = np.abs(np.diff(rings[..., 0], axis=1, append=rings[:, :1, 0])).max(axis=1)
    for row in np.nonzero(steps > STEEP)[0]:
        polygons[row] = _around(float(lon[row]), float(lat[row]), turn, radius_m)
    return polygons


def _ring(lon: Any, lat: Any, azimuth: np.ndarray, radius_m: float) -> np.ndarray:
    full = np.broadcast_to
    x, y, _ = GEOD.fwd(
        full(lon, azimuth.shape), full(lat, azimuth.shape), azimuth, full(radius_m, azimuth.shape)
    )
    return np.stack([np.asarray(x), np.asarray(y)], axis=1)


def _around(lon: float, lat: float, turn: np.ndarray, radius_m: float) -> Geometry:
    """A circle near a pole or the 180th meridian. Whether a pole is inside is measured, not read off the ring."""
    for _ in range(10):
        ring = _ring(lon, lat, turn, radius_m)
        steps = (np.diff(ring[:, 0], append=ring[0, 0]) + 180.0) % 360.0 - 180.0
        long = np.abs(steps) > STEEP
        if not long.any():
            break
        # Past a pole straight steps in degrees leave the circle: halve them.
        middles = turn + np.diff(turn, append=360.0) / 2
        turn = np.sort(np.concatenate([turn, middles[long]]))
    inside = [p for p in (90.0, -90.0) if GEOD.inv(lon, lat, lon, p)[2] < radius_m]
    flat = antimeridian.unroll(np.vstack([ring, ring[:1]]))
    if antimeridian.goes_round(flat) and inside:
        flat = antimeridian.over_pole(flat, inside[0] > 0)
    polygon = shapely.Polygon(flat)
    return polygons_of(antimeridian.fold(polygon if polygon.is_valid else shapely.make_valid(polygon)))


def _grown(shape: Geometry, distance_m: float) -> Geometry:
    if shape.geom_type == "GeometryCollection":
        return dissolved(buffer(list(shape.geoms), distance_m))
    if shapely.get_dimensions(shape) == 1:
        shape = along_geodesics(shape)
    if _small(*shape.bounds):
        return _rim(_followed(shape, distance_m), distance_m)
    area = polygons_of(shape)
    edges = _followed(boundary(area) if not area.is_empty else shape, distance_m)
    return dissolved([area, *(_rim(piece, distance_m) for piece in _pieces(edges))])


def _shrunk(shape: Geometry, distance_m: float) -> Geometry:
    area = polygons_of(shape)
    if area.is_empty:
        return area
    rims = [_rim(piece, distance_m) for piece in _pieces(_followed(boundary(area), distance_m))]
    return polygons_of(area.difference(shapely.union_all(rims)))


def _followed(shape: Geometry, distance_m: float) -> Geometry:
    """The shape with long edges cut, so that straight edges of a local plane stay within a thousandth of the distance."""
    step = np.degrees(np.sqrt(16.0 * SLACK * distance_m / MEAN_RADIUS))
    return shapely.segmentize(shape, float(np.clip(step, 0.005, 0.5)))


def _small(west: float, south: float, east: float, north: float) -> bool:
    width = (east - west) * np.cos(np.radians(min(abs(south), abs(north)) if south * north > 0 else 0.0))
    return bool(width <= PIECE and north - south <= PIECE and east - west < 90.0)


def _pieces(lines: Geometry) -> list[Geometry]:
    """Lines (or positions) grouped by cells of `PIECE` degrees, so that a local projection fits each group."""
    if shapely.get_dimensions(lines) == 0:
        xy = shapely.get_coordinates(lines)
        return (
            list(
                shapely.multipoints(shapely.points(xy), indices=np.unique(_cells(xy), return_inverse=True)[1])
            )
            if len(xy)
            else []
        )
    xy, line = shapely.get_coordinates(shapely.get_parts(lines), return_index=True)
    same = line[1:] == line[:-1]
    start, end, line = xy[:-1][same], xy[1:][same], line[:-1][same]
    if not len(line):
        return []
    cell = _cells((start + end) / 2)
    run = np.concatenate([[0], np.cumsum((np.diff(line) != 0) | (np.diff(cell) != 0))])
    last = np.concatenate([np.diff(run) > 0, [True]])
    coords, owner = np.concatenate([start, end[last]]), np.concatenate([run, run[last]])
    order = np.argsort(owner, kind="stable")
    strings = shapely.linestrings(coords[order], indices=owner[order])
    where = cell[last]
    return [shapely.multilinestrings(strings[where == c]) for c in np.unique(where)]


def _cells(xy: np.ndarray) -> np.ndarray:
    col, row = np.floor((xy + 180.0) / PIECE).astype(int).T
    return col * 1000 + row


def boundary(shape: Geometry) -> Geometry:
    """The boundary of polygons without the cuts along the 180th meridian and the edges along a pole."""
    edge = shapely.boundary(polygons_of(shape))
    west, south, east, north = edge.bounds
    if south == -90.0 or north == 90.0:
        edge = edge.difference(shapely.multilinestrings([[(-180, -90), (180, -90)], [(-180, 90), (180, 90)]]))
    if west == -180.0 and east == 180.0:
        sides = [edge.intersection(shapely.LineString([(x, -90), (x, 90)])) for x in (-180.0, 180.0)]
        both = sides[0].intersection(shapely.transform(sides[1], lambda xy: xy - TURN))
        edge = edge.difference(both).difference(shapely.transform(both, lambda xy: xy + TURN))
        # Where the two sides are cut at latitudes that differ by rounding, crumbs are left.
        edge = shapely.multilinestrings([line for line in shapely.get_parts(edge) if line.length > 1e-9])
    return edge


def _rim(piece: Geometry, distance_m: float) -> Geometry:
    """The buffer of a small piece, by a projection around its middle."""
    middle = shapely.centroid(shapely.envelope(piece))
    lon, lat = middle.x, middle.y
    local = pyproj.Transformer.from_pipeline(f"+proj=aeqd +lat_0={lat!r} +lon_0={lon!r} +ellps=WGS84")
    flat = shapely.transform(piece, lambda xy: np.column_stack(local.transform(xy[:, 0], xy[:, 1])))
    grown = shapely.buffer(flat, distance_m, quad_segs=VERTICES // 4)
    # Straight edges of the plane are bent in longitude and latitude, the more the nearer to a pole.
    steep = np.tan(np.radians(min(abs(lat) + PIECE / 2 + distance_m / 111_000.0, 89.5)))
    step = np.sqrt(8.0 * SLACK * distance_m * MEAN_RADIUS / max(steep, 0.1))
    grown = shapely.segmentize(grown, max(float(step), distance_m / 60))
    return dissolved([_unprojected(p, local) for p in shapely.get_parts(grown)])


def _unprojected(polygon: Geometry, local: Any) -> Geometry:
    """A polygon of the local plane in longitude/latitude. The plane is cut through the middle's antipode only, so a pole
    inside is seen in the plane."""
    rings = []
    for ring in (polygon.exterior, *polygon.interiors):
        x, y = np.asarray(ring.coords).T[:2]
        lon, lat = local.transform(x, y, direction="INVERSE")
        rings.append(_closed(np.column_stack([lon, lat]), shapely.Polygon(ring), local))
    area = rings[0]
    for hole in rings[1:]:
        area = area.difference(hole)
    return area


def _closed(ring: np.ndarray, plane: Geometry, local: Any) -> Geometry:
    flat = antimeridian.unroll(ring)
    if antimeridian.goes_round(flat):
        inside = [p for p in (90.0, -90.0) if plane.contains(shapely.Point(local.transform(0.0, p)))]
        flat = antimeridian.over_pole(flat, (inside[0] if inside else ring[:, 1].mean()) > 0)
    polygon = shapely.Polygon(flat)
    return polygons_of(antimeridian.fold(polygon if polygon.is_valid else shapely.make_valid(polygon)))


def dissolved(polygons: Any) -> Geometry:
    """The union of polygons as one."""
    return polygons_of(shapely.union_all(np.asarray(polygons, dtype=object)))
