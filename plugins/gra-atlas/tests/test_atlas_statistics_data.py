"""Statistics against published figures and the identities that hold between them."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def values(data):
    table = pd.read_parquet(data / "statistics.parquet")
    return table.astype(dict.fromkeys(("variable", "region_id", "date", "facet"), str))


@pytest.fixture(scope="module")
def variables(data):
    return pd.read_parquet(data / "variables.parquet")


def value(values, variable, region_id, date, facet):
    found = values.query(
        "variable == @variable and region_id == @region_id and date == @date and facet == @facet"
    )
    assert len(found) == 1
    return found.value.iloc[0]


@pytest.mark.parametrize(
    ("variable", "region_id", "date", "facet", "expected", "tolerance"),
    [
        # World Bank, SP.POP.TOTL as revised in 2018
        ("Count_Person", "country/USA", "2010", "world-bank", 309.3e6, 1e6),
        ("Count_Person", "Earth", "2017", "world-bank", 7.53e9, 0.03e9),
        # census counts of 1990
        ("Count_Person", "geoId/17031", "1990", "us-census-1990", 5105067, 0),
        ("Count_Person", "geoId/26163", "1990", "us-census-1990", 2111687, 0),  # Wayne, Michigan
        ("Count_Person", "geoId/39035", "1990", "us-census-1990", 1412140, 0),  # Cuyahoga, Ohio
        # UN: the world in 1950 and 2000, China in 2000
        ("Count_Person", "Earth", "1950", "un-wpp-2024", 2.5e9, 0.02e9),
        ("Count_Person", "Earth", "2000", "un-wpp-2024", 6.16e9, 0.03e9),
        ("Count_Person", "country/CHN", "2000", "un-wpp-2024", 1.27e9, 0.02e9),
        # life expectancy of Japan in 2007 (Gapminder 82.6)
        ("LifeExpectancy_Person", "country/JPN", "2007", "gapminder-5year", 82.603, 0.001),
        ("LifeExpectancy_Person", "country/PRK", "2007", "gapminder-5year", 67.297, 0.001),
        ("Rate_Murder", "geoId/22", "2009", "us-statistical-abstract-2009", 12.3, 0.6),
    ],
)
def test_published_figures(values, variable, region_id, date, facet, expected, tolerance):
    assert value(values, variable, region_id, date, facet) == pytest.approx(expected, abs=tolerance)


def test_one_value_per_key_and_known_places(values, regions):
    assert not values.duplicated(["variable", "region_id", "date", "facet"]).any()
    assert set(values.region_id) <= {*regions.region_id, "Earth"}
    assert np.isfinite(values.value).all()
    assert values.date.str.fullmatch(r"\d{4}").all()


def test_coverage(values):
    people = values[values.variable == "Count_Person"].groupby("facet").region_id.nunique()
    assert people["us-census-1990"] == 437
    assert people["gapminder-5year"] == 141  # Réunion has no region of its own
    assert values[values.variable == "UnemploymentRate_Person"].region_id.nunique() == 3214


def test_unemployment_identity(values):
    wide = values[values.facet == "us-bls-laus"].pivot(index="region_id", columns="variable", values="value")
    force, unemployed = wide.Count_Person_InLaborForce, wide.Count_Person_Unemployed
    assert (wide.Count_Person_Employed + unemployed == force).all()
    assert 100 * unemployed.sum() / force.sum() == pytest.approx(9.5, abs=0.1)  # BLS, not seasonally adjusted
    assert np.allclose(100 * unemployed / force, wide.UnemploymentRate_Person, atol=0.051)


def test_parts_of_a_population_add_up(values):
    un = values[values.facet == "un-wpp-2024"].pivot(
        index=["region_id", "date"], columns="variable", values="value"
    )
    ages = un.Count_Person_0To14Years + un.Count_Person_15To64Years + un.Count_Person_65OrMoreYears
    assert np.allclose(ages, un.Count_Person) and np.allclose(
        un.Count_Person_Male + un.Count_Person_Female, un.Count_Person
    )
    census = values[values.facet == "us-census-1990"].pivot(
        index="region_id", columns="variable", values="value"
    )
    groups = [
        c for c in census if c.split("_")[-1] in ("White", "Black", "AmericanIndian", "Asian", "OtherRace")
    ]
    assert (census[groups].sum(axis=1) == census.Count_Person).all()


def test_facets_agree_about_most_countries(values):
    people = values[values.variable == "Count_Person"].pivot_table(
        index=["region_id", "date"], columns="facet", values="value"
    )
    for facet in ("un-wpp-2024", "gapminder-annual", "gapminder-5year"):
        ratio = (people[facet] / people["world-bank"]).dropna()
        assert len(ratio) > 200 and ratio.median() == pytest.approx(1, abs=0.01)
        assert ratio.between(0.8, 1.25).mean() > 0.95


def test_every_variable_says_how_it_aggregates(values, variables):
    assert set(map(tuple, variables[["variable", "facet"]].to_numpy())) == set(
        map(tuple, values[["variable", "facet"]].drop_duplicates().to_numpy())
    )
    assert set(variables.quantity) <= {"count", "rate", "intensive"}
    assert (variables.unit != "").all() and (variables.licence != "").all()
    assert variables.groupby("variable").unit.nunique().eq(1).all()
    assert set(variables.denominator) - {""} <= set(variables.variable)
