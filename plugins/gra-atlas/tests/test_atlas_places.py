"""Sources of places: types, search by text, area, country and population, look-up."""

import numpy as np
import pytest
import shapely

from gra_atlas.helsinki import HelsinkiPlaces
from gra_atlas.places import AtlasPlaces
from gra_core import ToolError
from gra_geo.protocols import PLACE_COLUMNS


@pytest.fixture(scope="module")
def atlas():
    return AtlasPlaces()


def test_types(atlas):
    assert atlas.types() == {"city": 69472, "airport": 28298, "landmark": 73}


@pytest.mark.parametrize(
    ("text", "options", "place_id", "match"),
    [
        ("Carhenge", {}, "landmark/carhenge", "exact"), ("car henge", {}, "landmark/carhenge", "alias"),
        ("Springfield", {}, "geonames/4409896", "exact"),  # Missouri, the largest
        ("SÃO PAULO", {}, "geonames/3448439", "exact"), ("sao paulo", {}, "geonames/3448439", "exact"),
        ("München", {}, "geonames/2867714", "alias"), ("Munich", {}, "geonames/2867714", "exact"),
        ("Tour Eiffel", {}, "landmark/eiffel-tower", "alias"), ("DEN", {}, "iata/DEN", "alias"),
        ("kden", {"types": ["airport"]}, "iata/DEN", "alias"), ("Newcastle", {"country": "AUS"}, "geonames/2155472", "exact"),
        ("Saint Louis", {"country": "usa"}, "geonames/4407066", "exact"), ("St. Louis", {"country": "USA"}, "geonames/4407066", "exact"),
        ("NYC", {}, "geonames/5128581", "alias"),
    ],
)  # fmt: skip
def test_best_match(atlas, text, options, place_id, match):
    best = atlas.search(text=text, **options).iloc[0]
    assert (best.place_id, best["match"]) == (place_id, match)


def test_ambiguous_names_give_all_candidates(atlas):
    """Fault 18, "Newcastle": the English one is listed first because it has more people, and all others are there."""
    found = atlas.search(text="Portland", types=["city"])
    exact = found[found["match"] == "exact"]
    assert len(exact) >= 4 and {"Oregon", "Maine"} <= set(exact.admin1)
    newcastle = atlas.search(text="Newcastle", types=["city"], limit=500)
    whole = newcastle[newcastle["match"].isin(["exact", "alias"])]
    assert {"AUS", "GBR", "ZAF"} <= set(whole.country)


def test_order_and_total(atlas):
    found = atlas.search(text="San", types=["city"], limit=300)
    ranks = found["match"].map(["exact", "alias", "prefix", "part"].index)
    assert ranks.is_monotonic_increasing
    for _, group in found.groupby("match"):
        assert group.population.is_monotonic_decreasing
    assert found.attrs["total"] > len(found) == 300
    everything = atlas.search(types=["city"], min_population=1_000_000, limit=10**6)
    assert everything.population.min() >= 1_000_000 and everything.attrs["total"] == len(everything)
    assert "match" not in everything and list(everything.columns[: len(PLACE_COLUMNS)]) == list(PLACE_COLUMNS)
    assert everything.population.is_monotonic_decreasing


def test_empty_results_keep_their_columns(atlas):
    found = atlas.search(text="Xyzzyville Nowhere")
    assert found.empty and {*PLACE_COLUMNS, "match"} <= set(found.columns) and found.attrs["total"] == 0


def test_area(atlas, regions):
    nebraska = regions.loc["geoId/31"].geometry
    found = atlas.search(types=["city"], area=shapely.geometry.mapping(nebraska), limit=10**6)
    assert set(found.state_id) <= {
        "geoId/31",
        "geoId/19",
        "geoId/46",
        "geoId/20",
        "geoId/08",
        "geoId/56",
        "geoId/29",
    }
    assert (found.state_id == "geoId/31").mean() > 0.98
    assert {"Omaha", "Lincoln", "Alliance"} <= set(found.name)
    everywhere = atlas.search(types=["city"], limit=10**6)
    inside = shapely.contains_xy(nebraska, everywhere.lon, everywhere.lat)
    assert set(found.place_id) == set(everywhere.place_id[inside])


def test_area_across_the_antimeridian(atlas):
    box = {"type": "Polygon", "coordinates": [[[178, -19], [-178, -19], [-178, -16], [178, -16], [178, -19]]]}
    found = atlas.search(types=["city"], area=box, limit=10**6)
    assert len(found) > 0 and set(found.country) == {"FJI"} and (np.abs(found.lon) >= 178).all()


def test_area_must_be_a_geometry(atlas):
    with pytest.raises(ToolError) as error:
        atlas.search(area={"type": "Circle"})
    assert error.value.kind == "bad_argument"


def test_unknown_type(atlas):
    with pytest.raises(ToolError, match="unknown type 'volcano'") as error:
        atlas.search(types=["volcano"])
    assert error.value.kind == "bad_argument" and "landmark" in error.value.hint


def test_get(atlas):
    ids = ["landmark/carhenge", "iata/JFK", "geonames/5128581"]
    found = atlas.get(place_ids=ids)
    assert list(found.place_id) == ids
    assert found.state_id.tolist() == ["geoId/31", "geoId/36", "geoId/36"]
    with pytest.raises(ToolError, match="iata/???".replace("?", "X")) as error:
        atlas.get(place_ids=["iata/JFK", "iata/XXX"])
    assert error.value.kind == "not_found"


def test_region_ids_of_places_exist_and_fit(atlas, regions):
    found = atlas.search(country="USA", limit=10**6)
    for column, level in (("state_id", "state"), ("county_id", "county")):
        ids = set(found[column]) - {""}
        assert set(regions.loc[list(ids)].level) == {level}
    counties = found[found.county_id != ""]
    assert (counties.county_id == "geoId/" + counties.county_fips).all()
    landmarks = found[found.type == "landmark"]
    assert (landmarks.state_id == landmarks.county_id.str[:8]).all()


def test_landmark_counties_are_near(atlas, regions):
    """On a shore the outline may miss the place; no other stated county may."""
    from pyproj import Geod

    for place in atlas.search(types=["landmark"], country="USA", limit=100).itertuples():
        county = regions.loc[place.county_id].geometry
        near = shapely.ops.nearest_points(county, shapely.Point(place.lon, place.lat))[0]
        assert Geod(ellps="WGS84").inv(place.lon, place.lat, near.x, near.y)[2] <= 3000, place.name


def test_results_are_copies(atlas):
    found = atlas.get(place_ids=["iata/JFK"])
    found.loc[0, "name"] = "changed"
    assert "Kennedy" in atlas.get(place_ids=["iata/JFK"]).name[0]


def test_helsinki():
    source = HelsinkiPlaces()
    assert source.types()["restaurant"] > 100
    found = source.search(text="ateneum", types=["museum"])
    assert list(found["match"]) == ["exact"] and found.country[0] == "FIN" and found.key[0] == "tourism"
    assert list(found.columns[: len(PLACE_COLUMNS)]) == list(PLACE_COLUMNS)
    assert source.get(place_ids=list(found.place_id)).name[0] == "Ateneum"
    assert len(source.search(types=["cafe"], limit=1000)) == source.types()["cafe"]
    assert source.search(text="Nebraska").empty
