"""The tools on the embedded atlas, against published facts and independent counts."""

from __future__ import annotations

import geopandas as gpd
import pandas as pd
import pytest
import shapely

from gra_core.testing import PluginConformance, check_result

TERRITORIES = {"geoId/60", "geoId/66", "geoId/69", "geoId/72", "geoId/78"}


class TestConformance(PluginConformance):
    plugin = "gra_skill_places.plugin"
    examples = {
        "search_places": [
            {"region": "Nebraska", "types": ["city"], "sort_by": "population", "limit": 3},
            {"text": "Carhenge"},
            {"region": ["country/VAT"], "types": ["airport"]},
        ],
        "count_places": [{"regions": ["geoId/31", "geoId/20"], "types": ["city", "airport"]}],
        "get_place_details": [{"place_ids": ["iata/LNK"], "fields": ["elevation_m"]}],
        "get_place_center": [{"name": "Carhenge"}, {"name": "Newcastle", "near": "UK"}, {"name": "Xyzzy"}],
    }


@pytest.fixture(scope="module")
def atlas(gra_registry):
    """The embedded sources, for independent counts."""

    def open_source(kind: str):
        source = gra_registry.source_catalogue[f"{kind}=atlas"]
        return source.open(source.settings())

    return open_source


# get_place_center


def test_carhenge_is_where_it_is(gra_content):
    """Carhenge near Alliance, Nebraska: 42°08′32″N 102°51′29″W."""
    content = gra_content("get_place_center", name="Carhenge")
    assert content["center"] == [pytest.approx(-102.858, abs=0.005), pytest.approx(42.142, abs=0.005)]
    assert content["place"]["type"] == "landmark" and content["place"]["place_id"]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Newcastle, UK", ""),
        ("Newcastle, United Kingdom", ""),
        ("newcastle", "UK"),
        ("Newcastle", "country/GBR"),
        ("Newcastle, GB", ""),
    ],
)
def test_newcastle_in_the_united_kingdom_is_never_the_one_in_australia(gra_content, name, near):
    """Fault 18: several places of the country have the name, so they are candidates, and nothing outside it is."""
    content = gra_content("get_place_center", name=name, near=near)
    assert content["center"] is None
    assert {row["country"] for row in content["candidates"]} == {"GBR"}
    assert content["candidates"][0]["name"] == "Newcastle upon Tyne"


@pytest.mark.parametrize(
    ("name", "near", "expected"),
    [
        ("Newcastle", [-1.6, 55.0], "Newcastle upon Tyne, GBR"),
        ("Newcastle, Northern Ireland", "", None),  # no region of the atlas has that name
        ("Portland, Oregon", "", "Portland, USA"),
        ("Portland OR", "", "Portland, USA"),
        ("Portland (Oregon)", "", "Portland, USA"),
        ("Carhenge (sculpture)", "", None),  # a bracket that is no place is no error
        ("Portland", "geoId/23", "Portland, USA"),
        ("portland, maine, usa", "", "Portland, USA"),
        ("Lincoln, Nebraska", "", "Lincoln, USA"),
        ("Lincoln, NE", "", "Lincoln, USA"),
        ("Springfield, Greene County, Missouri", "", "Springfield, USA"),
        ("Paris, France", "", "Paris, FRA"),
        ("Paris, Texas", "", "Paris, USA"),
        ("London", "Ontario", "London, CAN"),
        ("koln", "", "Köln, DEU"),
        ("São Paulo", "", "São Paulo, BRA"),
        ("Washington, D.C.", "", "Washington, USA"),
        ("Tokyo", "", "Tokyo, JPN"),
        ("LNK", "", "Lincoln Airport, USA"),
    ],
)
def test_qualified_names(gra_call, name, near, expected):
    result = gra_call("get_place_center", name=name, near=near)
    check_result(result)
    if expected is None:
        assert result.status == "error" or result.content.get("center") is None
        return
    place = result.content["place"]
    assert f"{place['name']}, {place['country']}" == expected
    assert result.content["center"] == [place["lon"], place["lat"]]


def test_the_right_portland_of_two(gra_content):
    """Portland, Oregon (45.52°N) and Portland, Maine (43.66°N)."""
    assert gra_content("get_place_center", name="Portland, Oregon")["center"][1] == pytest.approx(
        45.52, abs=0.05
    )
    assert gra_content("get_place_center", name="Portland, ME")["center"][1] == pytest.approx(43.66, abs=0.05)


