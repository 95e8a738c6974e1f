"""The tools over the live source and a loopback server."""

from __future__ import annotations

from typing import Any

import pytest

import gra_skill_data_commons.plugin
from gra_core import Registry, ToolError
from gra_core.plugins import PluginSet
from gra_core.recording import Recorder, Recording, Replayer
from gra_skill_data_commons import tools


@pytest.fixture
def ctx(server: Any, context: Any) -> Any:
    return context(statistics="data-commons")


def by_name(result: Any) -> dict[str, Any]:
    return {p["name"]: p for p in result.content["places"]}


def test_newcastle_uk_is_not_in_australia(ctx: Any) -> None:
    """Fault 18: the qualifier decides."""
    places = by_name(tools.resolve_places(ctx, names=["Newcastle, UK", "Newcastle, Australia"]))
    uk = places["Newcastle, UK"]
    assert [c["region_id"] for c in uk["candidates"]] == ["wikidataId/Q1425428"] and uk["candidates"][0][
        "country"
    ] == "GBR"
    assert places["Newcastle, Australia"]["region_id"] == "wikidataId/Q40345"


def test_ambiguous_name_gives_all_candidates(ctx: Any) -> None:
    places = by_name(
        tools.resolve_places(
            ctx, names=["Georgia", "Georgia (country)", "Georgia, Vermont", "Georgia (state)"]
        )
    )
    assert places["Georgia"]["status"] == "ambiguous" and "region_id" not in places["Georgia"]
    assert {c["region_id"] for c in places["Georgia"]["candidates"]} == {
        "geoId/13",
        "country/GEO",
        "geoId/5027700",
    }
    assert places["Georgia (country)"]["region_id"] == "country/GEO"
    assert places["Georgia, Vermont"]["region_id"] == "geoId/5027700"
    assert places["Georgia (state)"]["region_id"] == "geoId/13"


def test_unknown_qualifier_is_not_dropped(ctx: Any) -> None:
    [place] = tools.resolve_places(ctx, names=["Newcastle, Atlantis", "Canada"]).content["places"][:1]
    assert place["status"] == "not_found" and "Atlantis" in place["note"]


def test_within_and_level(ctx: Any) -> None:
    [place] = tools.resolve_places(ctx, names=["Georgia"], within="country/USA", place_type="state").content[
        "places"
    ]
    assert place["region_id"] == "geoId/13"
    [place] = tools.resolve_places(ctx, names=["Georgia"], within="Vermont").content["places"]
    assert place["region_id"] == "geoId/5027700"
    with pytest.raises(ToolError, match="no region is called 'Atlantis'"):
        tools.resolve_places(ctx, names=["Georgia"], within="Atlantis")


def test_nothing_found_is_empty(ctx: Any) -> None:
    assert tools.resolve_places(ctx, names=["Atlantis"]).status == "empty"
    assert tools.search_variables(ctx, query="flux of phlogiston").status == "empty"


def test_search_and_describe(ctx: Any) -> None:
    result = tools.search_variables(ctx, query="unemployment", places=["geoId/44001", "geoId/44003"])
    [variable] = result.content["variables"]
    assert variable["variable"] == "UnemploymentRate_Person" and variable["regions"] == 2
    [entry] = tools.describe_variables(ctx, variables=["Count_Person"], places=["Canada"]).content[
        "variables"
    ]
    assert entry["places_with_values"] == entry["places_asked"] == 1
    assert [f["facet"] for f in entry["facets"]] == ["3981252704", "1216205004"]
    assert entry["facets"][0]["last"] == "2023"


def test_unknown_variable_names_near_ones(ctx: Any) -> None:
    with pytest.raises(ToolError, match="no variable 'population'") as error:
        tools.get_stat_table(ctx, variables=["population"], parent="geoId/44")
    assert error.value.kind == "not_found" and "Count_Person" in error.value.hint


