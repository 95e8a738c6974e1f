"""The tools over live sources on loopback servers, with regions of the embedded atlas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gra_core.testing import check_result

LINCOLN, OMAHA, DENVER = (-96.7, 40.8), (-95.95, 41.25), (-104.99, 39.74)


def manifest_of(result) -> dict:
    return json.loads((Path(result.datasets[0].path).parent / "manifest.json").read_text())


def test_hospitals_of_counties_by_overpass(fake_overpass, live_call):
    """Elements carry no region of their own: coordinates decide, and what lies outside the regions is left out."""
    fake_overpass.elements = [
        {
            "type": "node",
            "id": n,
            "lon": lon,
            "lat": lat,
            "tags": {"amenity": "hospital", "name": f"Synthetic {n}"},
        }
        for n, (lon, lat) in enumerate([LINCOLN, OMAHA, DENVER])
    ]
    result = live_call(
        fake_overpass.url,
        "overpass",
        "count_places",
        regions=["geoId/31109", "geoId/31055", "geoId/31005"],
        types=["hospital"],
    )
    check_result(result)
    assert {row["region_id"]: row["count"] for row in result.content["regions"]} == {
        "geoId/31109": 1,
        "geoId/31055": 1,
        "geoId/31005": 0,
    }
    assert result.content["total"] == 2
    lineage = manifest_of(result)["lineage"]["sources"]
    overpass = next(use for use in lineage if use["source"] == "overpass")
    assert overpass["licence"].startswith("ODbL") and overpass["storable"] is True


def test_a_region_name_reaches_overpass_as_its_outline(fake_overpass, live_call):
    fake_overpass.elements = [
        {
            "type": "node",
            "id": 1,
            "lon": LINCOLN[0],
            "lat": LINCOLN[1],
            "tags": {"tourism": "zoo", "name": "Synthetic Zoo"},
        }
    ]
    result = live_call(fake_overpass.url, "overpass", "search_places", region="Nebraska", types=["zoo"])
    assert (
        result.content["places"][0]["place_id"] == "osm/node/1"
        and result.content["total_is_complete"] is True
    )
    south, west, north, east = (
        float(x) for x in fake_overpass.queries[0].split("(")[-2].split(")")[0].split(",")
    )
    assert (west, east) == (pytest.approx(-104.05, abs=0.02), pytest.approx(-95.31, abs=0.02))
    assert (south, north) == (pytest.approx(40.0, abs=0.02), pytest.approx(43.0, abs=0.02))


def test_center_by_overpass_merges_one_thing_mapped_twice(fake_overpass, live_call):
    fake_overpass.elements = [
        {
            "type": "node",
            "id": 1,
            "lon": -102.858,
            "lat": 42.1422,
            "tags": {"name": "Carhenge", "tourism": "attraction"},
        },
        {
            "type": "way",
            "id": 2,
            "center": {"lon": -102.8581, "lat": 42.1423},
            "tags": {"name": "Carhenge", "tourism": "artwork"},
        },
    ]
    result = live_call(fake_overpass.url, "overpass", "get_place_center", name="Carhenge")
    assert result.content["center"] == [-102.858, 42.1422]
    assert any("osm/way/2" in note for note in result.notes)
    assert any("© OpenStreetMap contributors" in note for note in result.notes)


def test_ratings_by_google_filter_and_sort(fake_google, live_call):
    fake_google.places = [
        fake_google.place(n, *LINCOLN, rating=rating) for n, rating in enumerate([3.9, 4.8, None, 4.2])
    ]
    result = live_call(
        fake_google.url,
        "google-places",
        "search_places",
        region=["geoId/31109"],
        types=["hospital"],
        min_rating=4,
        sort_by="rating",
        limit=2,
    )
    check_result(result)
    assert [row["rating"] for row in result.content["places"]] == [4.8, 4.2]
    assert result.content["total"] == 2


def test_google_results_may_not_be_stored_beyond_the_trial(fake_google, live_call):
    fake_google.places = [fake_google.place(1, *LINCOLN)]
    result = live_call(
        fake_google.url, "google-places", "search_places", region=["geoId/31109"], types=["hospital"]
    )
    uses = manifest_of(result)["lineage"]["sources"]
    assert {use["source"]: use["storable"] for use in uses}["google-places"] is False
    assert fake_google.key not in json.dumps(manifest_of(result))


def test_counts_that_a_live_source_cut_short_are_lower_bounds(fake_google, live_call):
    fake_google.places = [fake_google.place(n, LINCOLN[0] + n / 1e7, LINCOLN[1]) for n in range(80)]
    result = live_call(
        fake_google.url, "google-places", "count_places", regions=["geoId/31109"], types=["hospital"]
    )
    assert result.content["total"] == 60
    assert any("credit Google Maps" in note for note in result.notes)
    assert any("lower bounds" in note for note in result.notes)


def test_a_refused_key_reaches_the_reader_without_the_key(fake_google, live_call, monkeypatch):
    monkeypatch.setenv("GOOGLE_MAPS_API_KEY", "wrong-key-0123456789")
    result = live_call(
        fake_google.url, "google-places", "search_places", region=["geoId/31109"], types=["hospital"]
    )
    assert result.error.kind == "not_available" and "GOOGLE_MAPS_API_KEY" in result.error.hint
    assert "wrong-key" not in json.dumps(result.for_model())


def test_a_source_without_its_key_says_which_and_where(live_call, monkeypatch):
    monkeypatch.delenv("GOOGLE_MAPS_API_KEY", raising=False)
    result = live_call("http://127.0.0.1:9", "google-places", "search_places", text="zoo")
    assert result.error.kind == "not_available" and "GOOGLE_MAPS_API_KEY" in result.error.message
    assert "console.cloud.google.com" in result.error.message


def test_details_by_google(fake_google, live_call):
    fake_google.places = [fake_google.place(7, *OMAHA, websiteUri="https://example.org/synthetic")]
    result = live_call(fake_google.url, "google-places", "get_place_details", place_ids=["google/Synth0007"])
    (row,) = result.content["places"]
    assert row["website"] == "https://example.org/synthetic" and row["address"] == "7 Synthetic St"


@pytest.mark.parametrize("source", ["overpass", "google-places"])
def test_a_live_source_that_has_nothing_is_a_finding(fake_google, fake_overpass, live_call, source):
    url = fake_google.url  # both fakes listen on one server
    nowhere = {"region": ["geoId/31109"], "types": ["zoo"]}
    assert live_call(url, source, "search_places", **nowhere).status == "empty"
    assert live_call(url, source, "get_place_center", name="Xyzzy").status == "empty"
    assert live_call(url, source, "get_place_center", name="Xyzzy, Nebraska").status == "empty"
    counted = live_call(url, source, "count_places", regions=["geoId/31109", "geoId/31055"], types=["zoo"])
    assert counted.content["total"] == 0 and [row["count"] for row in counted.content["regions"]] == [0, 0]
    ranked = live_call(url, source, "search_places", sort_by="name", **nowhere)
    assert ranked.status == "empty"