@pytest.mark.parametrize("name", ["Paris", "London", "Springfield", "Portland", "Newcastle"])
def test_ambiguous_names_give_candidates_not_a_guess(gra_content, name):
    content = gra_content("get_place_center", name=name)
    assert (
        content["center"] is None
        and content["total"] > 1
        and content["reason"] == "several places have this name"
    )
    people = [row.get("population", -1) for row in content["candidates"]]
    assert people == sorted(people, reverse=True)
    assert all({"place_id", "name", "country", "lon", "lat"} <= set(row) for row in content["candidates"])


def test_near_a_point_nothing_of_the_name_lies_by(gra_content):
    content = gra_content("get_place_center", name="Springfield", near="Boston")
    assert content["center"] is None and "within 100 km of Boston" in content["reason"]
    assert content["candidates"][0]["admin1"] == "Massachusetts"
    distances = [row["distance_km"] for row in content["candidates"]]
    assert distances == sorted(distances) and distances[0] == pytest.approx(129, abs=5)


def test_a_part_of_a_name_gives_candidates(gra_content):
    content = gra_content("get_place_center", name="Nebraska")
    assert content["center"] is None and content["reason"] == "no place has exactly this name"


def test_types_narrow(gra_content):
    content = gra_content("get_place_center", name="Lincoln Airport, Nebraska", types=["airports"])
    assert content["place"]["place_id"] == "iata/LNK"


def test_an_unknown_name_is_a_finding(gra_call):
    result = gra_call("get_place_center", name="Xyzzy")
    assert result.status == "empty" and "Xyzzy" in result.content["reason"]


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"name": " "}, "bad_argument", "empty"),
        ({"name": "Lincoln", "near": [41, -96]}, "bad_argument", "longitude first"),
        ({"name": "Lincoln", "near": [1, 2, 3]}, "bad_argument", "longitude first"),
        ({"name": "Lincoln", "near": "Atlantis of Plato"}, "not_found", "Atlantis of Plato"),
        ({"name": "Lincoln", "near": "geoId/99"}, "not_found", "geoId/99"),
        ({"name": "Lincoln", "types": ["airprot"]}, "not_available", "did you mean 'airport'"),
        ({}, "bad_argument", "missing parameter 'name'"),
    ],
)
def test_get_place_center_refuses_bad_arguments(gra_error, arguments, kind, words):
    error = gra_error("get_place_center", **arguments)
    assert error.kind == kind and words in f"{error.message} {error.hint}"


# search_places


def test_the_most_populous_cities_of_a_state_and_a_country(gra_content):
    """US Census Bureau; IBGE."""
    nebraska = gra_content("search_places", region="Nebraska", types=["city"], sort_by="population", limit=3)
    assert [row["name"] for row in nebraska["places"]] == ["Omaha", "Lincoln", "Bellevue"]
    brazil = gra_content(
        "search_places", region=["country/BRA"], types=["cities"], min_population=1_000_000, limit=100
    )
    assert [row["name"] for row in brazil["places"][:2]] == ["São Paulo", "Rio de Janeiro"]
    assert (
        all(row["population"] >= 1_000_000 for row in brazil["places"])
        and brazil["total"] == brazil["returned"]
    )


@pytest.mark.parametrize("region", ["geoId/31", "Nebraska", "NE, USA", ["geoId/31"], ["Nebraska"]])
def test_regions_by_id_and_name(gra_call, region):
    result = gra_call("search_places", region=region, types=["city"])
    if region == "NE, USA":
        assert result.error.kind == "not_found"
    else:
        assert result.content["places"][0]["name"] == "Omaha"


def test_search_agrees_with_an_independent_selection(gra_content, atlas):
    """Airports of Nebraska by a loop over all of them, with one shape test each."""
    (state,) = atlas("boundaries").get(region_ids=["geoId/31"]).geometry
    airports = atlas("places").search(types=["airport"], limit=100_000)
    inside = {r.place_id for r in airports.itertuples() if state.covers(shapely.Point(r.lon, r.lat))}
    own = set(airports["place_id"][airports["state_id"] == "geoId/31"]) if "state_id" in airports else set()
    content = gra_content("search_places", region="geoId/31", types=["airport"], limit=5000)
    assert content["total"] == len(inside | own) > 100


