"""Cutting at the 180th meridian and closing over poles; the package antimeridian is the second opinion in some cases."""

from __future__ import annotations

import numpy as np
import pyproj
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Point, Polygon, box

from gra_geo import antimeridian


def test_what_needs_nothing_is_returned_as_it_is() -> None:
    for shape in (
        box(0, 0, 1, 1),
        box(-180, -10, 180, 10),
        box(-180, -90, 180, 90),
        Point(180, 0),
        box(170, 0, 180, 1),
    ):
        assert antimeridian.cut(shape) is shape


def test_antarctica_as_atlases_draw_it_stays() -> None:
    drawn = Polygon([(-180, -90), (180, -90), (180, -80), (0, -70), (-180, -80)])
    assert antimeridian.cut(drawn) is drawn


def test_a_ring_closed_by_one_full_step_goes_round_the_pole() -> None:
    coast = Polygon([(-180, -80), (-90, -70), (0, -75), (90, -66), (180, -80)])
    cut = antimeridian.cut(coast)
    assert cut.is_valid and cut.contains(Point(10, -85)) and not cut.contains(Point(10, -60))


def test_longitudes_beyond_180_are_folded_back() -> None:
    cut = antimeridian.cut(box(170, 0, 190, 10))
    assert cut.equals(shapely.MultiPolygon([box(170, 0, 180, 10), box(-180, 0, -170, 10)]))


def test_holes_follow_their_shell() -> None:
    shell = [(170, 0), (-170, 0), (-170, 10), (170, 10)]
    for hole in ([(175, 2), (-175, 2), (-175, 4), (175, 4)], [(-178, 2), (-176, 2), (-176, 4), (-178, 4)]):
        cut = antimeridian.cut(Polygon(shell, [hole]))
        inside = Polygon(hole) if hole[0][0] < 0 else None
        assert cut.is_valid and not cut.contains(Point(-177, 3)) and cut.contains(Point(-172, 8))
        assert inside is None or cut.intersection(inside).area == 0


def test_a_band_around_a_pole_has_a_hole_around_it() -> None:
    lon = np.arange(-180, 180, 20)
    band = Polygon(np.column_stack([lon, np.full(18, -60)]), [np.column_stack([lon[::-1], np.full(18, -80)])])
    cut = antimeridian.cut(band)
    assert (
        cut.is_valid
        and cut.contains(Point(5, -70))
        and not cut.contains(Point(5, -85))
        and not cut.contains(Point(5, -50))
    )


def test_lines_keep_their_course() -> None:
    cut = antimeridian.cut(shapely.LineString([(170, 0), (-170, 0), (-170, 10)]))
    assert cut.equals(shapely.MultiLineString([[(170, 0), (180, 0)], [(-180, 0), (-170, 0), (-170, 10)]]))
    # Tokyo to San Francisco crosses where the geodesic does, far north of the straight line in degrees.
    route = antimeridian.cut(shapely.LineString([(139.7, 35.7), (-122.4, 37.8)]))
    at = [y for x, y in shapely.get_coordinates(route) if abs(x) == 180]
    course = np.array(pyproj.Geod(ellps="WGS84").npts(139.7, 35.7, -122.4, 37.8, 10_000))
    truth = np.interp(180, course[:, 0] % 360, course[:, 1])
    assert at == pytest.approx([truth, truth], abs=0.1)


@pytest.mark.parametrize(
    "ring",
    [
        [(170, 40), (-170, 40), (-170, 50), (170, 50), (170, 40)],
        [(100, -10), (-100, -10), (-100, 30), (100, 30), (100, -10)],
        [(150, 60), (-140, 65), (-160, 75), (170, 70), (150, 60)],
    ],
)
def test_agrees_with_the_package_antimeridian(ring: list[tuple[float, float]]) -> None:
    other = pytest.importorskip("antimeridian")
    assert antimeridian.cut(Polygon(ring)).symmetric_difference(
        other.fix_polygon(Polygon(ring), great_circle=False)
    ).area == pytest.approx(0, abs=1e-4)  # it rounds to 7 digits


@pytest.mark.parametrize(
    ("shapes", "bounds"),
    [
        ([Point(-90, 0), Point(91, 1)], (91, 0, -90, 1)),
        ([Point(-90, 0), Point(89, 1)], (-90, 0, 89, 1)),
        ([box(-180, -90, 180, 90)], (-180, -90, 180, 90)),
        ([box(170, 0, 180, 1), box(-180, 0, -170, 1)], (170, 0, -170, 1)),
        ([Point(5, 5)], (5, 5, 5, 5)),
        ([box(400_000, 5e6, 500_000, 6e6)], (400_000, 5e6, 500_000, 6e6)),
    ],
)
def test_bounds_are_the_smallest_box(shapes: list[shapely.Geometry], bounds: tuple[float, ...]) -> None:
    assert antimeridian.bounds_of(shapes) == bounds


@given(st.lists(st.tuples(st.floats(-180, 180), st.floats(-90, 90)), min_size=1, max_size=8))
def test_bounds_hold_all_points_and_are_no_wider_than_planar_ones(points: list[tuple[float, float]]) -> None:
    west, south, east, north = antimeridian.bounds_of([Point(p) for p in points])
    width = east - west if east >= west else east - west + 360
    lon = np.array(points)[:, 0]
    assert width <= lon.max() - lon.min() + 1e-9
    for x, y in points:
        assert (x - west) % 360 <= width + 1e-9 or (x - west) % 360 >= 360 - 1e-9
        assert south <= y <= north


def test_a_box_from_east_to_west_has_two_parts() -> None:
    assert len(antimeridian.box(179, 0, -179, 1).geoms) == 2
    assert antimeridian.split_box((179, 0, -179, 1)) == [(179, 0, 180.0, 1), (-180.0, 0, -179, 1)]
    assert antimeridian.split_box((1, 0, 2, 1)) == [(1, 0, 2, 1)]
