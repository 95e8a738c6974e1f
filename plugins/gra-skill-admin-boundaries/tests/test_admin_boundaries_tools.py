"""The tools on the embedded atlas, against published facts."""

from __future__ import annotations

import geopandas as gpd
import pytest
import shapely

from gra_core.testing import PluginConformance, check_result


class TestConformance(PluginConformance):
    plugin = "gra_skill_admin_boundaries.plugin"
    examples = {
        "find_regions": [{"name": "Nebraska"}, {"level": "state", "country": "BRA"}, {"name": "Atlantis"}],
        "get_boundaries": [{"region_ids": ["geoId/31", "country/FJI"]}],
        "list_subregions": [{"parent_id": "geoId/10", "level": "county"}, {"parent_id": "geoId/31147"}],
        "reverse_geocode": [{"points": [[-102.858, 42.142]]}, {"points": [[0, 0]], "levels": ["county"]}],
        "filter_regions": [
            {"regions": ["geoId/31", "geoId/20"], "mask": ["geoId/31147"], "predicate": "contains"}
        ],
    }


def frame_of(result) -> gpd.GeoDataFrame:
    return gpd.read_parquet(result.datasets[0].path)


# find_regions


@pytest.mark.parametrize(
    ("name", "region_id"),
    [
        ("Nebraska", "geoId/31"),
        ("nebraska", "geoId/31"),
        ("NEBRASKA ", "geoId/31"),
        ("CA", None),  # Canada by ISO, California by USPS
        ("TX", "geoId/48"),
        ("US-NE", "geoId/31"),
        ("USA", "country/USA"),
        ("Brasil", None),
        ("BRA", "country/BRA"),
        ("BR-SP", "iso3166-2/BR-SP"),
        ("sao paulo", "iso3166-2/BR-SP"),
        ("Cote d'Ivoire", "country/CIV"),
        ("Turkey", "country/TUR"),
        ("dona ana county", "geoId/35013"),
        ("Orange County, CA", "geoId/06059"),
        ("Orange County CA", "geoId/06059"),
        ("Orange County (California)", "geoId/06059"),
        ("Georgia (country)", "country/GEO"),
        ("Georgia, state", "geoId/13"),
        ("Georgia (city)", None),  # no level of the atlas
        ("Orange County, Calif.", None),
        ("Richardson County, Nebraska", "geoId/31147"),
        ("UK", "country/GBR"),
        ("06", "geoId/06"),
        ("31147", "geoId/31147"),
        ("geoId/31147", "geoId/31147"),
        ("6", None),  # no FIPS code without its zero
        ("XX-YY", None),
    ],
)
def test_names_and_codes_lead_to_one_region(gra_call, name, region_id):
    result = gra_call("find_regions", name=name)
    check_result(result)
    if region_id is None:
        assert (
            result.status == "empty"
            or result.content["equally_good"] != 1
            or result.content["candidates"][0]["match"] not in ("exact", "alias")
        )
    else:
        assert result.content["candidates"][0]["region_id"] == region_id
        assert result.content["equally_good"] == 1


def test_georgia_is_a_country_and_a_state(gra_content):
    content = gra_content("find_regions", name="Georgia")
    best = content["candidates"][: content["equally_good"]]
    assert {row["region_id"] for row in best} == {"country/GEO", "geoId/13"}
    assert [
        r["region_id"] for r in gra_content("find_regions", name="Georgia", level="state")["candidates"]
    ] == ["geoId/13"]
    assert (
        gra_content("find_regions", name="Georgia", country="United States", level="states")["equally_good"]
        == 1
    )


def test_the_eight_orange_counties_and_thirtyone_washingtons_are_all_given(gra_content):
    """Census: eight Orange Counties; thirty Washington Counties and a parish."""
    orange = gra_content("find_regions", name="Orange County", limit=50)
    assert orange["equally_good"] == 8
    washington = gra_content("find_regions", name="Washington", level="county", limit=100)
    assert washington["equally_good"] == 31
    assert washington["candidates"][0]["match"] == "alias"


def test_qualifiers_in_the_name_narrow_step_by_step(gra_call):
    result = gra_call("find_regions", name="Lancaster, NE")
    assert [r["region_id"] for r in result.content["candidates"]] == ["geoId/31109"]
    assert result.notes == ("'Lancaster, NE' was read as 'Lancaster' inside 'NE'",)
    deeper = gra_call("find_regions", name="Lancaster, Nebraska, United States")
    assert [r["region_id"] for r in deeper.content["candidates"]] == ["geoId/31109"]