def test_a_harbour_town_off_the_generalised_coast_is_found(gra_content):
    """West Haven lies in the water of the simplified outline; GeoNames says Connecticut."""
    content = gra_content("search_places", region="geoId/09", text="West Haven")
    assert content["places"][0]["name"] == "West Haven" and content["places"][0]["match"] == "exact"


def test_a_region_across_the_date_line(gra_content):
    """Fiji's Matei (179.9°W) and Labasa (179.3°E) airports, and nothing on the other side of the world."""
    box = {"type": "Polygon", "coordinates": [[[179, -18], [-179, -18], [-179, -16], [179, -16], [179, -18]]]}
    content = gra_content("search_places", region=box, types=["airport"], limit=100)
    assert {"iata/TVU", "iata/LBS"} <= {row["place_id"] for row in content["places"]}
    assert {row["country"] for row in content["places"]} == {"FJI"}


def test_text_ignores_case_and_accents_and_ranks_matches(gra_content):
    content = gra_content("search_places", text="SAO PAULO", types=["city"], limit=5)
    assert content["places"][0]["name"] == "São Paulo" and content["places"][0]["match"] == "exact"


def test_the_dataset_holds_all_and_the_reply_a_few(gra_call):
    result = gra_call("search_places", region="country/FRA", types=["city"], limit=500, sort_by="name")
    frame = gpd.read_parquet(result.datasets[0].path)
    assert len(frame) == 500 == result.content["returned"] and len(result.content["places"]) == 50
    assert result.content["total"] > 500 and result.content["total_is_complete"] is True
    assert frame.crs.to_epsg() == 4326 and frame["name"].str.casefold().is_monotonic_increasing
    assert any("shows 50 of 500" in note for note in result.notes)
    assert result.datasets[0].summary["units"]["population"] == "people"


def test_results_feed_the_next_call(gra_call, gra_content):
    ref = gra_call("list_subregions", parent_id="geoId/31").datasets[0].ref
    assert gra_content("search_places", region=ref, types=["city"])["places"][0]["name"] == "Omaha"


def test_nothing_found_is_a_finding(gra_call):
    result = gra_call("search_places", region="country/VAT", types=["airport"])
    assert result.status == "empty" and result.content["reason"] == "the source has no airport in the region"


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({}, "bad_argument", "nothing to look for"),
        ({"region": "Georgia", "types": ["city"]}, "bad_argument", "names 2 regions"),
        ({"region": "Atlantis", "types": ["city"]}, "not_found", "Atlantis"),
        ({"region": ["geoId/31"], "types": ["hospital"]}, "not_available", "overpass"),
        ({"types": ["city"], "min_rating": 4}, "not_available", "no ratings"),
        (
            {"region": ["geoId/31"], "types": ["airport"], "sort_by": "population"},
            "not_available",
            "no population",
        ),
        ({"types": ["city"], "sort_by": "size"}, "bad_argument", "expected one of"),
        ({"types": ["city"], "limit": 0}, "bad_argument", "at least"),
        ({"types": "city"}, "bad_argument", "expected array"),
        ({"region": {"type": "Point", "coordinates": [0, 0]}, "types": ["city"]}, "bad_argument", "polygons"),
        ({"region": "ds://nothing-1", "types": ["city"]}, "not_found", "no dataset"),
    ],
)
def test_search_places_refuses_bad_arguments(gra_error, arguments, kind, words):
    error = gra_error("search_places", **arguments)
    assert error.kind == kind and words in f"{error.message} {error.hint}"


# count_places


def test_counts_of_counties_add_up_to_the_state(gra_call, gra_content):
    ref = gra_call("list_subregions", parent_id="geoId/31").datasets[0].ref
    result = gra_call("count_places", regions=ref, types=["airport"])
    counts = pd.Series(gpd.read_parquet(result.datasets[0].path)["count"])
    assert len(counts) == 93 and counts.sum() == result.content["total"]
    assert (
        result.content["total"] == gra_content("search_places", region="geoId/31", types=["airport"])["total"]
    )
    shown = [row["count"] for row in result.content["regions"]]
    assert shown == sorted(shown, reverse=True) and "counted once" in result.content["rule"]