def test_table_of_counties(ctx: Any) -> None:
    result = tools.get_stat_table(
        ctx, variables=["Count_Person"], parent="Rhode Island", child_type="county", limit=2
    )
    [summary] = result.content["variables"]
    assert (
        summary["total"] == 1097379 and summary["regions_with_value"] == 5 and summary["regions_missing"] == 0
    )
    assert [(r["name"], r["value"]) for r in summary["top"]] == [
        ("Providence County", 660741),
        ("Kent County", 170363),
    ]
    assert [(r["name"], r["value"]) for r in summary["bottom"]] == [
        ("Bristol County", 50793),
        ("Newport County", 85643),
    ]
    assert summary["median"] == 129839 and result.notes == ("'Rhode Island' read as geoId/44 (Rhode Island)",)
    [dataset] = result.datasets
    frame = ctx.load(dataset.ref)
    assert list(frame["region_id"]) == [
        "geoId/44001",
        "geoId/44003",
        "geoId/44005",
        "geoId/44007",
        "geoId/44009",
    ]
    manifest = ctx.dataset(dataset.ref).manifest
    assert manifest.columns["Count_Person"].quantity == "count"
    assert {u.source for u in manifest.lineage.sources} == {"data-commons"}


def test_facets_are_not_mixed_and_gaps_are_named(ctx: Any) -> None:
    result = tools.get_stat_table(
        ctx, variables=["UnemploymentRate_Person"], parent="geoId/44", child_type="county"
    )
    [summary] = result.content["variables"]
    assert (
        summary["facet"] == "synthetic"
        and "total" not in summary
        and summary["unit"] == "Percent (scaled by 100)"
    )
    assert [(r["name"], r["value"], r["date"]) for r in summary["rows"]] == [
        ("Kent County", 4, "2022"), ("Bristol County", 3, "2023"), ("Newport County", 3, "2023"),
    ]  # fmt: skip
    assert [m["region_id"] for m in summary["missing"]] == ["geoId/44007", "geoId/44009"]
    assert any("2 different dates" in n for n in result.notes) and any(
        "other facets only" in n and "Providence" in n for n in result.notes
    )


def test_fixed_date_and_several_variables(ctx: Any) -> None:
    result = tools.get_stat_table(
        ctx,
        variables=["UnemploymentRate_Person", "Count_Person"],
        parent="geoId/44",
        child_type="county",
        date="2022",
    )
    rate, count = result.content["variables"]
    assert (
        rate["regions_with_value"] == 3
        and rate["max"] == 4.5
        and count["regions_with_value"] == 0
        and count["regions_missing"] == 5
    )
    frame = ctx.load(result.datasets[0].ref)
    assert list(frame.columns) == [
        "region_id",
        "region_name",
        "UnemploymentRate_Person",
        "UnemploymentRate_Person date",
        "Count_Person",
        "Count_Person date",
    ]
    assert frame["UnemploymentRate_Person"].notna().sum() == 3


def test_table_of_given_places(ctx: Any) -> None:
    result = tools.get_stat_table(
        ctx, variables=["Count_Person"], places=["06", "country/USA", "geoId/13"], date="2015"
    )
    [summary] = result.content["variables"]
    assert [r["region_id"] for r in summary["rows"]] == ["country/USA", "geoId/06"]
    assert [m["region_id"] for m in summary["missing"]] == [
        "geoId/13"
    ] and "06 read as geoId/06" in result.notes


def test_table_without_values_is_empty(ctx: Any) -> None:
    assert (
        tools.get_stat_table(
            ctx, variables=["Count_Person"], parent="geoId/44", child_type="county", date="1790"
        ).status
        == "empty"
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "either parent or places"),
        ({"parent": "geoId/44", "places": ["geoId/44"]}, "either parent or places"),
        ({"parent": "geoId/44", "date": "last year"}, "expected a year"),
        ({"parent": "6"}, "no FIPS code"),
        ({"parent": "Georgia"}, "may mean several places"),
        ({"places": [""]}, "at least one region id"),
    ],
)
def test_bad_arguments(ctx: Any, arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ToolError, match=text) as error:
        tools.get_stat_table(ctx, variables=["Count_Person"], **arguments)
    assert error.value.kind == "bad_argument"


