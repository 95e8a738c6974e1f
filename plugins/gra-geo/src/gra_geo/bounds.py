"""Boxes of longitude and latitude, which may cross the 180th meridian: then west > east."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import shapely
from shapely import Geometry, MultiPolygon

Box = tuple[float, float, float, float]


def box(west: float, south: float, east: float, north: float) -> Geometry:
    """The box as a polygon; two of them when west > east, that is across the 180th meridian."""
    if west <= east:
        return shapely.box(west, south, east, north)
    return MultiPolygon([shapely.box(west, south, 180.0, north), shapely.box(-180.0, south, east, north)])


def split_box(bounds: Iterable[float]) -> list[Box]:
    """A box as one or two boxes with west <= east."""
    west, south, east, north = bounds
    if west <= east:
        return [(west, south, east, north)]
    return [(west, south, 180.0, north), (-180.0, south, east, north)]


def bounds_of(geometries: Any) -> Box:
    """west, south, east, north of geometries in longitude/latitude; west > east when the smallest box that holds
    them crosses the 180th meridian. Planar coordinates (outside −180..180) get their plain bounds."""
    parts = shapely.get_parts(np.asarray(geometries, dtype=object).ravel())
    parts = shapely.get_parts(parts[~shapely.is_empty(parts)])
    if not len(parts):
        raise ValueError("bounds of no geometry")
    each = shapely.bounds(parts)
    south, north = each[:, 1].min(), each[:, 3].max()
    west, east = each[:, 0].min(), each[:, 2].max()
    if west < -180.0 or east > 180.0 or east - west <= 180.0 or south < -90 or north > 90:
        return float(west), float(south), float(east), float(north)
    starts, ends = _intervals(each[:, 0], each[:, 2])
    gaps = np.append(starts[1:], starts[0] + 360.0) - ends
    widest = int(np.argmax(gaps))
    if widest == len(gaps) - 1 or gaps[widest] <= 1e-9 or np.isclose(gaps[widest], gaps[-1], atol=1e-9):
        return float(west), float(south), float(east), float(north)
    return float(starts[widest + 1]), float(south), float(ends[widest]), float(north)


def _intervals(starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping longitude intervals joined, in order."""
    order = np.argsort(starts, kind="stable")
    starts, reach = starts[order], np.maximum.accumulate(ends[order])
    new = np.concatenate([[True], starts[1:] > reach[:-1]])
    last = np.append(np.nonzero(new)[0][1:] - 1, len(starts) - 1)
    return starts[new], reach[last]
