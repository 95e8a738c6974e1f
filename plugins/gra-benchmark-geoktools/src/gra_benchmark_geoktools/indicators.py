"""The statistics that templates ask for: variables with the provider, unit and years that make a question clear."""

from __future__ import annotations

from attrs import frozen


@frozen(kw_only=True)
class Indicator:
    """A variable of one provider (facet). `title` and `provider` go into wordings, `tolerance` into blanks."""

    variable: str
    facet: str
    title: str
    provider: str
    unit: str
    tolerance: str
    years: tuple[int, ...]
    decimals: int


LIFE_EXPECTANCY = Indicator(
    variable="LifeExpectancy_Person", facet="gapminder-annual", title="life expectancy at birth", provider="Gapminder annual series",
    unit="years", tolerance="age_years", years=tuple(range(1970, 2014)), decimals=2,
)  # fmt: skip
FERTILITY = Indicator(
    variable="FertilityRate_Person_Female", facet="gapminder-annual", title="fertility rate", provider="Gapminder annual series",
    unit="children per woman", tolerance="ratio", years=tuple(range(1970, 2014)), decimals=3,
)  # fmt: skip
GDP_PER_HEAD = Indicator(
    variable="Amount_EconomicActivity_GrossDomesticProduction_RealValue_PerCapita", facet="gapminder-5year", title="GDP per head",
    provider="Gapminder five-year series", unit="international dollars", tolerance="currency", years=tuple(range(1952, 2008, 5)), decimals=1,
)  # fmt: skip
POPULATION = Indicator(
    variable="Count_Person", facet="world-bank", title="total population", provider="World Bank", unit="people", tolerance="population",
    years=tuple(range(2000, 2018)), decimals=0,
)  # fmt: skip
URBAN_POPULATION = Indicator(
    variable="Count_Person_Urban", facet="world-bank", title="urban population", provider="World Bank", unit="people",
    tolerance="population", years=tuple(range(2000, 2018)), decimals=0,
)  # fmt: skip
POPULATION_GROWTH = Indicator(
    variable="GrowthRate_Count_Person", facet="world-bank", title="annual population growth", provider="World Bank", unit="%",
    tolerance="percent", years=tuple(range(2001, 2018)), decimals=3,
)  # fmt: skip
UNEMPLOYMENT = Indicator(
    variable="UnemploymentRate_Person", facet="us-bls-laus", title="unemployment rate",
    provider="Bureau of Labor Statistics, local area unemployment", unit="%", tolerance="percent", years=(2009,), decimals=1,
)  # fmt: skip
LABOR_FORCE = Indicator(
    variable="Count_Person_InLaborForce", facet="us-bls-laus", title="labor force",
    provider="Bureau of Labor Statistics, local area unemployment", unit="people", tolerance="population", years=(2009,), decimals=0,
)  # fmt: skip
UNEMPLOYED = Indicator(
    variable="Count_Person_Unemployed", facet="us-bls-laus", title="number of unemployed people",
    provider="Bureau of Labor Statistics, local area unemployment", unit="people", tolerance="population", years=(2009,), decimals=0,
)  # fmt: skip
COLLEGE = Indicator(
    variable="Percent_Person_CollegeEducated", facet="us-census-1990", title="share of adults with a college education",
    provider="1990 census", unit="%", tolerance="percent", years=(1990,), decimals=2,
)  # fmt: skip
COUNTY_POVERTY = Indicator(
    variable="Percent_Person_BelowPovertyLevel", facet="us-census-1990", title="share of people below the poverty level",
    provider="1990 census", unit="%", tolerance="percent", years=(1990,), decimals=2,
)  # fmt: skip
STATE_POVERTY = Indicator(
    variable="Percent_Person_BelowPovertyLevel", facet="us-statistical-abstract-2009", title="share of people below the poverty level",
    provider="2009 Statistical Abstract", unit="%", tolerance="percent", years=(2009,), decimals=1,
)  # fmt: skip
VIOLENT_CRIME = Indicator(
    variable="Rate_ViolentCrime", facet="us-statistical-abstract-2009", title="violent crime rate", provider="2009 Statistical Abstract",
    unit="crimes per 100,000 people", tolerance="rate", years=(2009,), decimals=1,
)  # fmt: skip
HIGH_SCHOOL = Indicator(
    variable="Percent_Person_HighSchoolDiploma", facet="us-statistical-abstract-2009", title="share of adults with a high-school diploma",
    provider="2009 Statistical Abstract", unit="%", tolerance="percent", years=(2009,), decimals=1,
)  # fmt: skip

# The states whose counties have the 1990 census variables.
MIDWEST = {
    "geoId/17": "Illinois",
    "geoId/18": "Indiana",
    "geoId/26": "Michigan",
    "geoId/39": "Ohio",
    "geoId/55": "Wisconsin",
}

# By the title that a wording mentions.
YEARLY = {i.title: i for i in (LIFE_EXPECTANCY, FERTILITY)}
LEVELS = {i.title: i for i in (LIFE_EXPECTANCY, FERTILITY, GDP_PER_HEAD)}
STATE_INDICATORS = {i.title: i for i in (STATE_POVERTY, VIOLENT_CRIME, HIGH_SCHOOL)}
COUNTY_INDICATORS = {i.title: i for i in (COLLEGE, COUNTY_POVERTY)}
