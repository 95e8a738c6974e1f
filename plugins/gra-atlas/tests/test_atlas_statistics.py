"""Source statistics: search, values, series, facets, names of regions."""

import pandas as pd
import pytest

from gra_atlas.facets import choose
from gra_atlas.statistics import AtlasStatistics
from gra_core import ToolError
from gra_geo.protocols import VALUE_COLUMNS


@pytest.fixture(scope="module")
def atlas():
    return AtlasStatistics()


@pytest.mark.parametrize(
    ("query", "variable"),
    [
        ("population", "Count_Person"), ("how many people", "Count_Person"), ("unemployment rate", "UnemploymentRate_Person"),
        ("jobless", "UnemploymentRate_Person"), ("life expectancy", "LifeExpectancy_Person"), ("urban population", "Count_Person_Urban"),
        ("GDP per capita", "Amount_EconomicActivity_GrossDomesticProduction_RealValue_PerCapita"), ("fertility", "FertilityRate_Person_Female"),
        ("poverty rate", "Percent_Person_BelowPovertyLevel"), ("child poverty", "Percent_Child_BelowPovertyLevel"),
        ("homicides", "Rate_Murder"), ("college education", "Percent_Person_CollegeEducated"), ("labor force", "Count_Person_InLaborForce"),
        ("Count_Person_Male", "Count_Person_Male"), ("people aged 65 and over", "Count_Person_65OrMoreYears"),
    ],
)  # fmt: skip
def test_best_variable(atlas, query, variable):
    assert atlas.variables(query=query).variable[0] == variable


def test_variables(atlas):
    table = atlas.variables(limit=1000)
    assert table.variable.is_unique and len(table) == 36
    wanted = ["variable", "title", "unit", "quantity", "first", "last", "regions", "source", "licence"]
    assert list(table.columns[:9]) == wanted
    people = table[table.variable == "Count_Person"].iloc[0]
    assert (people["first"], people["last"], people.unit) == ("2000", "2017", "people")
    assert "us-census-1990 (1990-1990, 437)" in people.facets
    assert atlas.variables(query="quantum chromodynamics").empty
    assert len(atlas.variables(limit=3)) == 3 and atlas.variables(limit=3).attrs["total"] == 36


def test_variables_with_data_somewhere(atlas):
    county = atlas.variables(region_ids=["geoId/31147"], limit=99)
    assert set(county.variable) == {
        "UnemploymentRate_Person", "Count_Person_InLaborForce", "Count_Person_Employed", "Count_Person_Unemployed"
    }  # fmt: skip
    poverty = atlas.variables(query="poverty rate", region_ids=["geoId/17031"]).iloc[0]
    assert (poverty["first"], poverty.regions) == ("1990", 1)


def test_values_of_children(atlas):
    found = atlas.values(
        variables=["UnemploymentRate_Person", "Count_Person_Unemployed"], parent="geoId/31", date="2009"
    )
    assert list(found.columns) == list(VALUE_COLUMNS)
    assert found.groupby("variable").size().to_dict() == {
        "UnemploymentRate_Person": 93,
        "Count_Person_Unemployed": 93,
    }
    assert set(found.facet) == {"us-bls-laus"} and set(found.date) == {"2009"}
    assert found.region_name[0] == "Adams County" and found.region_id[0] == "geoId/31001"


def test_values_latest_and_facets(atlas):
    latest = atlas.values(variables=["Count_Person"], region_ids=["country/USA", "Earth"])
    assert set(latest.facet) == {"world-bank"} and set(latest.date) == {"2017"}
    assert list(latest.region_id) == ["country/USA", "Earth"] and latest.region_name[1] == "World"
    fixed = atlas.values(variables=["Count_Person"], region_ids=["country/USA"], facet="un-wpp-2024")
    assert list(fixed.date) == ["2020"]
    future = atlas.values(variables=["Count_Person"], region_ids=["country/USA"], date="2050")
    assert list(future.facet) == ["un-wpp-2024-medium"]
    with pytest.raises(ToolError, match="no facet 'census'") as error:
        atlas.values(variables=["Count_Person"], region_ids=["country/USA"], facet="census")
    assert error.value.kind == "not_found" and "world-bank" in error.value.hint


def test_projections_never_answer_on_their_own(atlas):
    found = atlas.values(variables=["Count_Person"], parent="Earth", child_level="country")
    assert set(found.facet) == {"world-bank"}
    others = found.attrs["other_facets"]["Count_Person"]
    assert "country/SOL" in others or len(others) > 0
    assert not set(others) & set(found.region_id)


