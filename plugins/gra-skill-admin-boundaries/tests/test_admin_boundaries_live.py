"""The tools over the package's own sources: a synthetic gazetteer file and a loopback TIGERweb."""

from __future__ import annotations

from pathlib import Path

import pytest

from gra_core import ToolResult
from gra_core.testing import call_tool, check_result


@pytest.fixture
def over(gra_registry, tmp_path: Path):
    """Call a tool over a chosen source of boundaries with settings."""

    def call(source: str, settings: dict, name: str, /, **arguments) -> ToolResult:
        result = call_tool(
            gra_registry.tools[name],
            arguments,
            gra_registry,
            tmp_path / "workspace",
            chosen={"boundaries": source},
            sources={source: settings},
        )
        check_result(result)
        return result

    return call


@pytest.fixture
def gazetteer_call(over, gazetteer):
    settings = {"path": str(gazetteer.close())}
    return lambda name, /, **arguments: over("wof-sqlite", settings, name, **arguments)


@pytest.fixture
def census_call(over, fake_tigerweb):
    settings = {"base_url": fake_tigerweb.url, "backoff_s": 0.01}
    return lambda name, /, **arguments: over("tiger-web", settings, name, **arguments)


def test_all_tools_over_a_gazetteer(gazetteer_call):
    found = gazetteer_call("find_regions", name="Dona Synth, West Synth", country="US")
    assert [row["region_id"] for row in found.content["candidates"]] == ["geoId/01007"]
    assert (
        gazetteer_call("get_boundaries", region_ids=["geoId/01"]).content["regions"][0]["area_km2"] > 100_000
    )
    listed = gazetteer_call("list_subregions", parent_id="geoId/01007")
    assert listed.content["regions"] == {"wof/21": "Areatown"} and "Pointville" in listed.notes[0]
    (row,) = gazetteer_call("reverse_geocode", points=[[-98, 35]], levels=["county", "state"]).content[
        "points"
    ]
    assert row["regions"]["county"]["region_id"] == "geoId/01007"
    kept = gazetteer_call(
        "filter_regions", regions=["geoId/01", "geoId/31"], mask=["geoId/01007"], predicate="contains"
    )
    assert [row["region_id"] for row in kept.content["regions"]] == ["geoId/01"]


def test_levels_that_a_source_adds(gazetteer_call):
    assert (
        gazetteer_call("find_regions", name="01234", level="zip codes").content["candidates"][0]["region_id"]
        == "zip/01234"
    )
    assert gazetteer_call("list_subregions", parent_id="geoId/31009").status == "empty"
    error = gazetteer_call("find_regions", name="x", level="tract").error
    assert error.kind == "not_available" and "postcode (1)" in error.hint


def test_tracts_and_zip_areas_over_the_census_service(census_call):
    tracts = census_call("list_subregions", parent_id="geoId/31", level="census tracts")
    assert tracts.content["regions"] == {
        "geoId/31007000100": "Census Tract 1",
        "geoId/31009000100": "Census Tract 1",
    }
    zips = census_call("list_subregions", parent_id="geoId/31", level="zcta")
    assert list(zips.content["regions"]) == ["zip/68355"] and "internal point" in zips.notes[0]
    found = census_call("find_regions", name="dona synth county, SS")
    assert [row["region_id"] for row in found.content["candidates"]] == ["geoId/31007"]
    (row,) = census_call("reverse_geocode", points=[[0.25, 10.75]]).content["points"]
    assert {level: region["region_id"] for level, region in row["regions"].items()} == {
        "state": "geoId/31", "county": "geoId/31007", "tract": "geoId/31007000100",
    }  # fmt: skip


def test_a_source_that_is_not_set_up_says_what_it_needs(over):
    error = over("wof-sqlite", {}, "find_regions", name="x").error
    assert error.kind == "not_available" and "[sources.wof-sqlite] path" in error.message
    error = over("wof-sqlite", {"path": "/nowhere/synthetic.db"}, "find_regions", name="x").error
    assert error.kind == "not_available" and "no such file" in error.message


def test_a_service_that_is_down_is_an_upstream_error(over):
    error = over(
        "tiger-web", {"base_url": "http://127.0.0.1:9", "retries": 0}, "find_regions", name="x"
    ).error
    assert error.kind == "upstream" and "could not be reached" in error.message
