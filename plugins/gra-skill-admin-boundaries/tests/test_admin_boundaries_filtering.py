"""Regions chosen by a mask, on synthetic shapes with known areas."""

from __future__ import annotations

import geopandas as gpd
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from pyproj import Geod

from gra_core import ToolError
from gra_skill_admin_boundaries.filtering import PREDICATES, select
from gra_skill_admin_boundaries.levels import level_named

GEOD = Geod(ellps="WGS84")


def frame(*shapes: shapely.Geometry) -> gpd.GeoDataFrame:
    ids = [f"synthetic/{i}" for i in range(len(shapes))]
    return gpd.GeoDataFrame({"region_id": ids, "name": ids}, geometry=list(shapes), crs="EPSG:4326")


ROW = frame(*(shapely.box(x, 0, x + 1, 1) for x in range(5)))


@pytest.mark.parametrize(
    ("predicate", "mask", "kept"),
    [
        ("intersects", shapely.box(0.5, 0, 2, 1), [0, 1, 2]),
        ("within", shapely.box(0.5, 0, 3, 1), [1, 2]),
        ("within", shapely.box(1, 0, 2, 1), [1]),
        ("contains", shapely.Point(2.5, 0.5), [2]),
        ("contains", shapely.box(2, 0, 3, 1), [2]),
        ("touches", shapely.box(2, 0, 3, 1), [1, 3]),
        ("overlaps", shapely.box(0.5, 0.2, 2.5, 0.8), [0, 1, 2]),
        ("disjoint", shapely.box(0.5, 0, 2, 1), [3, 4]),
    ],
)
def test_predicates(predicate, mask, kept):
    chosen = select(ROW, frame(mask), predicate)
    assert chosen["region_id"].tolist() == [f"synthetic/{k}" for k in kept]


def test_several_masks_count_as_one():
    halves = frame(shapely.box(0, 0, 0.5, 1), shapely.box(0.5, 0, 1, 1))
    assert select(ROW, halves, "within")["region_id"].tolist() == ["synthetic/0"]


def test_overlap_share_is_geodesic_not_planar():
    """The northern half, in degrees, of a region from the equator to 60°N is much less than half of its area."""
    region, mask = frame(shapely.box(0, 0, 1, 60)), frame(shapely.box(-1, 30, 2, 61))
    share = float(select(region, mask, "intersects")["overlap_share"].iloc[0])

    def area(south: float, north: float) -> float:
        ring = shapely.segmentize(shapely.box(0, south, 1, north), 0.01)
        return abs(GEOD.geometry_area_perimeter(ring)[0])

    assert share == pytest.approx(area(30, 60) / area(0, 60), rel=1e-4)
    assert share < 0.43


@given(width=st.floats(0.01, 0.99))
def test_min_overlap_at_one_latitude_is_the_share_of_the_width(width):
    mask = frame(shapely.box(0, -1, width, 2))
    share = float(select(ROW.head(1), mask, "intersects")["overlap_share"].iloc[0])
    assert share == pytest.approx(width, rel=1e-9)
    assert len(select(ROW.head(1), mask, "intersects", width * 0.999)) == 1
    assert len(select(ROW.head(1), mask, "intersects", min(1.0, width * 1.001))) == 0


def test_shares_of_whole_and_bare_touch():
    chosen = select(ROW, frame(shapely.box(1, 0, 2, 1)), "intersects")
    assert chosen.set_index("region_id")["overlap_share"].to_dict() == {
        "synthetic/0": 0.0,
        "synthetic/1": 1.0,
        "synthetic/2": 0.0,
    }


@pytest.mark.parametrize("predicate", ["touches", "disjoint"])
def test_min_overlap_of_what_does_not_overlap_is_refused(predicate):
    with pytest.raises(ToolError, match=r"min_overlap 0\.5") as caught:
        select(ROW, frame(shapely.Point(0, 0)), predicate, 0.5)
    assert caught.value.kind == "bad_argument"


@given(x=st.floats(-1, 6), y=st.floats(-1, 2), predicate=st.sampled_from(sorted(PREDICATES)))
def test_a_predicate_and_its_negation_split_the_regions(x, y, predicate):
    mask = frame(shapely.box(x, y, x + 1.5, y + 0.5))
    kept = set(select(ROW, mask, predicate)["region_id"])
    assert (kept == set()) or kept <= set(ROW["region_id"])
    assert set(select(ROW, mask, "intersects")["region_id"]) | set(
        select(ROW, mask, "disjoint")["region_id"]
    ) == set(ROW["region_id"])


LEVELS = {"country": 240, "state": 100, "county": 3231}


@pytest.mark.parametrize(
    ("word", "level"),
    [("", ""), ("county", "county"), ("Counties", "county"), ("parishes", "county"), ("States", "state"), ("province", "state"), ("admin-1", "state"),
     ("first_level", "state"), ("Nations", "country")],
)  # fmt: skip
def test_words_for_levels(word, level):
    assert level_named(word, LEVELS) == level


@pytest.mark.parametrize("word", ["tract", "zip code", "galaxy"])
def test_a_level_that_is_not_there_lists_those_that_are(word):
    with pytest.raises(ToolError, match="no regions of level") as caught:
        level_named(word, LEVELS)
    assert caught.value.kind == "not_available" and "county (3231)" in caught.value.hint