def test_counts_agree_with_independent_ones(gra_content, atlas):
    """Cities by county through the source's own table, one comparison each."""
    cities = atlas("places").search(types=["city"], country="USA", limit=100_000)
    expected = cities["county_id"].value_counts()
    ids = ["geoId/06037", "geoId/31109", "geoId/01001", "geoId/31005"]
    content = gra_content("count_places", regions=ids, types=["city"])
    assert {row["region_id"]: row["count"] for row in content["regions"]} == {
        i: int(expected.get(i, 0)) for i in ids
    }


def test_every_us_county_at_once_counts_each_city_once(gra_call, atlas):
    ref = gra_call("list_subregions", parent_id="country/USA", level="county").datasets[0].ref
    result = gra_call("count_places", regions=ref, types=["city"])
    frame = gpd.read_parquet(result.datasets[0].path)
    assert len(frame) == 3231 and int(frame["count"].sum()) == result.content["total"]
    cities = atlas("places").search(types=["city"], limit=100_000)
    # GeoNames gives counties' codes in the states only; in the territories coordinates decide.
    islands = [s for s, i in zip(frame.geometry, frame["parent_id"], strict=True) if i in TERRITORIES]
    there = cities[(cities["county_id"] == "") & cities["country"].isin(["PRI", "GUM", "VIR", "MNP", "ASM"])]
    inside = [any(s.covers(shapely.Point(r.lon, r.lat)) for s in islands) for r in there.itertuples()]
    assert result.content["total"] == int((cities["county_id"] != "").sum()) + sum(inside)


def test_overlapping_regions_are_said_to_overlap(gra_call):
    square = {
        "type": "Polygon",
        "coordinates": [[[-97, 40.5], [-96, 40.5], [-96, 41], [-97, 41], [-97, 40.5]]],
    }
    collection = {"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"name": name}, "geometry": square} for name in ("one", "other")
    ]}  # fmt: skip
    result = gra_call("count_places", regions=collection, types=["city"])
    first, second = (row["count"] for row in result.content["regions"])
    assert first == second == result.content["total"] > 0
    assert any("overlap" in note for note in result.notes)


def test_counts_by_type_and_population(gra_content):
    content = gra_content("count_places", regions=["geoId/31"], types=["city", "airport"])
    (row,) = content["regions"]
    assert row["count"] == row["count_city"] + row["count_airport"] == content["total"]
    large = gra_content("count_places", regions=["geoId/31"], types=["city"], min_population=100_000)
    assert large["total"] == 2  # Omaha and Lincoln


def test_regions_without_any_place_count_zero(gra_content):
    content = gra_content("count_places", regions=["geoId/31005", "geoId/31109"], types=["city"])
    assert [(row["name"], row["count"]) for row in content["regions"]][-1] == ("Arthur County", 0)


# get_place_details


def test_details_of_an_airport(gra_content):
    """FAA: Lincoln Airport, elevation 1,219 ft."""
    (row,) = gra_content("get_place_details", place_ids=["iata/LNK"])["places"]
    assert row["elevation_m"] == pytest.approx(1219 * 0.3048, abs=1)
    assert row["timezone"] == "America/Chicago" and row["icao"] == "KLNK"


def test_details_keep_order_and_fields(gra_content):
    content = gra_content(
        "get_place_details", place_ids=["iata/LNK", "geonames/5072006"], fields=["population", "timezone"]
    )
    assert [row["place_id"] for row in content["places"]] == ["iata/LNK", "geonames/5072006"]
    assert set(content["places"][1]) == {"place_id", "name", "population", "timezone"}
    assert content["units"] == {"population": "people"}


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"place_ids": ["iata/LNK", "iata/QQQQ"]}, "not_found", "iata/QQQQ"),
        ({"place_ids": ["iata/LNK"], "fields": ["colour"]}, "bad_argument", "colour"),
        ({"place_ids": []}, "bad_argument", "at least"),
    ],
)
def test_get_place_details_refuses_bad_arguments(gra_error, arguments, kind, words):
    error = gra_error("get_place_details", **arguments)
    assert error.kind == kind and words in error.message and error.hint


@pytest.mark.parametrize("near", [[1.0], [1.0, 2.0, 3.0], [200.0, 10.0], [10.0, 100.0], []])
def test_what_is_no_position_is_refused(gra_call, near):
    result = gra_call("get_place_center", name="Paris", near=near)
    assert result.error is None if not near else result.error.kind == "bad_argument"
