"""Queries about a place, a year or a variable that does not exist: nothing can answer them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from gra_benchmark_geoktools.choices import a_landmark, a_state, pick, some_countries
from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.facts import world_values
from gra_benchmark_geoktools.indicators import LEVELS, YEARLY, Indicator
from gra_benchmark_geoktools.infeasible import (
    Infeasible,
    abstaining,
    no_county,
    no_region,
    no_values,
    no_variable,
    words,
)
from gra_benchmark_geoktools.steps import center, places_of_statistics, series_of, state_id
from gra_benchmark_geoktools.template import Parameters
from gra_core import Blank
from gra_core.benchmark import ReferenceTrajectory

# Countries of novels, comics, films and plays.
FICTIONAL = (
    "Agrabah", "Borduria", "Costaguana", "Elbonia", "Freedonia", "Genovia", "Krakozhia", "Latveria", "Ruritania", "Sokovia", "Syldavia",
    "Wakanda", "Zamunda",
)  # fmt: skip
# Before any count of a population that an estimate could start from, and after the end of the projections.
PAST, FUTURE = (1610, 1780), (2105, 2160)
# What nobody measures by county, and the word that a variable about it could not do without.
MEASURES = {
    "number of beehives in private gardens per 1,000 people": "beehive",
    "share of households that own a piano": "piano",
    "average number of umbrellas per household": "umbrella",
    "share of adults who can whistle a tune": "whistl",
    "share of residents who speak Esperanto": "esperanto",
    "number of sundials per 10,000 people": "sundial",
    "share of residents who are left-handed": "left-hand",
    "share of adults who have read Moby-Dick": "moby",
}


def a_distant_period(rng: random.Random, years: int) -> tuple[int, int]:
    """First and last year of a period that no series reaches."""
    first, last = rng.choice((PAST, FUTURE))
    start = rng.randint(first, last - years + 1)
    return start, start + years - 1


def a_country_with(data: Data, rng: random.Random, indicator: Indicator) -> Parameters:
    """A country that has an indicator, in the years that there are."""
    country = some_countries(data, rng, 1, values=world_values(data, indicator, indicator.years[-1])).iloc[0]
    return {"country_id": country["region_id"], "country": country["name"]}


class NoSuchCountry(Infeasible):
    id = "no-such-country"
    tool_types = ("public-statistics",)
    wording = "According to the {provider}, what was the {title} of {country} in {year}, and how much higher or lower was it than that of {other}?"
    blanks = (
        Blank(label="{title} of {country}", type="number", unit="{unit}", tolerance="{domain}"),
        Blank(label="difference from {other}", type="number", unit="{unit}", tolerance="{domain}"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        i = rng.choice(list(LEVELS.values()))
        year = rng.choice(i.years)
        other = some_countries(data, rng, 1, values=world_values(data, i, year)).iloc[0]
        return {"country": rng.choice(FICTIONAL), "other": other["name"], "title": i.title, "provider": i.provider, "year": year,
                "unit": i.unit, "domain": i.tolerance}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        no_region(data, parameters["country"])
        return []

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        reply = yield "resolve_places", {"names": [slots["country"], slots["other"]], "place_type": "country"}
        status = {place["name"]: place["status"] for place in reply["content"]["places"]}
        missing = status[slots["country"]] == "not_found"
        return (
            yield from abstaining(
                missing, f"There is no country {slots['country']}, so it has no {slots['title']}."
            )
        )


class NoSuchYear(Infeasible):
    id = "no-such-year"
    tool_types = ("statistics-history",)
    wording = "According to the {provider}, what was the {title} of {country} in {year}, and by how much had it changed since {earlier}?"
    blanks = (
        Blank(label="{title} in {year}", type="number", unit="{unit}", tolerance="{domain}"),
        Blank(label="change since {earlier}", type="number", unit="{unit}", tolerance="{domain}"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        i = rng.choice(list(YEARLY.values()))
        earlier, year = a_distant_period(rng, 11)
        return a_country_with(data, rng, i) | {"title": i.title, "provider": i.provider, "earlier": earlier, "year": year,
                                               "unit": i.unit, "domain": i.tolerance}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        no_values(
            data,
            YEARLY[parameters["title"]].variable,
            parameters["country_id"],
            parameters["earlier"],
            parameters["year"],
        )
        return []

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        country = yield from places_of_statistics([slots["country"]])
        reply = yield series_of(YEARLY[slots["title"]], country, slots["earlier"], slots["year"])
        reason = f"The {slots['provider']} has no {slots['title']} of {slots['country']} for {slots['earlier']} or {slots['year']}."
        return (yield from abstaining(reply["status"] == "empty", reason))


class NoSuchPeriod(Infeasible):
    id = "no-such-period"
    tool_types = ("statistics-history", "trend-testing")
    wording = (
        "Did the {title} of {country} ({provider}) rise or fall between {start} and {end}? Say whether there is a monotonic trend at the 5% "
        "level (Mann-Kendall test), and give Sen's slope per year."
    )
    blanks = (
        Blank(label="trend: increasing, decreasing or no trend", type="text"),
        Blank(label="Sen's slope per year", type="number", tolerance="rate"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        i = rng.choice(list(YEARLY.values()))
        start, end = a_distant_period(rng, rng.randint(16, 36))
        return a_country_with(data, rng, i) | {
            "title": i.title,
            "provider": i.provider,
            "start": start,
            "end": end,
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        no_values(
            data,
            YEARLY[parameters["title"]].variable,
            parameters["country_id"],
            parameters["start"],
            parameters["end"],
        )
        return []

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        country = yield from places_of_statistics([slots["country"]])
        reply = yield series_of(YEARLY[slots["title"]], country, slots["start"], slots["end"])
        reason = f"The {slots['provider']} has no {slots['title']} of {slots['country']} from {slots['start']} to {slots['end']}."
        return (yield from abstaining(reply["status"] == "empty", reason))


class NoSuchMeasure(Infeasible):
    id = "no-such-measure"
    tool_types = ("public-statistics", "elevation")
    wording = "Which county of {state} has the {extreme} {measure}, and what is the mean elevation of that county (over its area)?"
    blanks = (
        Blank(label="county", type="entity"),
        Blank(label="its mean elevation", type="number", unit="m", tolerance="elevation_m", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        return {
            "state": a_state(data, rng)["name"],
            "measure": rng.choice(list(MEASURES)),
            "extreme": rng.choice(("highest", "lowest")),
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        no_variable(data, parameters["measure"], MEASURES[parameters["measure"]])
        return []

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        keyword, found = MEASURES[slots["measure"]], []
        for query in (slots["measure"], keyword):
            reply = yield "search_variables", {"query": query}
            found += reply["content"].get("variables", [])
        missing = not any(
            keyword in f"{variable['variable']} {variable['title']}".casefold() for variable in found
        )
        return (yield from abstaining(missing, f"No source has the {slots['measure']} by county."))


class NoSuchCounty(Infeasible):
    id = "no-such-county"
    tool_types = ("spatial-analysis", "place-lookup", "public-statistics")
    wording = (
        "How far is {landmark} from the centre of area of {county}, {state}, and what was this county's unemployment rate in 2009 (Bureau of "
        "Labor Statistics)?"
    )
    blanks = (
        Blank(label="distance", type="number", unit="km", tolerance="distance_km"),
        Blank(label="unemployment rate", type="number", unit="%", tolerance="percent"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        state, other = a_state(data, rng), a_state(data, rng)
        counties = data.regions(other["region_id"], "county")
        counties = counties[counties["name"].str.endswith(" County")]
        return {"state_id": state["region_id"], "state": state["name"], "county": pick(rng, counties)["name"],
                "landmark": a_landmark(data, rng, country="USA")["name"]}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        no_county(data, parameters["county"], parameters["state_id"])
        return []

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        yield from center(slots["landmark"], "landmark")
        state = yield from state_id(slots["state"])
        reply = yield (
            "find_regions",
            {"name": slots["county"], "level": "county", "parent": state, "limit": 50},
        )
        names = {words(region["name"]) for region in reply["content"].get("candidates", [])}
        return (
            yield from abstaining(
                words(slots["county"]) not in names, f"{slots['state']} has no {slots['county']}."
            )
        )
