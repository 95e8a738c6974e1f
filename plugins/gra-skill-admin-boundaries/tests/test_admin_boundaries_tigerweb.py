"""Source tiger-web against a loopback server in the wire format of ArcGIS map services."""

from __future__ import annotations

import time

import pytest
from werkzeug import Response

from gra_core import ToolError
from gra_geo.protocols import REGION_COLUMNS
from gra_skill_admin_boundaries.plugin import gra_sources
from gra_skill_admin_boundaries.sources.tigerweb import TigerWeb


def opened(url: str, **values) -> TigerWeb:
    (declared,) = [s for s in gra_sources() if s.name == "tiger-web"]
    return declared.open(declared.settings({"base_url": url, "backoff_s": 0.01, **values}))


def test_tigerweb_levels_come_from_the_layers(fake_tigerweb):
    assert opened(fake_tigerweb.url).levels() == {"state": 2, "county": 4, "tract": 4, "postcode": 2}


def test_tigerweb_finds_layers_by_name_whatever_their_numbers(fake_tigerweb):
    del fake_tigerweb.layers[4], fake_tigerweb.layers[5]
    assert opened(fake_tigerweb.url).levels()["postcode"] == 0  # the 2010 layer, which is empty here
    del fake_tigerweb.layers[6]
    with pytest.raises(ToolError, match="no layer of level 'postcode'") as caught:
        opened(fake_tigerweb.url).get(region_ids=["zip/01234"])
    assert caught.value.kind == "not_available" and "county" in caught.value.hint


@pytest.mark.parametrize("inside", [True, False])
def test_tigerweb_follows_pages_wherever_the_flag_is(fake_tigerweb, inside):
    fake_tigerweb.exceeded_inside_properties = inside
    found = opened(fake_tigerweb.url).children(parent_id="country/USA", level="county")
    assert found["region_id"].tolist() == ["geoId/01007", "geoId/01009", "geoId/31007", "geoId/31009"]
    offsets = [f["resultOffset"] for f in fake_tigerweb.forms if f.get("returnGeometry") == "true"]
    assert offsets == ["0", "3"]


def test_tigerweb_children_step_down(fake_tigerweb):
    source = opened(fake_tigerweb.url)
    assert source.children(parent_id="country/USA")["region_id"].tolist() == ["geoId/01", "geoId/31"]
    counties = source.children(parent_id="geoId/31")
    assert counties[list(REGION_COLUMNS)].iloc[0].tolist() == [
        "geoId/31007", "Doña Synth County", "county", "USA", "geoId/31", "Synthetic South",
    ]  # fmt: skip
    assert counties.crs.to_epsg() == 4326
    assert source.children(parent_id="geoId/31007")["region_id"].tolist() == ["geoId/31007000100"]
    assert source.children(parent_id="geoId/31", level="tract")["parent_name"].tolist() == [
        "Doña Synth County",
        "Round Synth County",
    ]


def test_tigerweb_zip_areas_by_their_internal_point(fake_tigerweb):
    source = opened(fake_tigerweb.url)
    north, south = (
        source.children(parent_id="geoId/01", level="postcode"),
        source.children(parent_id="geoId/31", level="postcode"),
    )
    assert (north["region_id"].tolist(), south["region_id"].tolist()) == (["zip/01234"], ["zip/68355"])
    assert "internal point" in north.attrs["notes"][0]


@pytest.mark.parametrize("level", ["tract", "postcode"])
def test_tigerweb_refuses_to_list_the_nation(fake_tigerweb, level):
    with pytest.raises(ToolError, match="cannot list") as caught:
        opened(fake_tigerweb.url).children(parent_id="country/USA", level=level)
    assert caught.value.kind == "bad_argument"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"name": "synthetic south"}, [("geoId/31", "exact")]),
        ({"name": "SS"}, [("geoId/31", "alias")]),
        ({"name": "01"}, [("geoId/01", "alias")]),
        ({"name": "dona synth"}, [("geoId/01007", "alias"), ("geoId/31007", "alias")]),
        ({"name": "Doña Synth County", "parent": "geoId/31"}, [("geoId/31007", "exact")]),
        ({"name": "dona synth county, ss"}, [("geoId/31007", "alias")]),
        ({"name": "Synthetic", "level": "state"}, [("geoId/01", "prefix"), ("geoId/31", "prefix")]),
        ({"name": "68355"}, [("zip/68355", "alias")]),
        ({"name": "31007000100"}, [("geoId/31007000100", "alias")]),
        (
            {"name": "Census Tract 1", "level": "tract", "parent": "geoId/31009"},
            [("geoId/31009000100", "exact")],
        ),
        ({"name": "Synthetic South", "country": "United States"}, [("geoId/31", "exact")]),
        ({"name": "Nowhere"}, []),
        ({"name": "Synthetic South", "country": "CAN"}, []),
    ],
)
def test_tigerweb_find(fake_tigerweb, arguments, expected):
    found = opened(fake_tigerweb.url).find(**arguments)
    assert list(zip(found["region_id"], found.get("match", ()), strict=True)) == expected


