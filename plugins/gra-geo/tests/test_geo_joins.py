"""Joins count every feature once and do not depend on the order of rows."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from gra_core import ToolError
from gra_geo.joins import join, joined, overlap, pairs, share_inside


def frame(shapes: list[shapely.Geometry], ids: list[str]) -> gpd.GeoDataFrame:
    return gpd.GeoDataFrame({"id": ids, "name": ids}, geometry=shapes, crs="EPSG:4326")


GRID = frame(
    [shapely.box(x, y, x + 1, y + 1) for x in range(4) for y in range(4)],
    [f"z{x}{y}" for x in range(4) for y in range(4)],
)
# Many of these lie on edges and corners of the grid.
SPOTS = st.tuples(st.integers(0, 8).map(lambda v: v / 2), st.integers(0, 8).map(lambda v: v / 2))


@given(
    st.lists(SPOTS, min_size=1, max_size=30),
    st.permutations(range(16)),
    st.sampled_from(["first", "largest"]),
)
def test_each_point_is_counted_once_whatever_the_order(spots: list, order: list[int], ties: str) -> None:
    points = frame([shapely.Point(s) for s in spots], [str(i) for i in range(len(spots))])
    turned = GRID.iloc[order].reset_index(drop=True)
    rows, zones, tied = join(points, turned, "within", ties, right_id="id")
    assert rows.tolist() == list(range(len(spots))) and (zones >= 0).all()
    straight = GRID["id"].iloc[join(points, GRID, "within", ties, right_id="id")[1]]
    assert turned["id"].iloc[zones].tolist() == straight.tolist()
    assert tied == sum(x in (1, 2, 3) or y in (1, 2, 3) for x, y in spots)


def test_all_keeps_every_pair_and_error_names_them() -> None:
    point = frame([shapely.Point(1, 1), shapely.Point(9, 9)], ["a", "b"])
    rows, zones, tied = join(point, GRID, "intersects", "all", right_id="id")
    assert (rows.tolist(), tied) == ([0, 0, 0, 0, 1], 1) and zones[-1] == -1
    with pytest.raises(ToolError, match="z00, z01, z10, z11"):
        join(point, GRID, "intersects", "error", right_id="id")
    with pytest.raises(ToolError, match="choose from first"):
        join(point, GRID, "intersects", "any", right_id="id")


def test_largest_gives_an_area_to_the_zone_that_holds_most_of_it() -> None:
    field = frame([shapely.box(0.8, 0.2, 1.7, 0.8)], ["f"])
    assert GRID["id"].iloc[join(field, GRID, "intersects", "largest", right_id="id")[1]].tolist() == ["z10"]
    assert GRID["id"].iloc[join(field, GRID, "intersects", "first", right_id="id")[1]].tolist() == ["z00"]


def test_predicates_count_the_edge() -> None:
    inner, outer = (
        [shapely.box(0, 0, 1, 1), shapely.Point(0, 0)],
        [shapely.box(0, 0, 1, 1), shapely.box(0.5, 0, 2, 1)],
    )
    assert [x.tolist() for x in pairs(inner, outer, "within")] == [[0, 1], [0, 0]]
    assert [x.tolist() for x in pairs(outer, inner, "contains")] == [[0, 0], [0, 1]]
    assert [x.tolist() for x in pairs(inner, outer)] == [[0, 0, 1], [0, 1, 0]]
    with pytest.raises(ToolError, match="unknown predicate"):
        pairs(inner, outer, "touches")


def test_shares_are_of_true_size() -> None:
    belt = shapely.box(0, 0, 1, 80)
    # From the equator to latitude 80 the northern half in degrees holds far less than half the area.
    share = share_inside([belt], [shapely.box(0, 40, 1, 80)])[0]
    assert share == pytest.approx(
        (np.sin(np.radians(80)) - np.sin(np.radians(40))) / np.sin(np.radians(80)), abs=0.003
    )
    assert share_inside([shapely.Point(0, 0), shapely.Point(5, 5)], [belt]).tolist() == [1, 0]
    line = shapely.LineString([(0, 0), (2, 0)])
    assert overlap([line], [belt], np.array([0]), np.array([0])) == pytest.approx([0.5])
    spots = shapely.MultiPoint([(0.5, 1), (7, 7), (8, 8), (9, 9)])
    assert overlap([spots], [belt], np.array([0]), np.array([0])) == pytest.approx([0.25])
    # Parts of the mask count together.
    halves = [shapely.box(0, 0, 0.5, 1), shapely.box(0.5, 0, 1, 1)]
    assert share_inside([shapely.box(0, 0, 1, 1)], halves) == pytest.approx([1])


def test_joined_tables_keep_codes_and_leave_gaps_empty() -> None:
    left = frame([shapely.Point(0.5, 0.5), shapely.Point(9, 9)], ["a", "b"])
    right = gpd.GeoDataFrame(
        {"fips": ["01001"], "name": ["Autauga"]}, geometry=[shapely.box(0, 0, 1, 1)], crs="EPSG:4326"
    )
    rows, zones, _ = join(left, right, "within", "first", right_id="fips")
    table = joined(left, right, rows, zones, "right_")
    assert table["fips"].tolist()[0] == "01001" and table["fips"].isna().tolist() == [False, True]
    assert table["name"].tolist() == ["a", "b"] and table["right_name"][0] == "Autauga"
