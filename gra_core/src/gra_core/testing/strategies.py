"""Hypothesis strategies for benchmark and tool authors: shapes where geometry goes wrong, regions of a source, and
the parameters of a template's sampler. Shapes are GeoJSON mappings in longitude and latitude (EPSG:4326)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

from hypothesis import strategies as st

from gra_core.sources import Sources
from gra_core.testing.solvers import SolvedTemplate, draw_parameters

Where = Literal["anywhere", "date line", "north pole", "south pole", "plain"]
EARTH_RADIUS_KM = 6371.0088


def positions(where: Where = "anywhere") -> st.SearchStrategy[list[float]]:
    """``[longitude, latitude]`` pairs. ``date line`` keeps within 5 degrees of it, a pole within 5 degrees of the
    pole, ``plain`` far from all three."""
    ranges = {
        "anywhere": (st.floats(-180, 180), st.floats(-90, 90)),
        "date line": (st.one_of(st.floats(175, 180), st.floats(-180, -175)), st.floats(-80, 80)),
        "north pole": (st.floats(-180, 180), st.floats(85, 90)),
        "south pole": (st.floats(-180, 180), st.floats(-90, -85)),
        "plain": (st.floats(-150, 150), st.floats(-60, 60)),
    }
    lon, lat = ranges[where]
    return st.tuples(lon, lat).map(list)


def points(where: Where = "anywhere") -> st.SearchStrategy[dict[str, Any]]:
    """GeoJSON points."""
    return positions(where).map(lambda position: {"type": "Point", "coordinates": position})


@st.composite
def polygons(
    draw: st.DrawFn,
    where: Where = "anywhere",
    min_radius_km: float = 1.0,
    max_radius_km: float = 500.0,
    max_corners: int = 12,
) -> dict[str, Any]:
    """GeoJSON polygons without holes, star-shaped around a centre, counter-clockwise as seen from above.

    Longitudes stay within ±180, so a ring across the date line jumps from one side to the other, and a ring
    around a pole goes once round all longitudes: both are what real files contain and tools must handle.
    """
    lon, lat = draw(positions(where))
    corners = draw(st.integers(3, max_corners))
    step = 360.0 / corners
    ring = []
    for corner in range(corners):
        # Bearings fall, so the ring turns counter-clockwise; each stays in its sector, so no two edges cross.
        bearing = 360.0 - corner * step - draw(st.floats(0, 0.5)) * step
        distance = draw(st.floats(min_radius_km, max_radius_km))
        ring.append(destination(lon, lat, bearing, distance))
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}


def destination(lon: float, lat: float, bearing_deg: float, distance_km: float) -> list[float]:
    """The point reached on a sphere from a point, as ``[lon, lat]`` (direct geodesic problem on the sphere)."""
    phi, theta, arc = math.radians(lat), math.radians(bearing_deg), distance_km / EARTH_RADIUS_KM
    sine = math.sin(phi) * math.cos(arc) + math.cos(phi) * math.sin(arc) * math.cos(theta)
    phi2 = math.asin(max(-1.0, min(1.0, sine)))
    east = math.sin(theta) * math.sin(arc) * math.cos(phi)
    turn = math.atan2(east, math.cos(arc) - math.sin(phi) * math.sin(phi2))
    return [(lon + math.degrees(turn) + 540.0) % 360.0 - 180.0, math.degrees(phi2)]


def regions(sources: Sources, parent_id: str, level: str = "") -> st.SearchStrategy[dict[str, Any]]:
    """Regions of the active boundary source inside a parent: mappings with region_id, name, level and so on."""
    table = sources.open("boundaries").children(parent_id=parent_id, level=level)
    rows = [{k: v for k, v in row.items() if k != "geometry"} for row in table.to_dict("records")]
    return st.sampled_from(sorted(rows, key=lambda row: row["region_id"]))


def parameters(
    template: SolvedTemplate, sources: Sources, *, data: Callable[[Any], Any] = lambda sources: sources
) -> st.SearchStrategy[dict[str, Any]]:
    """Parameters of well-posed instances, from the template's own sampler."""
    made = data(sources)
    return st.integers(0, 2**32 - 1).map(lambda seed: draw_parameters(template, made, seed))
