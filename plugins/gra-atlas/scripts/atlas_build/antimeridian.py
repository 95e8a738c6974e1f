"""Rings that run across the antimeridian or around a pole, cut into parts within −180…180 (RFC 7946, 3.1.9)."""

from __future__ import annotations

import math

import numpy as np
import shapely


def split(geometry: shapely.Geometry) -> shapely.Geometry:
    """Polygons whose rings jump between 180 and −180, as a valid geometry without such jumps.

    Every edge is taken the short way round. A shell that goes once around the globe encloses the pole that is
    nearer to its mean latitude.
    """
    parts = [piece for polygon in shapely.get_parts(geometry) for piece in _pieces(polygon)]
    return parts[0] if len(parts) == 1 else shapely.union_all(parts)


def _pieces(polygon: shapely.Polygon) -> list[shapely.Geometry]:
    rings = [_unwrap(shapely.get_coordinates(ring)) for ring in (polygon.exterior, *polygon.interiors)]
    if np.abs(rings[0][:, 1]).min() > 89.9:  # a mark at the pole; the ring that goes round it is the outline
        rings = sorted(rings[1:], key=lambda ring: -np.ptp(ring[:, 0]))
    shell, *inner = rings
    if abs(shell[-1, 0] - shell[0, 0]) > 180:
        pole = math.copysign(90.0, shell[:, 1].mean())
        shell = np.vstack([shell, [shell[-1, 0], pole], [shell[0, 0], pole], shell[0]])
    middle = (shell[:, 0].min() + shell[:, 0].max()) / 2
    holes = [_near(ring, middle) for ring in inner]
    whole = shapely.make_valid(shapely.Polygon(shell, holes), method="structure", keep_collapsed=False)
    first, last = (math.floor((x + 180) / 360) for x in (shell[:, 0].min(), shell[:, 0].max()))
    return [piece for turn in range(first, last + 1) if not (piece := _turn(whole, turn)).is_empty]


def _turn(whole: shapely.Geometry, turn: int) -> shapely.Geometry:
    window = shapely.box(360 * turn - 180, -90, 360 * turn + 180, 90)
    cut = shapely.intersection(whole, window)
    areas = [g for g in shapely.get_parts(cut) if g.geom_type == "Polygon"]
    return shapely.transform(shapely.union_all(areas), lambda xy: xy - [360 * turn, 0])


def _unwrap(ring: np.ndarray) -> np.ndarray:
    steps = np.diff(ring[:, 0])
    steps -= 360 * np.round(steps / 360)
    return np.column_stack([ring[0, 0] + np.concatenate([[0], np.cumsum(steps)]), ring[:, 1]])


def _near(ring: np.ndarray, middle: float) -> np.ndarray:
    return ring - [360 * round((ring[:, 0].mean() - middle) / 360), 0]
