"""The live source over HTTP against a loopback server."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from gra_core import SourceSettings, ToolError
from gra_skill_data_commons.plugin import BASE_URL, gra_sources
from gra_skill_data_commons.sources.datacommons import DataCommons


@pytest.fixture
def source(server: Any) -> DataCommons:
    return open_source(server)


def open_source(server: Any, **changes: Any) -> DataCommons:
    values = {
        "base_url": server.url,
        "key": server.key,
        "timeout_s": 5.0,
        "retries": 2,
        "values": {"backoff_s": 0.01},
    }
    return DataCommons(SourceSettings(**(values | changes)))


def test_request_on_the_wire(server: Any, source: DataCommons) -> None:
    source.values(variables=["Count_Person"], region_ids=["country/CAN"])
    sent = server.requests[0]
    assert sent["path"] == "/v2/observation"
    assert sent["headers"]["X-API-Key"] == server.key
    assert sent["body"] == {
        "date": "LATEST", "variable": {"dcids": ["Count_Person"]}, "entity": {"dcids": ["country/CAN"]},
        "select": ["variable", "entity", "facet", "date", "value"],
    }  # fmt: skip


def test_latest_value_of_documented_example(source: DataCommons) -> None:
    frame = source.values(variables=["Count_Person"], region_ids=["country/CAN"])
    [row] = frame.to_dict("records")
    assert (row["value"], row["date"], row["region_name"], row["facet"]) == (
        40097761,
        "2023",
        "Canada",
        "3981252704",
    )
    assert (
        row["source"]
        == "WorldDevelopmentIndicators https://datacatalog.worldbank.org/dataset/world-development-indicators/"
    )


def test_one_facet_for_all_places(source: DataCommons) -> None:
    frame = source.values(variables=["Count_Person"], region_ids=["country/USA", "geoId/06"], date="2015")
    assert set(frame["facet"]) == {"2176550201"}
    assert dict(zip(frame["region_id"], frame["value"], strict=True)) == {
        "country/USA": 320738994,
        "geoId/06": 38904296,
    }


@pytest.mark.parametrize("wanted", ["1216205004", "CanadaStatistics", "canadastatistics"])
def test_facet_by_id_or_import_name(source: DataCommons, wanted: str) -> None:
    [row] = source.values(variables=["Count_Person"], region_ids=["country/CAN"], facet=wanted).to_dict(
        "records"
    )
    assert (row["value"], row["date"]) == (36991981, "2021")


def test_unknown_facet_lists_what_there_is(source: DataCommons) -> None:
    with pytest.raises(ToolError, match="no facet 'nope'") as error:
        source.values(variables=["Count_Person"], region_ids=["country/CAN"], facet="nope")
    assert error.value.kind == "not_found" and "CanadaStatistics" in error.value.hint


def test_aggregates_and_scaling_are_told(source: DataCommons) -> None:
    [row] = source.values(variables=["Count_Person"], region_ids=["country/USA"], facet="2645850372").to_dict(
        "records"
    )
    assert row["source"].endswith("(aggregated by Data Commons)")
    [rate] = source.values(variables=["UnemploymentRate_Person"], region_ids=["geoId/44001"]).to_dict(
        "records"
    )
    assert rate["unit"] == "Percent (scaled by 100)"


def test_children_by_expression_over_pages(server: Any, source: DataCommons) -> None:
    frame = source.values(variables=["Count_Person"], parent="geoId/44", child_level="county")
    assert frame["value"].sum() == 1097379  # 2020 census, Rhode Island
    assert list(frame["region_id"]) == [
        "geoId/44001",
        "geoId/44003",
        "geoId/44005",
        "geoId/44007",
        "geoId/44009",
    ]
    pages = [r["body"].get("nextToken") for r in server.requests if r["path"] == "/v2/node"]
    assert pages == [None, "2", "4"]
    [asked] = [r["body"] for r in server.requests if r["path"] == "/v2/observation"]
    assert asked["entity"] == {"expression": "geoId/44<-containedInPlace+{typeOf:County}"}


def test_default_level_below_a_state_is_county(source: DataCommons) -> None:
    assert len(source.members(parent="geoId/44")) == 5
    assert set(source.members(parent="Earth")["region_id"]) >= {"country/USA", "country/GBR"}


def test_series_takes_all_dates_of_one_facet(source: DataCommons) -> None:
    frame = source.series(
        variable="Median_Income_Household", region_ids=["geoId/44"], start="2005", end="2010"
    )
    assert list(frame["date"]) == [str(y) for y in range(2005, 2011)] and set(frame["facet"]) == {"income"}
    assert list(frame["value"]) == [55000.0, 56000.0, 57000.0, 58000.0, 59000.0, 60000.0]


def test_variables_by_words_by_id_and_by_place(source: DataCommons) -> None:
    rows = source.variables(query="population").to_dict("records")
    assert [(r["variable"], r["quantity"]) for r in rows] == [("Count_Person", "count")]
    [row] = source.variables(query="UnemploymentRate_Person").to_dict("records")
    assert (row["title"], row["quantity"]) == ("Unemployment rate", "rate")
    [row] = source.variables(query="income", region_ids=["geoId/44"]).to_dict("records")
    assert (row["quantity"], row["unit"], row["first"], row["last"], row["regions"]) == (
        "intensive",
        "USDollar",
        "2000",
        "2020",
        1,
    )
    assert source.variables(query="income", region_ids=["country/CAN"]).empty
    assert list(source.variables(region_ids=["geoId/44001"])["variable"]) == [
        "Count_Person",
        "UnemploymentRate_Person",
    ]


def test_empty_object_is_no_data(source: DataCommons) -> None:
    assert source.values(variables=["Count_Person"], region_ids=["geoId/99"]).empty
    assert source.series(variable="Nothing", region_ids=["geoId/44"]).empty
    assert source.regions(names=["Atlantis"]).empty
    assert source.variables(query="flux of phlogiston").empty


def test_candidates_keep_to_the_region(source: DataCommons) -> None:
    frame = source.regions(names=["Newcastle"], within="country/GBR")
    assert list(frame["region_name"]) == ["Newcastle upon Tyne"]
    assert set(source.regions(names=["Georgia"])["region_id"]) == {"geoId/13", "country/GEO", "geoId/5027700"}
    assert list(source.regions(names=["Georgia"], place_type="country")["region_id"]) == ["country/GEO"]
    [row] = source.regions(names=["Georgia"], place_type="city").to_dict("records")
    assert (row["parent_name"], row["country"]) == ("Vermont", "USA")


def test_faults_that_pass_are_retried(server: Any, source: DataCommons) -> None:
    server.faults = [
        (503, {}, {"code": 14, "message": "unavailable"}),
        (429, {"Retry-After": "0"}, {"code": 8, "message": "slow down"}),
    ]
    assert len(source.values(variables=["Count_Person"], region_ids=["country/CAN"])) == 1
    assert [r["path"] for r in server.requests][:3] == ["/v2/observation"] * 3


def test_retry_after_is_honoured(server: Any, source: DataCommons) -> None:
    server.faults = [(429, {"Retry-After": "1"}, {})]
    started = time.monotonic()
    source.values(variables=["Count_Person"], region_ids=["country/CAN"])
    assert time.monotonic() - started >= 1


@pytest.mark.parametrize(
    ("status", "body", "kind", "text"),
    [
        (401, {"code": 16, "message": "bad key"}, "not_available", "bad key"),
        (403, {"code": 7, "message": "forbidden"}, "not_available", "forbidden"),
        (400, {"code": 3, "message": "Invalid request URI"}, "bad_argument", "Invalid request URI"),
        (404, {"code": 5, "message": "Method does not exist."}, "upstream", "Method does not exist"),
        (429, {"code": 8, "message": "quota"}, "quota", "quota"),
        (500, b"<html>oops</html>", "upstream", "HTTP 500"),
        (200, b"<html>login</html>", "upstream", "something else than a JSON object"),
        (200, [1, 2], "upstream", "something else than a JSON object"),
    ],
)
def test_failures_have_a_kind(
    server: Any, source: DataCommons, status: int, body: Any, kind: str, text: str
) -> None:
    server.faults = [(status, {}, body)] * 5
    with pytest.raises(ToolError, match=text) as error:
        source.values(variables=["Count_Person"], region_ids=["country/CAN"])
    assert error.value.kind == kind and server.key not in str(error.value)


def test_a_long_retry_after_is_not_waited_for(server: Any, source: DataCommons) -> None:
    server.faults = [(429, {"Retry-After": "3600"}, {"message": "tomorrow"})]
    with pytest.raises(ToolError, match="tomorrow") as error:
        source.values(variables=["Count_Person"], region_ids=["country/CAN"])
    assert error.value.kind == "quota" and len(server.requests) == 1


def test_slow_server_times_out(server: Any) -> None:
    server.delay_s = 2.0
    source = open_source(server, timeout_s=0.2, retries=1)
    started = time.monotonic()
    with pytest.raises(ToolError, match=r"within 0\.2 s") as error:
        source.regions(names=["Georgia"])
    assert error.value.kind == "timeout" and time.monotonic() - started < 2


def test_unreachable_server(server: Any) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    source = open_source(server, base_url=f"http://127.0.0.1:{port}/v2", retries=0)
    with pytest.raises(ToolError, match="could not be reached") as error:
        source.regions(names=["Georgia"])
    assert error.value.kind == "upstream"


def test_wrong_key(server: Any) -> None:
    with pytest.raises(ToolError, match="refused the key") as error:
        open_source(server, key="wrong-key-wrong-key").regions(names=["Georgia"])
    assert "apikeys.datacommons.org" in error.value.hint and "wrong-key-wrong-key" not in str(error.value)


def test_public_service_needs_a_key_and_an_own_instance_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DC_API_KEY", raising=False)
    [declared] = gra_sources()
    assert declared.settings().base_url == BASE_URL
    assert "DC_API_KEY" in declared.missing()[0] and "apikeys.datacommons.org" in declared.missing()[0]
    monkeypatch.setenv("GRA_BASE_URL_DATA_COMMONS", "http://127.0.0.1:1/core/api/v2")
    assert declared.missing() == []
