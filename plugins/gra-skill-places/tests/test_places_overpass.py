"""Source overpass against a loopback server in the documented wire format."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from werkzeug import Response

from gra_core import ToolError
from gra_skill_places.plugin import gra_sources
from gra_skill_places.sources.overpass import Overpass
from gra_skill_places.sources.overpassql import pattern
from gra_skill_places.sources.tags import tags_of

SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]]}
TRIANGLE = {"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [0, 10], [0, 0]]]}
TIMED_OUT = 'runtime error: Query timed out in "query" at line 3 after 26 seconds.'


def opened(url: str, **values) -> Overpass:
    (declared,) = [s for s in gra_sources() if s.name == "overpass"]
    return declared.open(declared.settings({"base_url": url, "backoff_s": 0.01, **values}))


def node(number: int, lon: float, lat: float, **tags: str) -> dict:
    return {"type": "node", "id": number, "lon": lon, "lat": lat, "tags": tags}


def way(number: int, lon: float, lat: float, **tags: str) -> dict:
    return {"type": "way", "id": number, "center": {"lon": lon, "lat": lat}, "nodes": [1, 2], "tags": tags}


def test_overpass_finds_nodes_and_ways_by_type_inside_the_polygon(fake_overpass):
    fake_overpass.elements = [
        node(1, 1, 1, amenity="hospital", name="Synthetic General", population="1"), way(2, 2, 2, amenity="hospital", name="Synthetic West"),
        node(3, 9, 9, amenity="hospital"), node(4, 1, 1, amenity="school"),
    ]  # fmt: skip
    found = opened(fake_overpass.url).search(types=["hospitals"], area=TRIANGLE)
    assert found["place_id"].tolist() == ["osm/node/1", "osm/way/2"]
    assert found["type"].tolist() == ["hospitals", "hospitals"]
    assert found["lon"].tolist() == [1.0, 2.0]
    assert found.attrs["total"] == 2


def test_overpass_announces_itself(fake_overpass):
    opened(fake_overpass.url).search(types=["hospital"], area=SQUARE)
    assert re.match(r"^gra-skill-places/\d", fake_overpass.agents[0])
    opened(fake_overpass.url, user_agent="synthetic-project/1").search(types=["hospital"], area=SQUARE)
    assert fake_overpass.agents[1] == "synthetic-project/1"


def test_overpass_declares_its_licence():
    (declared,) = [s for s in gra_sources() if s.name == "overpass"]
    assert declared.licence.startswith("ODbL") and "OpenStreetMap contributors" in declared.attribution
    assert declared.missing() == [] and declared.storable


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("cafe muller", "Café Müller"),
        ("CAFÉ MÜLLER", "Cafe Muller"),
        ("St. Mary", "Saint Mary"),
        ("coeur d'alene", "Coeur d’Alene"),
        ("a+b", "A B"),
    ],
)
def test_overpass_text_ignores_case_accents_and_punctuation(fake_overpass, asked, name):
    fake_overpass.elements = [node(1, 1, 1, name=name), node(2, 1, 1, name="Something Else")]
    found = opened(fake_overpass.url).search(text=asked, area=SQUARE)
    assert found[["place_id", "match"]].to_numpy().tolist() == [["osm/node/1", "exact"]]


def test_overpass_text_matches_other_names(fake_overpass):
    fake_overpass.elements = [
        node(1, 1, 1, name="Ville Synthétique", **{"name:en": "Synthetic City"}),
        node(2, 1, 1, name="Synthetic City Hall"),
    ]
    found = opened(fake_overpass.url).search(text="synthetic city", area=SQUARE)
    assert found[["place_id", "match"]].to_numpy().tolist() == [
        ["osm/node/1", "alias"],
        ["osm/node/2", "prefix"],
    ]


def test_overpass_text_cannot_break_out_of_the_query(fake_overpass):
    name = 'Quote " back \\ bracket ](x);out;'
    fake_overpass.elements = [node(1, 1, 1, name=name)]
    assert len(opened(fake_overpass.url).search(text=name)) == 1
    assert len(opened(fake_overpass.url).search(text=name, area=SQUARE)) == 1


@given(
    text=st.text(alphabet="abcdefghijklmnopqrstuvwxyz áéîõüčłßæø'.-", min_size=1).filter(
        lambda t: any(c.isalnum() for c in t)
    )
)
def test_overpass_pattern_matches_the_text_itself(text):
    assume("sß" not in text)  # three s in a row are read from the left
    assert re.search(pattern(text).replace("[:alnum:]", r"\w"), text, re.I)


def test_overpass_without_a_region_looks_up_whole_names_only(fake_overpass):
    fake_overpass.elements = [
        node(1, -102.858, 42.142, name="Carhenge", tourism="attraction"),
        node(2, 0, 0, name="Carhenge Road"),
    ]
    found = opened(fake_overpass.url).search(text="carhenge")
    assert found["place_id"].tolist() == ["osm/node/1"]
    assert "~" not in fake_overpass.queries[0] and found.attrs["notes"] == [
        "without a region only whole names are found"
    ]


def test_overpass_country_is_an_area_of_the_map(fake_overpass):
    fake_overpass.elements = [
        node(1, 1, 1, place="city", name="Synthville", population="12,345"),
        node(2, 2, 2, place="town", name="Synthtown", population="99"),
    ]
    found = opened(fake_overpass.url).search(types=["city"], country="FRA", min_population=1000)
    assert 'area["ISO3166-1:alpha3"="FRA"]["admin_level"="2"]->.c;' in fake_overpass.queries[0]
    assert found[["name", "population", "country"]].to_numpy().tolist() == [["Synthville", 12345, "FRA"]]


def test_overpass_runtime_error_in_a_remark_cuts_the_box(fake_overpass):
    fake_overpass.elements = [node(i, 0.5 + i, 0.5, amenity="cafe") for i in range(10)]
    fake_overpass.before = lambda q: (
        fake_overpass.reply([], remark=TIMED_OUT)
        if "10.0000000,10.0000000)" in q and "(0.0000000,0.0" in q
        else None
    )
    found = opened(fake_overpass.url).search(types=["cafe"], area=SQUARE)
    assert len(found) == 10 and len(fake_overpass.queries) == 5


def test_overpass_runtime_error_without_a_box_is_a_timeout(fake_overpass):
    fake_overpass.before = lambda q: fake_overpass.reply([], remark=TIMED_OUT)
    with pytest.raises(ToolError, match="timed out") as caught:
        opened(fake_overpass.url).search(types=["cafe"], country="FRA")
    assert caught.value.kind == "timeout" and "smaller region" in caught.value.hint
    with pytest.raises(ToolError, match="more than 3 requests"):
        opened(fake_overpass.url, max_requests=3).search(types=["cafe"], area=SQUARE)


def test_overpass_retries_a_busy_server(fake_overpass):
    busy = [
        Response("<p>rate_limited</p>", 429),
        Response("<p>Dispatcher_Client::request_read_and_idx::timeout</p>", 504),
    ]
    fake_overpass.elements = [node(1, 1, 1, amenity="cafe")]
    fake_overpass.before = lambda q: busy.pop(0) if busy else None
    assert len(opened(fake_overpass.url).search(types=["cafe"], area=SQUARE)) == 1
    assert len(fake_overpass.queries) == 3


@pytest.mark.parametrize(
    ("status", "kind"),
    [(429, "quota"), (403, "not_available"), (500, "upstream"), (400, "bad_argument"), (404, "not_found")],
)
def test_overpass_errors_by_status(fake_overpass, status, kind):
    page = '<p><strong style="color:#FF0000">Error</strong>: line 1: parse error: Unknown type &quot;nwx&quot; </p>'
    fake_overpass.before = lambda q: Response(page, status, content_type="text/html")
    with pytest.raises(ToolError, match="parse error: Unknown type") as caught:
        opened(fake_overpass.url, retries=0).search(types=["cafe"], country="FRA")
    assert caught.value.kind == kind


def test_overpass_does_not_wait_longer_than_sensible(fake_overpass):
    fake_overpass.before = lambda q: Response("", 429, headers={"Retry-After": "3600"})
    started = time.monotonic()
    with pytest.raises(ToolError) as caught:
        opened(fake_overpass.url, retries=3).search(types=["cafe"], country="FRA")
    assert caught.value.kind == "quota" and "3600 s" in caught.value.hint
    assert len(fake_overpass.queries) == 1 and time.monotonic() - started < 5


@pytest.mark.parametrize("body", ["", "{", "[]", "<osm/>"])
def test_overpass_malformed_replies(fake_overpass, body):
    fake_overpass.before = lambda q: Response(body, 200)
    with pytest.raises(ToolError, match="not a JSON object") as caught:
        opened(fake_overpass.url).search(types=["cafe"], country="FRA")
    assert caught.value.kind == "upstream"


def test_overpass_times_out(fake_overpass):
    fake_overpass.before = lambda q: time.sleep(0.5)
    with pytest.raises(ToolError, match=r"did not answer within 0\.1 s") as caught:
        opened(fake_overpass.url, timeout_s=0.1, retries=0).search(types=["cafe"], country="FRA")
    assert caught.value.kind == "timeout"


def test_overpass_get_keeps_order_and_names_the_missing(fake_overpass):
    fake_overpass.elements = [node(7, 1, 2, name="Seven"), way(8, 3, 4, name="Eight")]
    found = opened(fake_overpass.url).get(place_ids=["osm/way/8", "osm/node/7", "osm/way/8"])
    assert found["name"].tolist() == ["Eight", "Seven", "Eight"]
    with pytest.raises(ToolError, match=r"osm/node/9, geonames/1") as caught:
        opened(fake_overpass.url).get(place_ids=["osm/node/7", "osm/node/9", "geonames/1"])
    assert caught.value.kind == "not_found"


@pytest.mark.parametrize(
    "arguments",
    [{}, {"types": ["cafe"]}, {"types": ['a b"]'], "area": SQUARE}, {"types": ['x="y'], "area": SQUARE}],
)
def test_overpass_refuses_what_it_cannot_ask(fake_overpass, arguments):
    with pytest.raises(ToolError) as caught:
        opened(fake_overpass.url).search(**arguments)
    assert caught.value.kind == "bad_argument" and not fake_overpass.queries


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        ("airports", (("aeroway", ("aerodrome",)),)), ("Gas Station", (("amenity", ("fuel",)),)), ("gas_stations", (("amenity", ("fuel",)),)),
        ("amenity=cafe", (("amenity", ("cafe",)),)), ("addr:city=New York", (("addr:city", ("New York",)),)),
    ],
)  # fmt: skip
def test_overpass_types(name, tags):
    assert tags_of(name) == tags
