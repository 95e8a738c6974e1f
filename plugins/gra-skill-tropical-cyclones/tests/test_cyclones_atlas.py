"""The tools over the embedded atlas: published facts about real storms."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from gra_core import ToolError
from gra_core.testing import PluginConformance
from gra_skill_tropical_cyclones import tools

gra_atlas = pytest.importorskip("gra_atlas.plugin")


class TestConformance(PluginConformance):
    plugin = "gra_skill_tropical_cyclones.plugin"
    examples: ClassVar = {
        "find_historical_storms": [
            {"region": [-90.07, 29.95], "years": [2005], "within_km": 100},
            {"region": ["geoId/12"], "years": [2015, 2018], "min_category": 3},
            {"region": [0.0, 50.0], "years": [2000]},
        ],
        "list_active_cyclones": [{"as_of": "2005-08-28"}, {"as_of": "2005-08-28T18:00", "basin": "NA"}],
    }


@pytest.fixture
def ctx(context: Any) -> Any:
    return context(plugins=(gra_atlas,), cyclones="atlas")


def names(result: Any) -> set[str]:
    return {s["name"] for s in result.content["storms"]}


def test_category_5_storms_of_2005(ctx: Any) -> None:
    """The season's record of the National Hurricane Center: Emily, Katrina, Rita and Wilma."""
    atlantic = {"type": "Polygon", "coordinates": [[[-100, 5], [-10, 5], [-10, 50], [-100, 50], [-100, 5]]]}
    result = tools.find_historical_storms(ctx, region=atlantic, years=[2005], min_category=5, basin="NA")
    assert names(result) == {"EMILY", "KATRINA", "RITA", "WILMA"} and result.content["by_category"] == {
        "category 5": 4
    }


def test_landfall_in_louisiana(ctx: Any) -> None:
    """Katrina and Rita reached Louisiana as category 3. Rita's six-hourly fixes (100 kt at 06, 65 kt at 12 UTC) leave that open."""
    result = tools.find_historical_storms(ctx, region=["geoId/22"], years=[2005], min_category=3)
    assert names(result) == {"KATRINA"} and result.content["by_category"] == {"category 3": 1}
    assert any("1 more storms" in n and "RITA" in n for n in result.notes)
    every = tools.find_historical_storms(ctx, region=["geoId/22"], years=[2005], min_category=1)
    rita = next(s for s in every.content["storms"] if s["name"] == "RITA")
    assert (rita["wind_before_kt"], rita["category_before"], rita["category_near"]) == (100, 3, 2)
    assert all(s["distance_km"] == 0 for s in every.content["storms"])


def test_andrew_at_miami(ctx: Any) -> None:
    result = tools.find_historical_storms(ctx, region=[-80.19, 25.77], years=[1992], within_km=60)
    [storm] = result.content["storms"]
    assert (
        storm["name"] == "ANDREW"
        and storm["time"].startswith("1992-08-24T0")
        and storm["distance_km"] < 40
        and storm["max_category"] == 5
    )


def test_southern_season_is_found_by_its_calendar_year(ctx: Any) -> None:
    """Cyclone Yasi crossed the Queensland coast near Mission Beach early on 2 February 2011 UTC's 3rd (14 UTC on the 2nd)."""
    result = tools.find_historical_storms(
        ctx, region=[146.1, -17.87], years=[2011], min_category=3, within_km=100
    )
    assert any(s["time"].startswith("2011-02-02T1") for s in result.content["storms"])
    december = tools.find_historical_storms(
        ctx,
        region={
            "type": "Polygon",
            "coordinates": [[[110, -25], [160, -25], [160, -8], [110, -8], [110, -25]]],
        },
        years=[2010],
    )
    assert {s["time"][:4] for s in december.content["storms"]} == {"2010"}
    assert {s["season"] for s in december.content["storms"]} == {2010, 2011}


def test_five_atlantic_storms_at_once(ctx: Any) -> None:
    """On 14 September 2020 Paulette, Rene, Sally, Teddy and Vicky were active, for the second time on record."""
    result = tools.list_active_cyclones(ctx, basin="NA", as_of="2020-09-14T12:00")
    assert names(result) == {"PAULETTE", "RENE", "SALLY", "TEDDY", "VICKY"}


def test_beyond_the_atlas(ctx: Any) -> None:
    with pytest.raises(ToolError, match="seasons 1980 to 2024") as error:
        tools.list_active_cyclones(ctx, as_of="1969-08-17")
    assert error.value.kind == "not_available" and "ibtracs-csv" in error.value.hint
    result = tools.find_historical_storms(ctx, region=["geoId/22"], years=[1970, 1985], min_category=1)
    assert any("1980 to 2024 only" in n for n in result.notes)


def test_swath_says_what_to_set(ctx: Any) -> None:
    with pytest.raises(ToolError, match="no 64 kt wind radii") as error:
        tools.get_wind_swath(ctx, storm_id="Katrina 2005", wind_kt=64)
    assert error.value.kind == "not_available" and "ibtracs-csv" in error.value.hint


def test_ambiguous_names_are_listed(ctx: Any) -> None:
    with pytest.raises(ToolError, match="may mean") as error:
        tools.get_wind_swath(ctx, storm_id="Fred")
    assert error.value.kind == "bad_argument" and "2021" in error.value.hint


def test_counting_does_not_depend_on_how_the_region_is_given(ctx: Any) -> None:
    florida = ctx.source("boundaries").get(region_ids=["geoId/12"])
    saved = ctx.save(florida, name="florida")
    by_id = tools.find_historical_storms(
        ctx, region=["geoId/12"], years=[2004, 2005], min_category=1, within_km=50
    )
    by_ref = tools.find_historical_storms(
        ctx, region=saved.ref, years=[2004, 2005], min_category=1, within_km=50
    )
    assert by_id.content["storms"] == by_ref.content["storms"] and by_id.content["count"] >= 7


def test_a_peak_between_fixes_is_not_denied(ctx: Any) -> None:
    """Andrew struck Florida on 24 August 1992 at 09:05 UTC as category 5 (National Hurricane Center, reanalysis of 2002)."""
    result = tools.find_historical_storms(ctx, region=["geoId/12"], years=[1992], min_category=5)
    assert result.status == "empty"
    assert any("ANDREW" in note and "between fixes" in note for note in result.notes)
    weaker = tools.find_historical_storms(ctx, region=["geoId/12"], years=[1992], min_category=4)
    assert names(weaker) == {"ANDREW"} and not any("between fixes" in note for note in weaker.notes)


def test_a_storm_that_lost_its_tropical_nature_on_the_day_was_active_before(gra_call) -> None:
    """Josephine on 19 September 2002: a tropical storm of 35 kt until 06 UTC, extratropical with 50 kt at 12 UTC."""
    result = gra_call("list_active_cyclones", basin="NA", as_of="2002-09-19")
    winds = {storm["name"].title(): storm["wind_kt"] for storm in result.content["storms"]}
    assert winds == {"Isidore": 65.0, "Josephine": 35.0}