def test_listing_by_level_country_and_parent(gra_content, gra_call):
    assert len(gra_content("find_regions", level="county", parent="Nebraska", limit=200)["candidates"]) == 93
    brazil = gra_content("find_regions", level="state", country="Brazil", limit=200)["candidates"]
    assert len(brazil) == 27 and {r["country"] for r in brazil} == {
        "BRA"
    }  # 26 states and the federal district
    cut = gra_content("find_regions", level="county", parent="geoId/48", limit=10)
    assert cut["more"] is True and len(cut["candidates"]) == 10
    assert (
        "'Nebraska' was read as Nebraska (geoId/31)"
        in gra_call("find_regions", level="county", parent="Nebraska").notes
    )


def test_fips_codes_keep_their_zeros(gra_content):
    found = gra_content("find_regions", name="Autauga County")["candidates"][0]
    assert found["region_id"] == "geoId/01001" and found["parent_id"] == "geoId/01"
    assert next(iter(gra_content("list_subregions", parent_id="geoId/09")["regions"])) == "geoId/09001"


def test_nothing_found_is_a_finding(gra_call):
    result = gra_call("find_regions", name="Atlantis", country="USA")
    assert (
        result.status == "empty"
        and "Atlantis" in result.content["reason"]
        and "places" in result.content["reason"]
    )


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({}, "bad_argument", "nothing to look for"),
        ({"name": "x", "level": "galaxy"}, "not_available", "level 'galaxy'"),
        ({"name": "x", "country": "Narnia"}, "not_found", "Narnia"),
        ({"name": "x", "parent": "Georgia"}, "bad_argument", "names 2 regions"),
        ({"name": "x", "parent": "geoId/99"}, "not_found", "geoId/99"),
        ({"name": "x", "limit": 0}, "bad_argument", "limit"),
        ({"name": 31}, "bad_argument", "string"),
        ({"nmae": "x"}, "bad_argument", "did you mean 'name'"),
    ],
)
def test_find_regions_refuses_bad_arguments(gra_error, arguments, kind, words):
    error = gra_error("find_regions", **arguments)
    assert error.kind == kind and words in error.message and error.hint


# get_boundaries


def test_areas_and_centres_agree_with_published_ones(gra_content):
    """Areas of the Census Bureau (Nebraska 77,348 square miles) and the UN (Fiji 18,272 km², Brazil 8.516 million km²)."""
    rows = {
        r["region_id"]: r
        for r in gra_content("get_boundaries", region_ids=["geoId/31", "country/FJI", "country/BRA"])[
            "regions"
        ]
    }
    assert rows["geoId/31"]["area_km2"] == pytest.approx(77_348 * 2.589988, rel=2e-3)
    assert rows["country/FJI"]["area_km2"] == pytest.approx(18_272, rel=0.02)
    assert rows["country/BRA"]["area_km2"] == pytest.approx(8_515_767, rel=0.01)
    lon, lat = rows["geoId/31"]["centroid"]
    assert (lon, lat) == (pytest.approx(-99.80, abs=0.05), pytest.approx(41.54, abs=0.05))
    assert rows["country/FJI"]["centroid"][0] == pytest.approx(
        178.5, abs=1
    )  # not 0: Fiji lies on the date line


def test_counties_add_up_to_their_state(gra_content):
    state = gra_content("get_boundaries", region_ids=["geoId/31"])["total_area_km2"]
    counties = gra_content(
        "get_boundaries", region_ids=list(gra_content("list_subregions", parent_id="geoId/31")["regions"])
    )
    assert counties["count"] == 93 and counties["total_area_km2"] == pytest.approx(state, rel=1e-6)


def test_boundaries_come_in_the_order_asked_with_units_and_lineage(gra_call):
    result = gra_call("get_boundaries", region_ids=["geoId/31147", "geoId/01001", "geoId/31147"])
    frame = frame_of(result)
    assert frame["region_id"].tolist() == ["geoId/31147", "geoId/01001"] and frame.crs.to_epsg() == 4326
    assert result.notes == ("1 repeated ids were dropped",)
    assert result.datasets[0].summary["units"]["area_km2"] == "km²"


@pytest.mark.parametrize(
    ("ids", "kind"),
    [
        (["geoId/31", "geoId/99"], "not_found"),
        (["Nebraska"], "not_found"),
        ([], "bad_argument"),
        ("geoId/31", "bad_argument"),
    ],
)
def test_get_boundaries_names_what_is_wrong(gra_error, ids, kind):
    error = gra_error("get_boundaries", region_ids=ids)
    assert error.kind == kind and "geoId/31 " not in error.message


# list_subregions