def test_series(ctx: Any) -> None:
    result = tools.get_stat_series(
        ctx, variable="Median_Income_Household", places=["geoId/44", "geoId/13"], start="2005"
    )
    [series] = result.content["series"]
    assert series["first"] == {"date": "2005", "value": 55000} and series["last"] == {
        "date": "2020",
        "value": 70000,
    }
    assert series["change"] == 15000 and series["change_pct"] == pytest.approx(27.272727, abs=1e-6)
    assert (
        len(series["values"]) == 16
        and result.content["missing"] == ["geoId/13"]
        and result.content["unit"] == "USDollar"
    )
    assert result.content["quantity"] == "intensive" and len(ctx.load(result.datasets[0].ref)) == 16


def test_series_of_a_dataset_of_regions(ctx: Any) -> None:
    table = tools.get_stat_table(
        ctx, variables=["Count_Person"], parent="geoId/44", child_type="county"
    ).datasets[0]
    result = tools.get_stat_series(ctx, variable="UnemploymentRate_Person", places=table.ref)
    facets = {s["region_id"]: s["facet"] for s in result.content["series"]}
    assert facets == {
        "geoId/44001": "synthetic",
        "geoId/44003": "synthetic",
        "geoId/44005": "synthetic",
        "geoId/44007": "other",
    }
    assert any("different facets" in n for n in result.notes) and result.content["missing"] == ["geoId/44009"]


def test_series_errors(ctx: Any) -> None:
    with pytest.raises(ToolError, match="is after end"):
        tools.get_stat_series(ctx, variable="Count_Person", places="geoId/44", start="2020", end="2010")
    assert tools.get_stat_series(ctx, variable="Count_Person", places="geoId/13").status == "empty"


def test_without_key_the_reason_is_told(monkeypatch: pytest.MonkeyPatch, context: Any) -> None:
    monkeypatch.delenv("DC_API_KEY", raising=False)
    monkeypatch.delenv("GRA_BASE_URL_DATA_COMMONS", raising=False)
    with pytest.raises(ToolError, match="DC_API_KEY") as error:
        tools.resolve_places(context(), names=["Canada"])
    assert error.value.kind == "not_available"


def test_arguments_are_checked_by_schema() -> None:
    plugins = PluginSet()
    plugins.add(gra_skill_data_commons.plugin, "skill-data-commons")
    table = Registry(plugins).tools["get_stat_table"]
    with pytest.raises(ToolError, match="unknown parameter 'variable'"):
        table.check({"variable": "Count_Person", "parent": "geoId/44"})
    with pytest.raises(ToolError, match="at least this many items"):
        table.check({"variables": [], "parent": "geoId/44"})


def test_recorded_calls_replay_without_the_server(server: Any, context: Any, tmp_path: Any) -> None:
    def run(plugin: Any) -> Any:
        ctx = context(plugins=(plugin,), statistics="data-commons")
        table = tools.get_stat_table(
            ctx, variables=["UnemploymentRate_Person"], parent="Rhode Island", child_type="county"
        )
        series = tools.get_stat_series(ctx, variable="Median_Income_Household", places=["geoId/44"])
        return table.content, table.notes, series.content

    formats = context().workspace.formats
    recorded = run(Named(Recorder(Recording(tmp_path / "calls", formats))))
    asked = len(server.requests)
    assert (
        run(Named(Replayer(Recording(tmp_path / "calls", formats)))) == recorded
        and len(server.requests) == asked
    )


class Named:
    """A plugin object under a name of its own."""

    def __new__(cls, plugin: Any) -> Any:
        plugin.__name__ = type(plugin).__name__
        return plugin
