"""Source google-places against a loopback server in the documented wire format."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug import Response

from gra_core import ToolError
from gra_skill_places.plugin import gra_sources
from gra_skill_places.sources.google import GooglePlaces

SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]]}
TRIANGLE = {"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [0, 10], [0, 0]]]}


STEP = st.integers(0, 640).map(lambda n: n / 64)  # exact in binary, so that sums are


def opened(url: str, **values) -> GooglePlaces:
    (declared,) = [s for s in gra_sources() if s.name == "google-places"]
    return declared.open(declared.settings({"base_url": url, "backoff_s": 0.01, **values}))


def test_google_fields_and_columns(fake_google):
    fake_google.places = [
        fake_google.place(1, -96.7, 40.8),
        fake_google.place(2, -96.6, 40.9, businessStatus="CLOSED_PERMANENTLY"),
    ]
    found = opened(fake_google.url).search(types=["hospital"], limit=10)
    (row,) = found.to_dict("records")
    assert (
        row["place_id"] == "google/Synth0001"
        and row["name"] == "Synthetic Hospital 1"
        and row["type"] == "hospital"
    )
    assert (row["lon"], row["lat"], row["country"], row["admin1"]) == (-96.7, 40.8, "USA", "Nebraska")
    assert (row["rating"], row["ratings"], row["status"]) == (4.5, 11, "OPERATIONAL")
    body, mask = fake_google.requests[0]
    assert body == {
        "textQuery": "hospital",
        "pageSize": 20,
        "includedType": "hospital",
        "strictTypeFiltering": True,
    }
    assert {"places.id", "places.displayName", "places.location", "nextPageToken"} <= set(mask.split(","))


def test_google_leaves_out_the_dearer_fields_on_request(fake_google):
    fake_google.places = [fake_google.place(1, 0, 0)]
    opened(fake_google.url, ratings=False).search(types=["hospital"])
    assert "rating" not in fake_google.requests[0][1]


def test_google_follows_pages_with_unchanged_parameters(fake_google):
    fake_google.places = [fake_google.place(i, 1 + i / 100, 1) for i in range(45)]
    found = opened(fake_google.url).search(types=["hospital"], area=SQUARE, limit=100)
    assert len(found) == 45 and len(fake_google.requests) == 3
    assert [b.get("pageToken") is not None for b, _ in fake_google.requests] == [False, True, True]


def test_google_cuts_an_area_with_more_than_sixty(fake_google):
    fake_google.places = [
        fake_google.place(i * 20 + j, 0.25 + i / 2, 0.25 + j / 2) for i in range(20) for j in range(20)
    ]
    found = opened(fake_google.url, max_requests=500).search(types=["hospital"], area=SQUARE, limit=1000)
    assert len(found) == 400 and found["place_id"].is_unique and found.attrs["notes"] == []
    rectangles = {str(b["locationRestriction"]) for b, _ in fake_google.requests}
    assert len(rectangles) > 4


def test_google_keeps_to_the_polygon_not_the_box(fake_google):
    fake_google.places = [fake_google.place(1, 1, 1), fake_google.place(2, 9, 9), fake_google.place(3, 5, 5)]
    found = opened(fake_google.url).search(types=["hospital"], area=TRIANGLE, limit=10)
    assert found["place_id"].tolist() == [
        "google/Synth0001",
        "google/Synth0003",
    ]  # the third is on the border


def test_google_asks_both_sides_of_the_date_line(fake_google):
    fake_google.places = [
        fake_google.place(1, 179.5, -17),
        fake_google.place(2, -179.5, -17),
        fake_google.place(3, 0, -17),
    ]
    fiji = {"type": "MultiPolygon", "coordinates": [
        [[[179, -18], [180, -18], [180, -16], [179, -16], [179, -18]]],
        [[[-180, -18], [-179, -18], [-179, -16], [-180, -16], [-180, -18]]],
    ]}  # fmt: skip
    found = opened(fake_google.url).search(types=["hospital"], area=fiji, limit=10)
    assert set(found["place_id"]) == {"google/Synth0001", "google/Synth0002"}
    assert len(fake_google.requests) == 2


def test_google_says_when_a_list_is_not_complete(fake_google):
    fake_google.places = [fake_google.place(i, 1 + i / 1000, 1) for i in range(200)]
    unbounded = opened(fake_google.url).search(types=["hospital"], limit=500)
    assert len(unbounded) == 60 and "at most 60" in unbounded.attrs["notes"][0]
    poor = opened(fake_google.url, max_requests=4).search(types=["hospital"], area=SQUARE, limit=500)
    assert "stopped after 4 requests" in poor.attrs["notes"][0]
    few = opened(fake_google.url).search(types=["hospital"], area=SQUARE, limit=5)
    assert len(few) == 5 and "stopped at 5 places" in few.attrs["notes"][0]


def test_google_ranks_matches_of_a_text(fake_google):
    names = ["Saint Mary Annex", "ST. MARY", "Old Saint Mary House"]
    fake_google.places = [
        fake_google.place(i, 1, 1, displayName={"text": name}) for i, name in enumerate(names)
    ]
    found = opened(fake_google.url).search(text="St. Mary", area=SQUARE)
    assert list(zip(found["name"], found["match"], strict=True)) == [
        ("ST. MARY", "exact"), ("Saint Mary Annex", "prefix"), ("Old Saint Mary House", "part"),
    ]  # fmt: skip


def test_google_filters_by_country(fake_google):
    canada = [{"longText": "Canada", "shortText": "CA", "types": ["country"]}]
    fake_google.places = [fake_google.place(1, 1, 1), fake_google.place(2, 2, 2, addressComponents=canada)]
    found = opened(fake_google.url).search(text="hospital", country="CAN")
    assert found["place_id"].tolist() == ["google/Synth0002"]
    assert fake_google.requests[0][0]["regionCode"] == "CA"


def test_google_details_keep_order(fake_google):
    hours = {"weekdayDescriptions": ["Monday: Open 24 hours", "Tuesday: Open 24 hours"]}
    fake_google.places = [
        fake_google.place(1, 1, 1),
        fake_google.place(2, 2, 2, regularOpeningHours=hours, websiteUri="https://example.org"),
    ]
    found = opened(fake_google.url).get(place_ids=["google/Synth0002", "google/Synth0001"])
    assert found["place_id"].tolist() == ["google/Synth0002", "google/Synth0001"]
    assert found["opening_hours"].iloc[0] == "Monday: Open 24 hours; Tuesday: Open 24 hours"
    assert found["website"].iloc[0] == "https://example.org"


@pytest.mark.parametrize("place_id", ["google/Nothing", "geonames/1", "google/../../secret", "google/"])
def test_google_details_name_the_missing(fake_google, place_id):
    fake_google.places = [fake_google.place(1, 1, 1)]
    with pytest.raises(ToolError) as caught:
        opened(fake_google.url).get(place_ids=["google/Synth0001", place_id])
    assert caught.value.kind == "not_found" and place_id in caught.value.message


def test_google_bad_key_is_not_available_and_stays_secret(fake_google, monkeypatch):
    monkeypatch.setenv("GOOGLE_MAPS_API_KEY", "wrong-key-987654321")
    with pytest.raises(ToolError, match="API key not valid") as caught:
        opened(fake_google.url).search(types=["hospital"])
    assert caught.value.kind == "not_available" and "GOOGLE_MAPS_API_KEY" in caught.value.hint
    assert "wrong-key" not in str(caught.value) and "API_KEY_INVALID" in caught.value.message


def test_google_forbidden_project(fake_google):
    fake_google.before = lambda: fake_google.error(
        403, "PERMISSION_DENIED", "Places API (New) has not been used in project 1 before"
    )
    with pytest.raises(ToolError, match="has not been used") as caught:
        opened(fake_google.url).search(types=["hospital"])
    assert caught.value.kind == "not_available"


def test_google_waits_as_retry_info_asks_and_recovers(fake_google):
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.05s"}
    replies = [
        fake_google.error(429, "RESOURCE_EXHAUSTED", "Quota exceeded", info),
        fake_google.error(503, "UNAVAILABLE", "later"),
    ]
    fake_google.places = [fake_google.place(1, 1, 1)]
    fake_google.before = lambda: replies.pop(0) if replies else None
    assert len(opened(fake_google.url).search(types=["hospital"])) == 1
    assert len(fake_google.requests) == 3


def test_google_gives_up_on_a_lasting_quota_error(fake_google):
    fake_google.before = lambda: fake_google.error(
        429, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Requests'"
    )
    with pytest.raises(ToolError, match="Quota exceeded") as caught:
        opened(fake_google.url, retries=1).search(types=["hospital"])
    assert caught.value.kind == "quota" and len(fake_google.requests) == 2


def test_google_does_not_retry_a_daily_quota(fake_google):
    fake_google.before = lambda: fake_google.error(
        429, "RESOURCE_EXHAUSTED", "Quota exceeded for limit 'SearchTextRequest per day'"
    )
    with pytest.raises(ToolError) as caught:
        opened(fake_google.url, retries=5).search(types=["hospital"])
    assert caught.value.kind == "quota" and len(fake_google.requests) == 1


@pytest.mark.parametrize("body", [b"{not json", b"[1, 2]", b"", b"<html>proxy</html>"])
def test_google_malformed_replies_are_upstream_errors(fake_google, body):
    fake_google.before = lambda: Response(body, 200, content_type="application/json")
    with pytest.raises(ToolError, match="not a JSON object") as caught:
        opened(fake_google.url).search(types=["hospital"])
    assert caught.value.kind == "upstream"


def test_google_timeout(fake_google):
    import time

    fake_google.before = lambda: time.sleep(0.5)
    with pytest.raises(ToolError, match=r"did not answer within 0\.1 s") as caught:
        opened(fake_google.url, timeout_s=0.1, retries=0).search(types=["hospital"])
    assert caught.value.kind == "timeout"


def test_google_unreachable(fake_google):
    with pytest.raises(ToolError, match="could not be reached") as caught:
        opened("http://127.0.0.1:9", retries=0).search(types=["hospital"])
    assert caught.value.kind == "upstream" and fake_google.key not in str(caught.value)


@pytest.mark.parametrize("arguments", [{}, {"types": []}, {"min_population": 5, "text": "x"}])
def test_google_refuses_what_it_cannot_do(fake_google, arguments):
    with pytest.raises(ToolError) as caught:
        opened(fake_google.url).search(**arguments)
    assert caught.value.kind in ("bad_argument", "not_available") and not fake_google.requests


def test_google_needs_its_key_and_forbids_storing(monkeypatch):
    monkeypatch.delenv("GOOGLE_MAPS_API_KEY", raising=False)
    (declared,) = [s for s in gra_sources() if s.name == "google-places"]
    assert "GOOGLE_MAPS_API_KEY" in declared.missing()[0]
    assert declared.storable is False and declared.live


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spots=st.lists(st.tuples(STEP, STEP), max_size=150, unique=True))
def test_google_every_place_of_the_area_once(fake_google, spots):
    """Whatever the synthetic places are, cutting finds each that lies in the area exactly once."""
    fake_google.places = [fake_google.place(i, lon, lat) for i, (lon, lat) in enumerate(spots)]
    found = opened(fake_google.url, max_requests=3000).search(types=["hospital"], area=TRIANGLE, limit=1000)
    expected = {f"google/Synth{i:04d}" for i, (lon, lat) in enumerate(spots) if lon + lat <= 10}
    if not found.attrs["notes"]:  # more than sixty on one spot cannot be told apart
        assert set(found["place_id"]) == expected and found["place_id"].is_unique
