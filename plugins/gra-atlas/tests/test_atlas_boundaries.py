"""Source boundaries: finding by name, hierarchy, geometries, points to regions."""

from concurrent.futures import ThreadPoolExecutor

import geopandas as gpd
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from gra_atlas.boundaries import AtlasBoundaries
from gra_core import ToolError
from gra_core.testing.strategies import positions
from gra_geo.protocols import REGION_COLUMNS


@pytest.fixture(scope="module")
def atlas():
    return AtlasBoundaries()


def test_levels(atlas):
    assert list(atlas.levels().items()) == [("country", 244), ("state", 105), ("county", 3231)]


@pytest.mark.parametrize(
    ("name", "options", "region_id", "match"),
    [
        ("Nebraska", {}, "geoId/31", "exact"), ("NEBRASKA", {}, "geoId/31", "exact"),
        ("Richardson County", {}, "geoId/31147", "exact"), ("richardson county, ne", {}, "geoId/31147", "alias"),
        ("Sao Paulo", {}, "iso3166-2/BR-SP", "exact"), ("são paulo", {"level": "state"}, "iso3166-2/BR-SP", "exact"),
        ("Cote d'Ivoire", {}, "country/CIV", "alias"), ("Ivory Coast", {}, "country/CIV", "exact"),
        ("UK", {}, "country/GBR", "alias"), ("USA", {}, "country/USA", "alias"),
        ("Saint Louis", {"level": "county", "parent": "geoId/29"}, "geoId/29189", "alias"),
        ("St. Louis County", {"parent": "geoId/29"}, "geoId/29189", "exact"),
        ("Dona Ana County", {}, "geoId/35013", "exact"), ("Quebec", {}, "iso3166-2/CA-QC", "exact"),
        ("Turkey", {}, "country/TUR", "exact"), ("Türkiye", {}, "country/TUR", "alias"),
    ],
)  # fmt: skip
def test_find_best(atlas, name, options, region_id, match):
    best = atlas.find(name=name, **options).iloc[0]
    assert (best.region_id, best["match"]) == (region_id, match)


def test_ambiguous_names_give_all_candidates(atlas):
    georgia = atlas.find(name="Georgia")
    assert list(georgia[georgia["match"] == "exact"].region_id) == ["country/GEO", "geoId/13"]
    # 30 counties and one parish are named after Washington (Census, 2017)
    washington = atlas.find(name="Washington", level="county", limit=100)
    assert (washington["match"] == "alias").sum() == 31
    assert set(washington[washington["match"] == "alias"].short_name) == {"Washington"}
    richmond = atlas.find(name="Richmond", parent="geoId/51", level="county")
    assert set(richmond[richmond["match"] == "alias"].name) == {"Richmond city", "Richmond County"}


def test_order_exact_alias_prefix_part(atlas):
    found = atlas.find(name="Niger", limit=50)
    ranks = found["match"].map(["exact", "alias", "prefix", "part"].index)
    assert ranks.is_monotonic_increasing
    assert found.iloc[0].region_id == "country/NER" and "country/NGA" in set(found.region_id)


def test_find_filters(atlas):
    assert set(atlas.find(country="bra", level="state", limit=99).country) == {"BRA"}
    assert len(atlas.find(country="BRA", level="state", limit=99)) == 27
    inside = atlas.find(name="Lancaster", parent="country/USA", limit=50)
    assert {"geoId/31109", "geoId/42071", "geoId/45057", "geoId/51103"} <= set(inside.region_id)
    assert list(atlas.find(name="Lancaster County", parent="geoId/31").region_id) == ["geoId/31109"]
    assert atlas.find(name="Atlantis").empty and list(REGION_COLUMNS) == list(atlas.find(name="Atlantis"))[:6]
    assert atlas.find(name="  ").attrs["total"] == 3580
    assert len(atlas.find(limit=7)) == 7


def test_find_refuses_unknown_levels_and_parents(atlas):
    with pytest.raises(ToolError, match="unknown level") as error:
        atlas.find(name="x", level="canton")
    assert error.value.kind == "bad_argument" and "county" in error.value.hint
    with pytest.raises(ToolError) as error:
        atlas.find(name="x", parent="geoId/99")
    assert error.value.kind == "not_found"


