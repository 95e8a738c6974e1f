"""The tools over the embedded atlas."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from gra_core import ToolError
from gra_core.testing import PluginConformance
from gra_skill_data_commons import tools

gra_atlas = pytest.importorskip("gra_atlas.plugin")


class TestConformance(PluginConformance):
    plugin = "gra_skill_data_commons.plugin"
    examples: ClassVar = {
        "resolve_places": [{"names": ["Nebraska", "Georgia", "Newcastle, UK"]}],
        "search_variables": [{"query": "population"}, {"query": "unemployment", "places": ["geoId/31109"]}],
        "describe_variables": [
            {"variables": ["Count_Person"]},
            {"variables": ["Count_Person"], "places": ["country/FRA"]},
        ],
        "get_stat_table": [
            {"variables": ["UnemploymentRate_Person"], "parent": "geoId/31", "child_type": "county"},
            {"variables": ["Count_Person"], "parent": "Earth", "child_type": "country", "date": "1066"},
        ],
        "get_stat_series": [
            {"variable": "Count_Person", "places": ["country/FRA", "country/DEU"], "start": "1990"}
        ],
    }


@pytest.fixture
def ctx(context: Any) -> Any:
    return context(plugins=(gra_atlas,), statistics="atlas")


def by_name(ctx: Any, *names: str, **arguments: Any) -> dict[str, Any]:
    return {p["name"]: p for p in tools.resolve_places(ctx, names=list(names), **arguments).content["places"]}


def test_newcastle_uk(ctx: Any) -> None:
    """Fault 18: never the Australian one; the atlas has no statistics of towns, so its gazetteer answers."""
    found = by_name(ctx, "Newcastle, UK")["Newcastle, UK"]
    assert found["status"] == "not_found" and "country/GBR" in found["note"]
    assert {p["country"] for p in found["without_statistics"]} == {"GBR"}
    assert "geonames/2641673" in {p["place_id"] for p in found["without_statistics"]}, "Newcastle upon Tyne"


def test_qualifiers(ctx: Any) -> None:
    found = by_name(
        ctx,
        "Lancaster County, Nebraska",
        "Lancaster County",
        "Georgia (country)",
        "Georgia",
        "Georgia (US state)",
        "Paris, Texas",
        "UK",
    )
    assert found["Lancaster County, Nebraska"]["region_id"] == "geoId/31109"
    assert (
        found["Lancaster County"]["status"] == "ambiguous"
        and len(found["Lancaster County"]["candidates"]) == 4
    )
    assert (
        found["Georgia (country)"]["region_id"] == "country/GEO"
        and found["Georgia (US state)"]["region_id"] == "geoId/13"
    )
    assert found["Georgia"]["status"] == "ambiguous" and found["UK"]["region_id"] == "country/GBR"
    assert [p["admin1"] for p in found["Paris, Texas"]["without_statistics"] if p["name"] == "Paris"] == [
        "Texas"
    ]


def test_a_city_that_shares_its_name_with_a_county(ctx: Any) -> None:
    """Lincoln, the capital of Nebraska, lies in Lancaster County; Lincoln County is 350 km away."""
    found = by_name(
        ctx, "Lincoln, Nebraska", "Lincoln County, Nebraska", "Washington, D.C.", "Newcastle, England"
    )
    assert (
        found["Lincoln, Nebraska"]["status"] == "ambiguous"
        and found["Lincoln, Nebraska"]["without_statistics"][0]["population"] > 200_000
    )
    assert (
        found["Lincoln County, Nebraska"]["region_id"] == "geoId/31111"
        and found["Washington, D.C."]["region_id"] == "geoId/11"
    )
    assert {p["admin1"] for p in found["Newcastle, England"]["without_statistics"]} == {"England"}
    with pytest.raises(ToolError, match="may mean several places") as error:
        tools.get_stat_series(ctx, variable="UnemploymentRate_Person", places="Lincoln, Nebraska")
    assert "geoId/31111" in error.value.hint and "settlements without statistics" in error.value.hint


def test_unknown_level_is_no_error(ctx: Any) -> None:
    found = by_name(ctx, "Springfield", place_type="city")["Springfield"]
    assert found["status"] == "not_found" and len(found["without_statistics"]) > 3


def test_fips_keep_their_zeros(ctx: Any) -> None:
    result = tools.get_stat_table(
        ctx, variables=["UnemploymentRate_Person"], parent="01", child_type="county"
    )
    frame = ctx.load(result.datasets[0].ref)
    assert len(frame) == 67 and frame["region_id"].str.match(r"^geoId/01\d{3}$").all(), (
        "Alabama has 67 counties"
    )
    assert "01 read as geoId/01" in result.notes


def test_table_joins_boundaries(ctx: Any) -> None:
    result = tools.get_stat_table(
        ctx, variables=["UnemploymentRate_Person"], parent="Nebraska", child_type="county", limit=3
    )
    [summary] = result.content["variables"]
    assert (
        summary["regions_with_value"] == 93
        and summary["unit"] == "%"
        and summary["quantity"] == "rate"
        and "total" not in summary
    )
    assert [r["value"] for r in summary["top"]] == sorted((r["value"] for r in summary["top"]), reverse=True)
    assert [r["name"] for r in summary["bottom"][:2]] == ["Cherry County", "Garfield County"], "ties by name"
    frame = ctx.load(result.datasets[0].ref)
    shapes = ctx.source("boundaries").children(parent_id="geoId/31", level="county")
    assert set(frame["region_id"]) == set(shapes["region_id"])


def test_world_population(ctx: Any) -> None:
    """The World Bank's world total for 2017 is 7.51 billion."""
    result = tools.get_stat_table(
        ctx, variables=["Count_Person"], parent="Earth", child_type="country", date="2017"
    )
    [summary] = result.content["variables"]
    assert (
        summary["total"] == pytest.approx(7.51e9, rel=0.005)
        and summary["top"][0]["region_id"] == "country/CHN"
    )
    assert summary["regions_missing"] == result.content["regions"] - summary["regions_with_value"] > 0


def test_series_by_names(ctx: Any) -> None:
    result = tools.get_stat_series(
        ctx, variable="LifeExpectancy_Person", places=["Japan", "country/NGA"], start="1960", end="2007"
    )
    japan, nigeria = result.content["series"]
    assert (
        japan["name"] == "Japan"
        and japan["last"]["value"] > 80 > nigeria["last"]["value"]
        and japan["facet"] == nigeria["facet"]
    )


def test_near_variables_are_named(ctx: Any) -> None:
    with pytest.raises(ToolError, match="no variable 'jobless rate'") as error:
        tools.describe_variables(ctx, variables=["jobless rate"])
    assert "UnemploymentRate_Person" in error.value.hint
