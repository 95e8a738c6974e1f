"""Areas, lengths and centres against pyproj's Geod on dense rings, and published figures."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyproj
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import shape

from gra_core.testing.strategies import polygons, positions
from gra_geo import antimeridian
from gra_geo.geodesy import area_m2, centroids, length_m, perimeter_m

GEOD = pyproj.Geod(ellps="WGS84")
EARTH_M2 = 510_065_621_724_000.0  # surface of the WGS 84 ellipsoid
PLACES = st.sampled_from(["anywhere", "date line", "north pole", "south pole", "plain"])
ANYWHERE = PLACES.flatmap(polygons)


def dense(ring: list[list[float]], step: float = 0.02) -> np.ndarray:
    """A ring with points along its edges, straight in longitude (the short way) and latitude."""
    out = []
    for (x1, y1), (x2, y2) in itertools.pairwise(ring):
        dx = (x2 - x1 + 180) % 360 - 180
        share = np.linspace(0, 1, max(2, int(max(abs(dx), abs(y2 - y1)) / step)), endpoint=False)
        out.append(np.column_stack([x1 + dx * share, y1 + (y2 - y1) * share]))
    return np.concatenate(out)


def true_area(polygon: dict[str, Any]) -> float:
    area = abs(GEOD.polygon_area_perimeter(*dense(polygon["coordinates"][0]).T)[0])
    return min(area, EARTH_M2 - area)


def plain_in_degrees(polygon: dict[str, Any]) -> bool:
    """Whether edges that are straight in degrees do not cross, and none is nearly half a turn long (next to a pole the
    strategy's shapes, made on the sphere, may be either)."""
    ring = np.array(polygon["coordinates"][0])
    steps = (np.diff(ring[:, 0]) + 180) % 360 - 180
    lon = ring[0, 0] + np.concatenate([[0], np.cumsum(steps)])
    around = abs(lon[-1] - lon[0]) > 180
    line = shapely.LineString(np.column_stack([lon, ring[:, 1]]))
    return (
        bool(np.all(np.abs(steps) < 175))
        and np.ptp(lon) <= 360
        and (line.is_simple if around else line.is_ring and line.is_simple)
    )


@given(ANYWHERE.filter(plain_in_degrees), st.booleans())
def test_area_is_right_everywhere_in_either_direction(polygon: dict[str, Any], turn: bool) -> None:
    ring = shape(polygon)
    assert area_m2(ring.reverse() if turn else ring)[0] == pytest.approx(
        true_area(polygon), rel=1e-4, abs=1e4
    )


@given(ANYWHERE.filter(plain_in_degrees))
def test_cutting_keeps_what_is_inside(polygon: dict[str, Any]) -> None:
    cut = antimeridian.cut(shape(polygon))
    assert cut.is_valid and all(abs(x) <= 180 for x in cut.bounds[::2])
    assert area_m2(cut)[0] == pytest.approx(area_m2(shape(polygon))[0], rel=1e-9, abs=1)


@given(polygons("plain"), st.floats(-360, 360))
def test_area_and_centre_turn_with_the_earth(polygon: dict[str, Any], turn: float) -> None:
    ring = np.array(polygon["coordinates"][0])
    moved = shapely.Polygon(np.column_stack([antimeridian.wrap(ring[:, 0] + turn), ring[:, 1]]))
    still = shapely.Polygon(ring)
    assert area_m2(moved)[0] == pytest.approx(area_m2(still)[0], rel=1e-9)
    before, after = centroids(still)[0], centroids(moved)[0]
    assert GEOD.inv(before.x + turn, before.y, after.x, after.y)[2] < 1  # of shapes up to 1,000 km wide


def test_published_areas(gra_registry) -> None:
    """Land and water area of states, US Census Bureau; the atlas' outlines are generalised."""
    from gra_core import Sources

    boundaries = Sources(gra_registry).open("boundaries")
    states = boundaries.get(region_ids=["geoId/31", "geoId/08", "geoId/02"])
    assert area_m2(states.geometry)[:2] / 1e6 == pytest.approx([200_330, 269_601], rel=0.002)
    # Alaska crosses the date line: the island of Attu lies in the eastern hemisphere.
    assert antimeridian.bounds_of(states.geometry.iloc[[2]])[0] == pytest.approx(172.5, abs=0.5)
    middle = centroids(states.geometry)[2]
    assert -156 < middle.x < -150 and 62 < middle.y < 66


def test_the_published_centre_of_the_united_states(gra_registry) -> None:
    """44°58′02.07622″N 103°46′17.60283″W, National Geodetic Survey: the fifty states, Alaska across the date line."""
    from gra_core import Sources

    country = Sources(gra_registry).open("boundaries").get(region_ids=["country/USA"])
    middle = centroids(country.geometry)[0]
    assert GEOD.inv(middle.x, middle.y, -103.771557, 44.967243)[2] < 30_000


def test_the_whole_earth() -> None:
    assert area_m2(shapely.box(-180, -90, 180, 90))[0] == pytest.approx(EARTH_M2, rel=1e-9)
    assert perimeter_m(shapely.box(-180, -90, 180, 90))[0] == pytest.approx(0, abs=1e-6)


def test_holes_are_taken_out() -> None:
    outer, inner = shapely.box(0, 50, 4, 54), shapely.box(1, 51, 2, 52)
    holed = outer.difference(inner)
    assert area_m2(holed)[0] == pytest.approx(area_m2(outer)[0] - area_m2(inner)[0], rel=1e-12)
    assert perimeter_m(holed)[0] == pytest.approx(perimeter_m(outer)[0] + perimeter_m(inner)[0], rel=1e-12)
    assert centroids(holed)[0].x > 2 and centroids(holed)[0].y > 52


@given(st.lists(positions(), min_size=2, max_size=6))
def test_lines_are_as_long_as_their_geodesics(route: list[list[float]]) -> None:
    truth = sum(GEOD.inv(*a, *b)[2] for a, b in itertools.pairwise(route))
    # Where a line is cut it bends by the difference between a great circle and a geodesic: next to nothing.
    assert length_m(shapely.LineString(route))[0] == pytest.approx(truth, rel=1e-4, abs=1e-3)


def test_perimeter_follows_parallels_and_skips_cuts() -> None:
    lon = np.arange(-180, 180.005, 0.01)
    parallel = GEOD.line_length(lon, np.full(len(lon), -70.0))
    assert perimeter_m(shapely.Polygon([(0, -70), (90, -70), (180, -70), (-90, -70)]))[0] == pytest.approx(
        parallel, rel=1e-6
    )
    across = shapely.Polygon([(179, 0), (-179, 0), (-179, 1), (179, 1)])
    assert perimeter_m(across)[0] == pytest.approx(perimeter_m(shapely.box(10, 0, 12, 1))[0], rel=1e-9)
    edge = shapely.box(178, 0, 180, 1)  # ends at the date line: that side is a boundary
    assert perimeter_m(edge)[0] == pytest.approx(perimeter_m(shapely.box(10, 0, 12, 1))[0], rel=1e-9)


def test_centres_of_small_shapes_keep_their_precision() -> None:
    building = shapely.box(8.54170, 47.37690, 8.54183, 47.37697)
    middle = centroids(building)[0]
    assert GEOD.inv(middle.x, middle.y, building.centroid.x, building.centroid.y)[2] < 0.001


def test_mixed_and_collected_geometries_are_measured_by_part() -> None:
    box, line = shapely.box(0, 0, 1, 1), shapely.LineString([(0, 0), (1, 0)])
    both = shapely.GeometryCollection(
        [box, line, shapely.Point(3, 3), shapely.MultiPolygon([shapely.box(5, 5, 6, 6)])]
    )
    assert area_m2([both, line])[0] == pytest.approx(area_m2(box)[0] + area_m2(shapely.box(5, 5, 6, 6))[0])
    assert area_m2([both, line])[1] == 0 and length_m(both)[0] == pytest.approx(length_m(line)[0])
