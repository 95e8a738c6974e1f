"""Gaps between shapes against dense samples of both edges, measured by pyproj's Geod."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyproj
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import shape

from gra_core.testing.strategies import polygons, positions
from gra_geo import antimeridian
from gra_geo.separation import gap_m, nearest_shapes, outlines

GEOD = pyproj.Geod(ellps="WGS84")
PLACES = st.sampled_from(["date line", "north pole", "plain"])


def drawable(polygon: dict[str, Any]) -> bool:
    cut = antimeridian.cut(shape(polygon), lambda broken: shapely.Polygon())
    return cut.is_valid and not cut.is_empty


SHAPES = PLACES.flatmap(lambda w: st.one_of(polygons(w, 5, 100).filter(drawable), positions(w)))


def made(value: Any) -> shapely.Geometry:
    return shapely.Point(value) if isinstance(value, list) else antimeridian.cut(shape(value))


def sampled_gap(a: shapely.Geometry, b: shapely.Geometry, step: float = 0.05) -> float:
    first, second = (shapely.get_coordinates(shapely.segmentize(s, step)) for s in (a, b))
    n, m = len(first), len(second)
    x, y = np.repeat(first, m, axis=0), np.tile(second, (n, 1))
    return float(np.min(GEOD.inv(x[:, 0], x[:, 1], y[:, 0], y[:, 1])[2]))


@settings(max_examples=30)
@given(SHAPES, SHAPES)
def test_the_gap_is_that_of_the_closest_places(a: Any, b: Any) -> None:
    first, second = made(a), made(b)
    gap = gap_m(*outlines([first, second]))
    assert gap == pytest.approx(gap_m(*outlines([second, first])), rel=1e-7, abs=0.1)
    if shapely.intersects(first, second):
        assert gap == 0
        return
    sampled = sampled_gap(first, second)
    # Samples are up to 5.6 km apart on either edge, so they miss the closest places by a few km across at most.
    # The closest places are found to within a decimetre, or a part in 10^7 of a long gap.
    assert gap <= sampled * (1 + 1e-7) + 0.1
    assert gap >= sampled - 5_600 and (gap > 60_000) <= (gap >= sampled - 600)


def test_a_point_to_an_edge_it_faces() -> None:
    west = shapely.box(0, 0, 1, 1)
    (box, point) = outlines([west, shapely.Point(1.5, 0.5)])
    assert gap_m(point, box) == pytest.approx(GEOD.inv(1, 0.5, 1.5, 0.5)[2], rel=1e-6)


def test_shapes_on_both_sides_of_the_date_line_are_close() -> None:
    east, west = shapely.box(-179.9, 0, -179, 1), shapely.box(179, 0, 179.9, 1)
    assert gap_m(*outlines([east, west])) == pytest.approx(GEOD.inv(179.9, 1, -179.9, 1)[2], rel=1e-6)
    touching = outlines([shapely.box(179, 0, 180, 1), shapely.box(-180, 0, -179, 1)])
    assert gap_m(*touching) == pytest.approx(0, abs=0.01)


def test_a_place_inside_a_cap_has_no_gap() -> None:
    cap = shapely.Polygon([(x, 60.0) for x in range(-180, 180, 10)])
    (outline, point, outside) = outlines([cap, shapely.Point(77, 85), shapely.Point(77, 59)])
    assert gap_m(outline, point) == 0
    assert gap_m(outline, outside) == pytest.approx(GEOD.inv(77, 59, 77, 60)[2], rel=1e-3)


@settings(max_examples=20)
@given(
    st.lists(SHAPES, min_size=1, max_size=4),
    st.lists(SHAPES, min_size=1, max_size=8),
    st.integers(1, 3),
    st.booleans(),
)
def test_ranking_is_that_of_all_gaps(a: list[Any], b: list[Any], k: int, far: bool) -> None:
    first, second = outlines([made(s) for s in a]), outlines([made(s) for s in b])
    full = np.array([[gap_m(p, q) for q in second] for p in first])
    found = nearest_shapes(first, second, k, far=far)
    expected = np.sort(-full if far else full, axis=1)[:, :k] * (-1 if far else 1)
    assert found.distance_m == pytest.approx(expected, rel=1e-9, abs=1e-6)


def test_only_shapes_within_reach() -> None:
    boxes = outlines([shapely.box(x, 0, x + 1, 1) for x in (2, 5, 50)])
    for far, order in ((False, [[0, 1]]), (True, [[1, 0]])):
        found = nearest_shapes(outlines(shapely.Point(0, 0.5)), boxes, 2, max_m=1e6, far=far)
        assert found.index.tolist() == order
    assert nearest_shapes(outlines(shapely.Point(0, 0)), boxes, 2, max_m=1.0).index.tolist() == [[-1, -1]]
