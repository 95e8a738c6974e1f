"""Buffers against distances measured by pyproj's Geod to dense samples of the shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyproj
import pytest
import shapely
from hypothesis import example, given, settings
from hypothesis import strategies as st
from shapely.geometry import shape

from gra_core import ToolError
from gra_core.testing.strategies import polygons, positions
from gra_geo import antimeridian
from gra_geo.buffer import boundary, buffer, dissolved
from gra_geo.geodesy import area_m2

GEOD = pyproj.Geod(ellps="WGS84")
PLACES = st.sampled_from(["anywhere", "date line", "north pole", "south pole", "plain"])


def drawable(polygon: dict[str, Any]) -> bool:
    """Whether a shape made on the sphere is a polygon in degrees too (next to a pole its edges may cross)."""
    cut = antimeridian.cut(shape(polygon), lambda broken: shapely.Polygon())
    return cut.is_valid and not cut.is_empty


def apart(point: shapely.Point, lonlat: np.ndarray) -> np.ndarray:
    n = len(lonlat)
    return np.asarray(GEOD.inv(np.full(n, point.x), np.full(n, point.y), *lonlat.T)[2])


def edge_of(shape: shapely.Geometry, step: float) -> np.ndarray:
    return shapely.get_coordinates(shapely.segmentize(boundary(shape), step))


@example([180.0, -83.0], 822033.0)  # the ring ends, by rounding, short of the meridian that it starts on
@given(PLACES.flatmap(positions), st.floats(1, 5e6))
def test_a_point_s_buffer_is_a_circle_that_holds_it(position: list[float], distance: float) -> None:
    point = shapely.Point(position)
    (made,) = buffer(point, distance)
    assert made.is_valid and not made.is_empty
    # Edges are chords of the circle: never outside, at most a thousandth inside.
    edge = apart(point, edge_of(made, 0.5))
    assert edge.max() <= distance * (1 + 1e-3) + 0.01 and edge.min() >= distance * (1 - 1e-3) - 0.01
    cap = 2 * np.pi * 6371e3**2 * (1 - np.cos(distance / 6371e3))
    assert area_m2(made)[0] == pytest.approx(cap, rel=0.01)


@settings(max_examples=25)
@given(PLACES.flatmap(lambda w: polygons(w, 20, 400)).filter(drawable), st.floats(2_000, 1e6))
def test_a_polygon_s_buffer_ends_at_the_distance(polygon: dict[str, Any], distance: float) -> None:
    whole = antimeridian.cut(shape(polygon))
    (made,) = buffer(whole, distance)
    assert made.is_valid
    outline = edge_of(whole, 0.1)
    rng = np.random.default_rng(0)
    rim = edge_of(made, 0.5)
    for x, y in rim[rng.choice(len(rim), min(12, len(rim)), replace=False)]:
        nearest = apart(shapely.Point(x, y), outline).min()
        # The samples of the outline are up to 11 km apart.
        assert distance * (1 - 4e-3) - 1 <= nearest <= np.hypot(distance, 5_600) * (1 + 4e-3)
    assert whole.difference(made).area == pytest.approx(0, abs=1e-9)


def test_a_shrunk_polygon_keeps_the_distance_from_its_edge() -> None:
    for whole in (
        shapely.box(0, 60, 4, 62),
        antimeridian.cut(shapely.Polygon([(178, -1), (-178, -1), (-178, 1), (178, 1)])),
        antimeridian.cut(shapely.Polygon([(x, 85.0) for x in range(-180, 180, 10)])),
    ):
        (inner,) = buffer(whole, -20_000)
        outline, rim = edge_of(whole, 0.02), edge_of(inner, 0.3)
        gaps = [apart(shapely.Point(p), outline).min() for p in rim[:: max(1, len(rim) // 30)]]
        assert gaps == pytest.approx([20_000] * len(gaps), rel=2e-3)
    assert buffer(shapely.box(0, 0, 0.1, 0.1), -6_000)[0].is_empty


def test_large_shapes_are_buffered_in_pieces() -> None:
    coast = shapely.LineString([(-70, -50), (-70, 50)])
    (made,) = buffer(coast, 100_000)
    assert area_m2(made)[0] == pytest.approx(2e5 * GEOD.inv(-70, -50, -70, 50)[2] + np.pi * 1e10, rel=2e-3)


def test_lines_follow_geodesics() -> None:
    (made,) = buffer(shapely.LineString([(-100, 60), (100, 60)]), 50_000)  # passes near the pole
    middle = GEOD.npts(-100, 60, 100, 60, 1)[0]
    assert made.contains(shapely.Point(middle)) and not made.contains(shapely.Point(0, 60))


def test_parts_and_collections() -> None:
    points = shapely.MultiPoint([(0, 0), (179.99, 0)])
    (made,) = buffer(points, 10_000)
    assert area_m2(made)[0] == pytest.approx(2 * np.pi * 1e8, rel=1e-3)
    mixed = shapely.GeometryCollection([shapely.Point(0, 0), shapely.box(10, 0, 10.1, 0.1)])
    assert buffer(mixed, 1000)[0].contains(shapely.Point(10.05, -0.005))
    both = dissolved(buffer([shapely.Point(0, 0), shapely.Point(0.01, 0)], 5_000))
    assert both.geom_type == "Polygon"


@pytest.mark.parametrize("distance", [float("nan"), float("inf"), 1e7, -1e7])
def test_distances_out_of_range_are_refused(distance: float) -> None:
    with pytest.raises(ToolError, match="out of range"):
        buffer(shapely.Point(0, 0), distance)


def test_no_distance_is_the_shape_itself() -> None:
    assert buffer(shapely.box(0, 0, 1, 1), 0)[0].equals(shapely.box(0, 0, 1, 1))
    assert buffer(shapely.Point(0, 0), 0)[0].is_empty
