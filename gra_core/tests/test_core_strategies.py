import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core.testing.strategies import EARTH_RADIUS_KM, destination, points, polygons, positions

PLACES = st.sampled_from(["anywhere", "date line", "north pole", "south pole", "plain"])


def angle(a: list[float], b: list[float]) -> float:
    """Great-circle distance in km by the haversine formula."""
    (lon1, lat1), (lon2, lat2) = (tuple(map(math.radians, p)) for p in (a, b))
    h = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(min(1.0, h)))


@given(positions("plain"), st.floats(0, 360), st.floats(0.001, 5000))
def test_a_destination_is_as_far_as_asked(start: list[float], bearing: float, distance: float) -> None:
    assert angle(start, destination(*start, bearing, distance)) == pytest.approx(distance, rel=1e-6, abs=1e-6)


@given(PLACES.flatmap(lambda where: st.tuples(st.just(where), polygons(where), points(where))))
def test_shapes_are_geojson_within_bounds(drawn: tuple) -> None:
    where, polygon, point = drawn
    ring = polygon["coordinates"][0]
    assert ring[0] == ring[-1] and len(ring) >= 4
    for lon, lat in [*ring, point["coordinates"]]:
        assert -180 <= lon <= 180 and -90 <= lat <= 90
    if where == "date line":
        assert abs(point["coordinates"][0]) >= 175


@given(polygons("plain", max_radius_km=300))
def test_plain_polygons_are_simple_and_turn_counter_clockwise(polygon: dict) -> None:
    shapely = pytest.importorskip("shapely")
    ring = shapely.LinearRing(polygon["coordinates"][0])
    assert ring.is_simple and ring.is_ccw


def test_the_hard_places_are_reached() -> None:
    """Some polygon near the date line jumps across it, and some polygon near a pole goes round it."""
    from hypothesis import find

    def jumps(polygon: dict) -> bool:
        lons = [p[0] for p in polygon["coordinates"][0]]
        return any(abs(a - b) > 180 for a, b in itertools.pairwise(lons))

    def circles(polygon: dict) -> bool:
        lons = [p[0] for p in polygon["coordinates"][0]]
        turns = sum((b - a + 540) % 360 - 180 for a, b in itertools.pairwise(lons))
        return abs(turns) > 359

    assert find(polygons("date line"), jumps)
    assert find(polygons("north pole"), circles)