def test_tigerweb_lists_without_a_name(fake_tigerweb):
    found = opened(fake_tigerweb.url).find(parent="geoId/01", level="county", limit=1)
    assert found["region_id"].tolist() == ["geoId/01007"] and "match" not in found


def test_tigerweb_get_keeps_order_and_zeros(fake_tigerweb):
    found = opened(fake_tigerweb.url).get(region_ids=["zip/01234", "geoId/31", "geoId/01007"])
    assert found["region_id"].tolist() == ["zip/01234", "geoId/31", "geoId/01007"]
    assert found.geometry.iloc[2].bounds == (0, 0, 1, 1)


@pytest.mark.parametrize(
    "region_id", ["geoId/99", "geoId/1", "country/CAN", "iso3166-2/BR-SP", "zip/1234", "geoId/31' OR '1'='1"]
)
def test_tigerweb_names_the_missing(fake_tigerweb, region_id):
    with pytest.raises(ToolError) as caught:
        opened(fake_tigerweb.url).get(region_ids=["geoId/01", region_id])
    assert caught.value.kind == "not_found" and region_id in caught.value.message


def test_tigerweb_containing(fake_tigerweb):
    found = opened(fake_tigerweb.url).containing(
        points=[[50.0, 50.0], [0.5, 0.5], [1.0, 10.5]], levels=["state", "county"]
    )
    assert list(zip(found["point"], found["region_id"], strict=True)) == [
        (1, "geoId/01"), (1, "geoId/01007"), (2, "geoId/31"), (2, "geoId/31007"), (2, "geoId/31009"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "kind"), [(400, "upstream"), (429, "quota"), (498, "not_available"), (504, "timeout")]
)
def test_tigerweb_errors_inside_http_200(fake_tigerweb, code, kind):
    fake_tigerweb.before = lambda form: fake_tigerweb.reply(
        {"error": {"code": code, "message": "Unable to complete operation.", "details": ["synthetic"]}}
    )
    with pytest.raises(ToolError, match=r"Unable to complete operation\.; synthetic") as caught:
        opened(fake_tigerweb.url).get(region_ids=["geoId/01"])
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ("{", 200, "upstream"),
        ("<html>", 200, "upstream"),
        ("gone", 503, "upstream"),
        ("no", 404, "not_found"),
    ],
)
def test_tigerweb_broken_replies(fake_tigerweb, body, status, kind):
    fake_tigerweb.before = lambda form: Response(body, status)
    with pytest.raises(ToolError) as caught:
        opened(fake_tigerweb.url, retries=1).get(region_ids=["geoId/01"])
    assert caught.value.kind == kind


def test_tigerweb_recovers_from_a_busy_moment(fake_tigerweb):
    busy = [Response("", 503), Response("", 429, headers={"Retry-After": "0"})]
    fake_tigerweb.before = lambda form: busy.pop(0) if busy else None
    assert len(opened(fake_tigerweb.url).get(region_ids=["geoId/01"])) == 1


def test_tigerweb_times_out(fake_tigerweb):
    fake_tigerweb.before = lambda form: time.sleep(0.5)
    with pytest.raises(ToolError, match=r"did not answer within 0\.1 s") as caught:
        opened(fake_tigerweb.url, timeout_s=0.1, retries=0).get(region_ids=["geoId/01"])
    assert caught.value.kind == "timeout"


def test_tigerweb_answers_empty_tables_where_there_is_nothing(fake_tigerweb):
    source = opened(fake_tigerweb.url)
    assert len(source.containing(points=[[50.0, 50.0]], levels=["state", "tract"])) == 0
    assert len(source.children(parent_id="geoId/01", level="postcode")) == 1
    fake_tigerweb.before = lambda form: fake_tigerweb.reply({"type": "FeatureCollection", "features": []})
    assert len(source.children(parent_id="geoId/01009")) == 0