def test_get_keeps_order_and_repeats(atlas):
    ids = ["geoId/31147", "country/FJI", "geoId/31", "geoId/31147", "iso3166-2/BR-SP"]
    found = atlas.get(region_ids=ids)
    assert isinstance(found, gpd.GeoDataFrame) and found.crs.to_epsg() == 4326
    assert list(found.region_id) == ids and list(found.columns[:6]) == list(REGION_COLUMNS)
    assert found.geometry.notna().all()
    with pytest.raises(ToolError, match="country/XYZ") as error:
        atlas.get(region_ids=["geoId/31", "country/XYZ"])
    assert error.value.kind == "not_found"


def test_callers_cannot_change_the_atlas(atlas):
    first = atlas.get(region_ids=["geoId/31"])
    first.loc[0, "name"] = "changed"
    first["geometry"] = shapely.Point(0, 0)
    again = atlas.get(region_ids=["geoId/31"])
    assert again.name[0] == "Nebraska" and again.geometry[0].geom_type != "Point"


@pytest.mark.parametrize(
    ("parent", "level", "count"),
    [
        ("geoId/31", "", 93), ("country/USA", "", 56), ("country/USA", "county", 3231), ("Earth", "", 244),
        ("country/BRA", "", 27), ("country/CAN", "", 13), ("country/FRA", "", 0), ("geoId/31147", "", 0),
        ("Earth", "county", 3231),
    ],
)  # fmt: skip
def test_children(atlas, parent, level, count):
    found = atlas.children(parent_id=parent, level=level)
    assert len(found) == count and found.region_id.is_monotonic_increasing


def test_children_of_an_unknown_region(atlas):
    with pytest.raises(ToolError) as error:
        atlas.children(parent_id="geoId/99")
    assert error.value.kind == "not_found"


def test_containing(atlas):
    points = [
        [-102.8580, 42.1422],
        [2.2945, 48.8584],
        [-30.0, 0.0],
        [-66.1, 18.4],
        [-175.0, 66.5],
        [0.0, -90.0],
    ]
    found = atlas.containing(points=points, levels=[])
    pairs = {(int(p), r) for p, r in zip(found.point, found.region_id, strict=True)}
    assert pairs == {
        (0, "country/USA"), (0, "geoId/31"), (0, "geoId/31013"), (1, "country/FRA"), (3, "country/PRI"),
        (3, "geoId/72"), (3, "geoId/72127"), (4, "country/RUS"), (5, "country/ATA"),
    }  # fmt: skip
    assert list(atlas.containing(points=points, levels=["state"]).region_id) == ["geoId/31", "geoId/72"]
    assert atlas.containing(points=[], levels=["state"]).empty


def test_a_point_on_a_border_has_all_its_regions(atlas):
    nebraska, kansas = atlas.get(region_ids=["geoId/31", "geoId/20"]).geometry
    border = shapely.get_parts(nebraska.boundary.intersection(kansas.boundary))
    vertex = next(shapely.get_coordinates(part)[0] for part in border if part.geom_type != "Point")
    found = atlas.containing(points=[list(vertex)], levels=["state"])
    assert set(found.region_id) >= {"geoId/31", "geoId/20"}


@pytest.mark.parametrize("point", [[181.0, 0.0], [0.0, 91.0], [float("nan"), 0.0], [42.1, -102.8], [1.0]])
def test_containing_refuses_bad_points(atlas, point):
    with pytest.raises(ToolError) as error:
        atlas.containing(points=[point], levels=["state"])
    assert error.value.kind == "bad_argument"


@settings(max_examples=60, deadline=None)
@given(st.lists(positions(), min_size=1, max_size=5))
def test_containing_agrees_with_shapely(points):
    atlas = AtlasBoundaries()
    countries = atlas.children(parent_id="Earth")
    found = atlas.containing(points=points, levels=["country"])
    for index, point in enumerate(points):
        expected = set(countries.region_id[countries.geometry.intersects(shapely.Point(point))])
        assert set(found.region_id[found.point == index]) == expected


def test_many_threads_see_one_atlas():
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: AtlasBoundaries().children(parent_id="geoId/31"), range(16)))
    assert all(len(r) == 93 and r.geometry.notna().all() for r in results)
