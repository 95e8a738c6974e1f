"""Areas cut into boxes, for services that answer only so much about one box."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import shapely

from gra_geo.antimeridian import Box, bounds_of, split_box

SMALLEST_DEG = 1e-3  # about a hundred metres


def boxes_of(area: dict[str, Any]) -> list[Box]:
    """The boxes (west <= east) around a GeoJSON geometry: two when it crosses the 180th meridian."""
    return split_box(bounds_of(shapely.geometry.shape(area)))


def quarters(box: Box) -> list[Box]:
    """The four equal parts of a box; none when it is too small to cut."""
    west, south, east, north = box
    if max(east - west, north - south) < SMALLEST_DEG:
        return []
    x, y = (west + east) / 2, (south + north) / 2
    return [(west, south, x, y), (x, south, east, y), (west, y, x, north), (x, y, east, north)]


def cover(boxes: list[Box], shape: shapely.Geometry, ask: Callable[[Box], bool]) -> list[Box]:
    """Ask for each box that touches the shape; a box whose answer is cut short (`ask` gives False) is quartered.

    Gives the boxes that are too small to quarter, whose answers stay cut short.
    """
    shapely.prepare(shape)
    stack, short = list(reversed(boxes)), []
    while stack:
        box = stack.pop()
        if not shape.intersects(shapely.box(*box)) or ask(box):
            continue
        if not (smaller := quarters(box)):
            short.append(box)
        stack += reversed(smaller)
    return short