@pytest.mark.parametrize(
    ("parent", "level", "count"),
    [
        ("geoId/31", "county", 93), ("Nebraska", "", 93), ("geoId/48", "counties", 254), ("geoId/10", "county", 3), ("geoId/11", "", 1),
        ("country/USA", "state", 56), ("country/USA", "county", 3231), ("country/BRA", "", 27), ("country/CAN", "", 13),
    ],
)  # fmt: skip
def test_numbers_of_subregions(gra_call, parent, level, count):
    """Census Bureau (2017 boundaries, with territories), IBGE, Statistics Canada."""
    result = gra_call("list_subregions", parent_id=parent, level=level)
    check_result(result)
    assert result.content["count"] == count and len(frame_of(result)) == count
    assert len(result.content["regions"]) == min(count, 300)
    assert any("all are in ds://" in note for note in result.notes) == (count > 300)


def test_all_countries_are_listed_from_earth(gra_content):
    content = gra_content("list_subregions", parent_id="Earth", level="country")
    assert content["count"] > 190 and content["regions"]["country/JPN"] == "Japan"


def test_a_region_without_any_below_is_empty(gra_call):
    result = gra_call("list_subregions", parent_id="geoId/31147")
    assert result.status == "empty" and "geoId/31147" in result.content["reason"]


def test_an_ambiguous_parent_is_never_guessed(gra_error):
    error = gra_error("list_subregions", parent_id="Georgia")
    assert error.kind == "bad_argument" and "country/GEO" in error.hint and "geoId/13" in error.hint


# reverse_geocode


def test_carhenge_lies_in_box_butte_county(gra_content):
    """City of Alliance, Nebraska: by coordinates and by name."""
    for points in (
        [[-102.858, 42.1422]],
        ["Carhenge"],
        {"type": "Point", "coordinates": [-102.858, 42.1422]},
    ):
        (row,) = gra_content("reverse_geocode", points=points)["points"]
        assert row["regions"]["county"] == {"region_id": "geoId/31013", "name": "Box Butte County"}
        assert (
            row["regions"]["state"]["region_id"] == "geoId/31"
            and row["regions"]["country"]["region_id"] == "country/USA"
        )


def test_points_keep_their_order_and_the_sea_is_named(gra_call):
    result = gra_call(
        "reverse_geocode", points=[[-122.335, 47.608], [-30, 30], [2.35, 48.85]], levels=["states", "country"]
    )
    assert result.content["in_no_region"] == [1]
    regions = [row["regions"] for row in result.content["points"]]
    assert (
        regions[0]["state"]["name"] == "Washington"
        and regions[1] == {}
        and regions[2]["country"]["name"] == "France"
    )
    assert "county" not in regions[0]


def test_open_sea_is_empty(gra_call):
    assert gra_call("reverse_geocode", points=[[-30, 30]]).status == "empty"


def test_a_point_on_a_border_goes_to_the_smaller_id_with_a_note(gra_call, gra_registry):
    counties = gra_registry.source_catalogue["boundaries=atlas"]
    source = counties.open(counties.settings())
    arizona, utah = source.get(region_ids=["geoId/04", "geoId/49"]).geometry
    shared = shapely.intersection(arizona, utah)
    x, y = shapely.get_coordinates(shared)[1]
    result = gra_call("reverse_geocode", points=[[x, y]], levels=["state"])
    assert result.content["points"][0]["regions"]["state"]["name"] == "Arizona"
    assert result.notes == ("points on a border, given to the region with the smaller id: 0",)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([[47.6, -122.3]], "latitude"), ([[200, 10]], "beyond"), ([], "nothing"), ([["a", "b"]], "expected number"), ("ds://none-1", "no dataset"),
        ({"type": "Point", "coordinates": [0]}, "longitude, latitude"),
    ],
)  # fmt: skip
def test_reverse_geocode_refuses_bad_points(gra_error, points, words):
    error = gra_error("reverse_geocode", points=points)
    assert error.kind in ("bad_argument", "not_found") and words in f"{error.message} {error.hint}"


# filter_regions


@pytest.fixture
def all_counties(gra_call) -> str:
    return gra_call("list_subregions", parent_id="country/USA", level="county").datasets[0].ref


@pytest.mark.parametrize(
    ("county", "neighbours"),
    [
        ("geoId/31109", "Butler, Cass, Gage, Johnson, Otoe, Saline, Saunders, Seward"),  # Lancaster, Nebraska
        ("geoId/08014", "Adams, Boulder, Jefferson, Weld"),  # Broomfield, Colorado
    ],
)
def test_neighbours_of_a_county(gra_content, all_counties, county, neighbours):
    """As the counties' articles in Wikipedia list them."""
    content = gra_content("filter_regions", regions=all_counties, mask=[county], predicate="touches")
    assert ", ".join(row["name"].removesuffix(" County") for row in content["regions"]) == neighbours
    assert content["of"] == 3231


