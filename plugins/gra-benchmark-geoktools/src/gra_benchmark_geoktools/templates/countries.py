"""Countries: levels, changes and trends of their statistics, alone and with their shapes."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from gra_benchmark_geoktools.choices import some_countries
from gra_benchmark_geoktools.data import WORLD, Data
from gra_benchmark_geoktools.facts import neighbours, world_values
from gra_benchmark_geoktools.indicators import (
    FERTILITY,
    LEVELS,
    LIFE_EXPECTANCY,
    POPULATION,
    URBAN_POPULATION,
    YEARLY,
)
from gra_benchmark_geoktools.solving.geodesy import areas_km2
from gra_benchmark_geoktools.solving.ranking import best, rounded, significant
from gra_benchmark_geoktools.solving.trend import direction, sens_slope
from gra_benchmark_geoktools.steps import (
    MANN_KENDALL,
    country_ids,
    dataset,
    extreme_row,
    places_of_statistics,
    region_id,
    series_of,
    subregions,
    verdict,
)  # fmt: skip
from gra_benchmark_geoktools.template import Parameters, Template
from gra_core import Blank, IllPosed
from gra_core.benchmark import ReferenceTrajectory


class HighestOfCountries(Template):
    id = "highest-of-countries"
    tool_types = ("public-statistics",)
    wording = "Which of {countries} had the {extreme} {title} in {year} ({provider}), and what was it?"
    blanks = (
        Blank(label="country", type="entity"),
        Blank(label="{title}", type="number", unit="{unit}", tolerance="{domain}", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        i = rng.choice(list(LEVELS.values()))
        year = rng.choice(i.years)
        countries = some_countries(data, rng, 5, values=world_values(data, i, year))
        return {"countries_id": list(countries.index), "countries": list(countries["name"]), "title": i.title, "provider": i.provider,
                "year": year, "unit": i.unit, "domain": i.tolerance, "extreme": rng.choice(("highest", "lowest"))}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        i = LEVELS[parameters["title"]]
        countries = data.countries().loc[parameters["countries_id"]]
        table = countries.assign(value=world_values(data, i, parameters["year"]).reindex(countries.index))
        winner = best(table, "value", largest=parameters["extreme"] == "highest", margin=0)
        return [winner["name"], rounded(winner["value"], i.decimals)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        i, ids = LEVELS[slots["title"]], (yield from places_of_statistics(slots["countries"]))
        reply = yield "get_stat_table", {
            "variables": [i.variable], "places": ids, "date": str(slots["year"]), "facet": i.facet,
        }  # fmt: skip
        row = extreme_row(reply, slots["extreme"])
        return [row["name"], row["value"]]


class LargestGain(Template):
    id = "largest-gain"
    split = "dev"
    tool_types = ("statistics-history",)
    wording = (
        "Compare life expectancy at birth in {start} and in {end} (Gapminder annual series) for {countries}. Which country changed the "
        "most, up or down, and by how many years (negative for a fall)?"
    )
    blanks = (
        Blank(label="country with the largest change", type="entity"),
        Blank(label="change", type="number", unit="years", tolerance="age_years", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        start = rng.randrange(1970, 2001)
        end = rng.randrange(start + 10, 2014)
        countries = some_countries(data, rng, 4, values=world_values(data, LIFE_EXPECTANCY, start))
        return {
            "countries_id": list(countries.index),
            "countries": list(countries["name"]),
            "start": start,
            "end": end,
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        countries = data.countries().loc[parameters["countries_id"]]
        first, last = (
            world_values(data, LIFE_EXPECTANCY, parameters[key]).reindex(countries.index)
            for key in ("start", "end")
        )
        table = countries.assign(change=last - first, size=(last - first).abs().round(6))
        winner = best(table, "size", margin=0.005)
        return [winner["name"], rounded(winner["change"], 2)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        ids = yield from places_of_statistics(slots["countries"])
        reply = yield series_of(LIFE_EXPECTANCY, ids, slots["start"], slots["end"])
        largest = max(reply["content"]["series"], key=lambda entry: abs(entry["change"]))
        return [largest["name"], largest["change"]]


class PopulationDensity(Template):
    id = "population-density"
    tool_types = ("spatial-analysis", "public-statistics")
    wording = (
        "Divide the total population in {year} (World Bank) of each of {countries} by the area inside its boundary polygon. Which country "
        "was the most densely populated, and how many people per square kilometre had it?"
    )
    blanks = (
        Blank(label="densest country", type="entity"),
        Blank(
            label="its density",
            type="number",
            unit="people per km²",
            tolerance="density_per_km2",
            depends_on=0,
        ),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        year = rng.choice(POPULATION.years)
        countries = some_countries(data, rng, 4, values=world_values(data, POPULATION, year))
        return {"countries_id": list(countries.index), "countries": list(countries["name"]), "year": year}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        countries = data.countries().loc[parameters["countries_id"]]
        people = world_values(data, POPULATION, parameters["year"]).reindex(countries.index)
        winner = best(countries.assign(density=people / areas_km2(countries)), "density", margin=0.03)
        return [winner["name"], rounded(winner["density"], 2)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        ids = yield from country_ids(slots["countries"])
        shapes = yield "get_boundaries", {"region_ids": ids}
        area = {row["region_id"]: row["area_km2"] for row in shapes["content"]["regions"]}
        people = yield "get_stat_table", {
            "variables": [POPULATION.variable], "places": ids, "date": str(slots["year"]), "facet": POPULATION.facet,
        }  # fmt: skip
        rows = people["content"]["variables"][0]["rows"]
        densest = max(rows, key=lambda row: row["value"] / area[row["region_id"]])
        return [densest["name"], densest["value"] / area[densest["region_id"]]]


class UrbanShare(Template):
    id = "urban-share"
    tool_types = ("public-statistics", "table-analysis")
    wording = (
        "What share of the population lived in urban areas in {year} (World Bank: urban population divided by total population) in each "
        "of {countries}? Name the country with the largest share, and give the share of all of them taken together."
    )
    blanks = (
        Blank(label="country with the largest urban share", type="entity"),
        Blank(label="its urban share", type="number", unit="%", tolerance="percent", depends_on=0),
        Blank(label="urban share of all together", type="number", unit="%", tolerance="percent"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        year = rng.choice(URBAN_POPULATION.years)
        countries = some_countries(data, rng, 4, values=world_values(data, URBAN_POPULATION, year))
        return {"countries_id": list(countries.index), "countries": list(countries["name"]), "year": year}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        countries = data.countries().loc[parameters["countries_id"]]
        urban, total = (
            world_values(data, i, parameters["year"]).reindex(countries.index)
            for i in (URBAN_POPULATION, POPULATION)
        )
        winner = best(countries.assign(share=100 * urban / total), "share", margin=0.005)
        return [winner["name"], rounded(winner["share"], 2), rounded(100 * urban.sum() / total.sum(), 2)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        urban, total = URBAN_POPULATION.variable, POPULATION.variable
        ids = yield from places_of_statistics(slots["countries"])
        reply = yield "get_stat_table", {
            "variables": [urban, total], "places": ids, "date": str(slots["year"]), "facet": POPULATION.facet,
        }  # fmt: skip
        table = {"t": dataset(reply)}
        each = yield "query_table", {
            "refs": table, "sql": f'SELECT region_name AS name, 100.0 * "{urban}" / "{total}" AS share FROM t ORDER BY share DESC, name LIMIT 1',
        }  # fmt: skip
        together = yield (
            "query_table",
            {"refs": table, "sql": f'SELECT 100.0 * sum("{urban}") / sum("{total}") AS share FROM t'},
        )
        first = each["content"]["result"][0]
        return [first["name"], first["share"], together["content"]["result"][0]["share"]]


class CountryTrend(Template):
    id = "country-trend"
    split = "dev"
    tool_types = ("statistics-history", "trend-testing")
    wording = (
        "Take the {title} of {country} from {start} to {end} ({provider}). Is there a monotonic trend at the 5% level (Mann-Kendall test), "
        "and what is Sen's slope per year?"
    )
    blanks = (
        Blank(label="trend: increasing, decreasing or no trend", type="text"),
        Blank(label="Sen's slope per year", type="number", tolerance="rate"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        i = rng.choice(list(YEARLY.values()))
        start = rng.randrange(1970, 1999)
        end = rng.randrange(start + 12, 2014)
        country = some_countries(data, rng, 1, values=world_values(data, i, end)).iloc[0]
        return {"country_id": country["region_id"], "country": country["name"], "title": i.title, "provider": i.provider,
                "start": start, "end": end}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        i = YEARLY[parameters["title"]]
        series = data.series(
            i.variable, i.facet, parameters["country_id"], parameters["start"], parameters["end"]
        )
        return [direction(series), significant(sens_slope(series))]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        country = yield from places_of_statistics([slots["country"]])
        series = yield series_of(YEARLY[slots["title"]], country, slots["start"], slots["end"])
        test = yield "test_trend", MANN_KENDALL | {"table": dataset(series)}
        return verdict(test)


class BorderingStatistic(Template):
    id = "bordering-countries-statistic"
    tool_types = ("spatial-analysis", "public-statistics")
    wording = (
        "Among the countries that share a land border with {country}, which had the {extreme} life expectancy at birth in {year} (Gapminder "
        "annual series), and what was it?"
    )
    blanks = (
        Blank(label="neighbouring country", type="entity"),
        Blank(label="its life expectancy", type="number", unit="years", tolerance="age_years", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        year = rng.choice(LIFE_EXPECTANCY.years)
        country = some_countries(data, rng, 1, area_km2=(5e3, 2e7)).iloc[0]
        return {
            "country_id": country["region_id"],
            "country": country["name"],
            "year": year,
            "extreme": rng.choice(("highest", "lowest")),
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        around = neighbours(data.countries(), parameters["country_id"])
        if len(around) < 3:
            raise IllPosed("too few neighbours")
        table = around.assign(
            value=world_values(data, LIFE_EXPECTANCY, parameters["year"]).reindex(around.index)
        )
        winner = best(table, "value", largest=parameters["extreme"] == "highest", margin=0)
        return [winner["name"], rounded(winner["value"], 2)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        country = yield from region_id(slots["country"], level="country")
        world = yield from subregions(WORLD, "country")
        around = yield "filter_regions", {"regions": world, "mask": [country], "predicate": "touches"}
        i = LIFE_EXPECTANCY
        reply = yield "get_stat_table", {
            "variables": [i.variable], "places": dataset(around), "date": str(slots["year"]), "facet": i.facet, "limit": 20,
        }  # fmt: skip
        row = extreme_row(reply, slots["extreme"])
        return [row["name"], row["value"]]


class BorderingTrend(Template):
    id = "bordering-countries-trend"
    tool_types = ("spatial-analysis", "statistics-history", "trend-testing")
    wording = (
        "Which country that shares a land border with {country} has the largest area, and did its fertility rate from {start} to {end} "
        "(Gapminder annual series) show a monotonic trend at the 5% level (Mann-Kendall)? Give Sen's slope too."
    )
    blanks = (
        Blank(label="largest neighbouring country", type="entity"),
        Blank(label="trend: increasing, decreasing or no trend", type="text", depends_on=0),
        Blank(
            label="Sen's slope",
            type="number",
            unit="children per woman per year",
            tolerance="rate",
            depends_on=0,
        ),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        start = rng.randrange(1970, 1999)
        country = some_countries(data, rng, 1, area_km2=(5e3, 2e7)).iloc[0]
        return {
            "country_id": country["region_id"],
            "country": country["name"],
            "start": start,
            "end": rng.randrange(start + 12, 2014),
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        around = neighbours(data.countries(), parameters["country_id"])
        if len(around) < 2:
            raise IllPosed("too few neighbours")
        largest = best(around.assign(area=areas_km2(around)), "area", margin=0.03)
        series = data.series(
            FERTILITY.variable, FERTILITY.facet, largest["region_id"], parameters["start"], parameters["end"]
        )
        return [largest["name"], direction(series), significant(sens_slope(series))]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        country = yield from region_id(slots["country"], level="country")
        world = yield from subregions(WORLD, "country")
        around = yield "filter_regions", {"regions": world, "mask": [country], "predicate": "touches"}
        sizes = yield "measure_features", {"features": dataset(around), "what": ["area"]}
        largest = sizes["content"]["rows"][0]
        series = yield series_of(FERTILITY, [largest["feature_id"]], slots["start"], slots["end"])
        test = yield "test_trend", MANN_KENDALL | {"table": dataset(series)}
        return [largest["name"], *verdict(test)]
