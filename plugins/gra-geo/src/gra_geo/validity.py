"""Broken polygons: repaired where only one reading is sensible, refused where it is not."""

from __future__ import annotations

import numpy as np
import shapely
from shapely import Geometry

# Slivers of generalised boundaries stay below this share of the area; hand-made crossings are far above.
SLIVER = 1e-3


class AmbiguousShape(ValueError):
    """A polygon that crosses itself: what is inside depends on the reader."""


def repair(geometry: Geometry) -> Geometry:
    """A valid form of an invalid geometry with the same area; `AmbiguousShape` when the readings of it differ.

    Rings that touch themselves, repeated points, spikes and slivers below a thousandth of the area have one sensible
    reading. A ring that crosses itself (a figure of eight, a loop covered twice) has several.
    """
    if geometry.is_valid:
        return geometry
    fixed = (
        polygons_of(shapely.make_valid(geometry))
        if geometry.geom_type.endswith("Polygon")
        else shapely.make_valid(geometry)
    )
    if geometry.geom_type.endswith("Polygon"):
        claimed = sum(_claimed_area(part) for part in shapely.get_parts(geometry))
        if fixed.is_empty:
            raise AmbiguousShape("it encloses no area")
        if abs(claimed - fixed.area) > SLIVER * max(fixed.area, claimed):
            raise AmbiguousShape(f"it crosses or overlaps itself ({shapely.is_valid_reason(geometry)})")
    return fixed


def polygons_of(geometry: Geometry) -> Geometry:
    """The polygonal part of a geometry."""
    parts = [
        p
        for p in shapely.get_parts(shapely.get_parts(geometry))
        if p.geom_type == "Polygon" and not p.is_empty
    ]
    if len(parts) == 1:
        return parts[0]
    return shapely.multipolygons(parts) if parts else shapely.Polygon()


def _claimed_area(polygon: shapely.Polygon) -> float:
    holes = sum(_ring_area(np.asarray(r.coords)) for r in polygon.interiors)
    return _ring_area(np.asarray(polygon.exterior.coords)) - holes


def _ring_area(ring: np.ndarray) -> float:
    """Area between a ring's signed loops: loops of opposite direction cancel, loops covered twice count twice."""
    x, y = ring[:, 0] - ring[0, 0], ring[:, 1] - ring[0, 1]
    return float(abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2)