def test_one_facet_for_all_regions(atlas):
    """State and county values of poverty come from different years and providers: they are not mixed."""
    found = atlas.values(
        variables=["Percent_Person_BelowPovertyLevel"], region_ids=["geoId/17", "geoId/17031", "geoId/17043"]
    )
    assert found.facet.nunique() == 1
    assert set(found.region_id) | set(found.attrs["other_facets"]["Percent_Person_BelowPovertyLevel"]) == {
        "geoId/17", "geoId/17031", "geoId/17043"
    }  # fmt: skip


def test_regions_without_a_value_have_no_row(atlas):
    found = atlas.values(variables=["UnemploymentRate_Person"], region_ids=["geoId/31147", "geoId/60010"])
    assert list(found.region_id) == ["geoId/31147"]
    assert atlas.values(variables=["Count_Person"], region_ids=[]).empty
    assert list(atlas.values(variables=["Count_Person"], region_ids=["country/ATA"]).columns) == list(
        VALUE_COLUMNS
    )


def test_series(atlas):
    found = atlas.series(
        variable="Count_Person", region_ids=["country/DEU", "country/USA"], start="2005", end="2010"
    )
    assert list(found.columns) == list(VALUE_COLUMNS) and len(found) == 12
    assert list(found.region_id[:6]) == ["country/DEU"] * 6 and found.date[:6].is_monotonic_increasing
    assert (found.date.iloc[0], found.date.iloc[5]) == ("2005", "2010")
    life = atlas.series(variable="LifeExpectancy_Person", region_ids=["country/JPN"])
    assert set(life.facet) == {"gapminder-annual"} and len(life) == 50
    old = atlas.series(variable="LifeExpectancy_Person", region_ids=["country/JPN"], facet="gapminder-5year")
    assert old[old.date == "2007"].value.iloc[0] == pytest.approx(82.603)
    assert atlas.series(variable="Count_Person", region_ids=["geoId/31147"]).empty


def test_series_of_a_region_that_lacks_the_common_facet(atlas):
    found = atlas.series(variable="Count_Person", region_ids=["country/DEU", "geoId/17031"])
    assert dict(zip(found.region_id, found.facet, strict=True)) == {
        "country/DEU": "world-bank", "geoId/17031": "us-census-1990"
    }  # fmt: skip


def test_facets(atlas):
    found = atlas.facets(variables=["LifeExpectancy_Person"], region_ids=["country/JPN", "country/FRA"])
    assert list(found.facet) == ["gapminder-annual"] * 2 + ["gapminder-5year"] * 2
    assert set(found["observations"]) == {50, 12}


def test_regions(atlas):
    found = atlas.regions(names=["Nebraska", "Georgia", "World"])
    assert list(found.columns[:5]) == ["name", "region_id", "region_name", "place_type", "match"]
    assert set(found[(found.name == "Georgia") & (found["match"] == "exact")].region_id) == {
        "country/GEO",
        "geoId/13",
    }
    assert found[found.name == "World"].region_id.iloc[0] == "Earth"
    inside = atlas.regions(names=["Lancaster"], within="geoId/31", place_type="county")
    assert list(inside.region_id) == ["geoId/31109"]
    assert atlas.regions(names=[]).empty and atlas.regions(names=["Atlantis"]).empty


def test_members(atlas):
    assert len(atlas.members(parent="geoId/31")) == 93
    assert set(atlas.members(parent="Earth").place_type) == {"country"}


def test_bad_arguments(atlas):
    with pytest.raises(ToolError, match="no variable 'Count_Persons'") as error:
        atlas.series(variable="Count_Persons", region_ids=["country/USA"])
    assert error.value.kind == "not_found" and "Count_Person" in error.value.hint
    with pytest.raises(ToolError, match="either region_ids or parent"):
        atlas.values(variables=["Count_Person"])
    with pytest.raises(ToolError, match="either region_ids or parent"):
        atlas.values(variables=["Count_Person"], region_ids=["country/USA"], parent="Earth")


def test_choice_of_a_facet():
    ranks = {"a": 1, "b": 2, "un-wpp-2024-medium": 9}

    def rows(**facets):
        return pd.DataFrame(
            [(str(r), f) for f, n in facets.items() for r in range(n)], columns=["region_id", "facet"]
        )

    assert choose(rows(a=10, b=10), ranks) == "a"
    assert choose(rows(a=9, b=10), ranks) == "a"
    assert choose(rows(a=5, b=10), ranks) == "b"
    assert choose(rows(a=5, b=10), ranks, "a") == "a"
    assert choose(rows(), ranks) == "" and choose(rows(), ranks, "a") == ""
    assert choose(rows(**{"a": 5, "un-wpp-2024-medium": 10}), ranks) == "a"
    assert choose(rows(**{"un-wpp-2024-medium": 10}), ranks) == "un-wpp-2024-medium"