def test_the_fifty_states_and_dc_have_3142_counties(gra_content, all_counties):
    """Census Bureau, 2017; the other 89 of the 3,231 are in the territories."""
    content = gra_content("filter_regions", regions=all_counties, mask=["country/USA"], predicate="within")
    assert content["kept"] == 3142 and len(content["regions"]) == 150


def test_colorado_touches_seven_states_one_of_them_in_a_point(gra_call, gra_content):
    states = gra_call("list_subregions", parent_id="country/USA").datasets[0].ref
    content = gra_content("filter_regions", regions=states, mask=["geoId/08"], predicate="touches")
    assert sorted(row["name"] for row in content["regions"]) == [
        "Arizona",
        "Kansas",
        "Nebraska",
        "New Mexico",
        "Oklahoma",
        "Utah",
        "Wyoming",
    ]


def test_neighbours_of_switzerland(gra_call, gra_content):
    countries = gra_call("list_subregions", parent_id="Earth", level="country").datasets[0].ref
    content = gra_content("filter_regions", regions=countries, mask=["country/CHE"], predicate="touches")
    assert {row["region_id"].removeprefix("country/") for row in content["regions"]} == {
        "AUT",
        "DEU",
        "FRA",
        "ITA",
        "LIE",
    }


def test_counties_lie_within_their_state_and_no_other_does(gra_content, all_counties):
    content = gra_content("filter_regions", regions=all_counties, mask=["geoId/31"], predicate="within")
    assert content["kept"] == 93 and all(
        row["region_id"].startswith("geoId/31") for row in content["regions"]
    )
    assert all(row["overlap_share"] == 1 for row in content["regions"])


def test_a_mask_across_the_date_line_meets_both_sides(gra_content, gra_call):
    box = {"type": "Polygon", "coordinates": [[[179, -19], [-179, -19], [-179, -15], [179, -15], [179, -19]]]}
    result = gra_call("filter_regions", regions=["country/FJI", "country/GHA"], mask=box)
    assert [row["region_id"] for row in result.content["regions"]] == ["country/FJI"]
    assert any("180th meridian" in note for note in result.notes)


def test_min_overlap_means_mostly_inside(gra_content, gra_call):
    """A box over the western half of Colorado (109.05°W to 102.05°W) takes Wyoming's sliver only without min_overlap."""
    box = {
        "type": "Polygon",
        "coordinates": [[[-109.1, 36.9], [-103, 36.9], [-103, 41.2], [-109.1, 41.2], [-109.1, 36.9]]],
    }
    states = ["geoId/08", "geoId/56", "geoId/49"]
    loose = gra_content("filter_regions", regions=states, mask=box)
    strict = gra_content("filter_regions", regions=states, mask=box, min_overlap=0.5)
    assert loose["kept"] == 3 and [row["region_id"] for row in strict["regions"]] == ["geoId/08"]
    assert 0.8 < strict["regions"][0]["overlap_share"] < 0.9


def test_no_region_kept_is_a_finding(gra_call):
    result = gra_call("filter_regions", regions=["geoId/31"], mask=["country/FRA"], predicate="touches")
    assert result.status == "empty" and "touches" in result.content["reason"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"regions": ["geoId/31"], "mask": {"type": "Polygon", "coordinates": []}}, "empty"),
        (
            {
                "regions": ["geoId/31"],
                "mask": {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [0, 1], [1, 0], [0, 0]]]},
            },
            "crosses",
        ),
        ({"regions": ["geoId/31"], "mask": {"type": "Poligon", "coordinates": []}}, "Poligon"),
        ({"regions": ["Nebraska"], "mask": ["geoId/31"]}, "not a region id"),
        ({"regions": ["geoId/31"], "mask": ["geoId/31"], "predicate": "near"}, "expected one of"),
        ({"regions": ["geoId/31"], "mask": ["geoId/31"], "min_overlap": 1.5}, "at most"),
        (
            {"regions": ["geoId/31"], "mask": ["geoId/31"], "predicate": "touches", "min_overlap": 0.5},
            "cannot be met",
        ),
        ({"regions": "ds://../etc", "mask": ["geoId/31"]}, "not a dataset reference"),
        ({"regions": {"type": "Point", "coordinates": [0, 0]}, "mask": ["geoId/31"]}, "polygons"),
    ],
)
def test_filter_regions_refuses_bad_input(gra_error, arguments, words):
    error = gra_error("filter_regions", **arguments)
    assert error.kind == "bad_argument" and words in error.message
