"""Tropical cyclones: what was active, what came near, what lies under the track."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pandas as pd
import shapely

from gra_benchmark_geoktools.choices import clear_name, pick, pick_many
from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.facts import county_at, unemployment
from gra_benchmark_geoktools.indicators import STATE_POVERTY, UNEMPLOYMENT
from gra_benchmark_geoktools.solving.ranking import best, rounded, top
from gra_benchmark_geoktools.solving.tracks import crossing, lifetime, passing
from gra_benchmark_geoktools.steps import center, extreme_row, state_id
from gra_benchmark_geoktools.template import Parameters, Template
from gra_core import Blank, IllPosed
from gra_core.benchmark import ReferenceTrajectory

# Storms have names in the North Atlantic only, and up to the last of these years.
BASIN = "NA"
FIRST, LAST = 1982, 2021
# Countries that many storms reach; those of the Atlantic have storms with names.
EXPOSED = ("USA", "JPN", "PHL", "CHN", "TWN", "VNM", "MEX", "MDG", "AUS", "KOR")
ATLANTIC = ("USA", "CUB", "DOM", "HTI")
COAST = (
    "Alabama",
    "Florida",
    "Georgia",
    "Louisiana",
    "Mississippi",
    "North Carolina",
    "South Carolina",
    "Texas",
    "Virginia",
)
STORM_KT = 34.0
# As many storms as a reply of find_historical_storms shows.
SHOWN = 25


def a_period(rng: random.Random, least: int, most: int) -> tuple[int, int]:
    """First and last year of a period of that many years."""
    years = rng.randint(least, most)
    first = rng.randint(FIRST, LAST - years + 1)
    return first, first + years - 1


def a_city(
    data: Data, rng: random.Random, countries: tuple[str, ...] = EXPOSED, people: int = 300_000
) -> pd.Series:
    """A large city of one of some countries; in the United States of a state on the Gulf or the Atlantic."""
    country = rng.choice(countries)
    cities = data.places("city", country=country, min_population=people)
    return pick(rng, cities[cities["admin1"].isin(COAST)] if country == "USA" else cities)


def near_city(data: Data, parameters: Parameters) -> pd.DataFrame:
    """The storms that passed a city."""
    p, city = parameters, data.places("city").loc[parameters["city_id"]]
    fixes = data.fixes(p["first"] - 1, p["last"] + 1)
    return passing(fixes, city["lon"], city["lat"], p["radius"], p["first"], p["last"], p["category"])


def strongest(storms: pd.DataFrame, *, named: bool = True) -> pd.Series:
    """The storm with the strongest wind of its life. Names decide ties; without names a tie is `IllPosed`."""
    if not 2 <= len(storms) <= SHOWN or (named and (storms["name"] == "").any()):
        raise IllPosed(f"{len(storms)} storms, {int((storms['name'] == '').sum())} of them without a name")
    winner = best(storms, "wind_kt", margin=0)
    if not named and (storms["wind_kt"] == winner["wind_kt"]).sum() > 1:
        raise IllPosed("two storms were equally strong")
    return winner


def first_of(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The strongest of the storms of a reply, ties by name."""
    return min(rows, key=lambda row: (-row["max_wind_kt"], row["name"]))


class ActiveStorms(Template):
    id = "active-storms"
    version = 2
    split = "dev"
    tool_types = ("cyclone-activity",)
    wording = (
        "Which tropical cyclone of the North Atlantic was the strongest on {date} (the UTC day, best-track data), what was its highest 1-minute "
        "wind on that day, and how many tropical cyclones of the basin had at least {threshold} kt at some time of the day?"
    )
    blanks = (
        Blank(label="strongest cyclone", type="entity"),
        Blank(label="its wind", type="number", unit="kt", tolerance="wind_kt", depends_on=0),
        Blank(label="number of cyclones", type="number", tolerance="count"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        year = rng.randint(FIRST, LAST)
        fixes = data.fixes(year, year)
        strong = fixes[(fixes["basin"] == BASIN) & (fixes["category"] >= 1)]
        days = sorted({time.date().isoformat() for time in strong["time"]})
        if not days:
            raise IllPosed("a season without a hurricane")
        return {"date": rng.choice(days), "threshold": int(STORM_KT)}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        day = pd.Timestamp(parameters["date"])
        fixes = data.fixes(day.year - 1, day.year + 1)
        today = fixes[
            (fixes["time"] >= day) & (fixes["time"] < day + pd.Timedelta(days=1)) & (fixes["basin"] == BASIN)
        ]
        storms = lifetime(today)
        others = fixes[fixes["storm_id"].isin(storms["storm_id"]) & (fixes["basin"] != BASIN)]
        if len(others) or storms["wind_kt"].isna().any() or (today["category"] < -1).any():
            raise IllPosed("a cyclone left the basin, lost its winds or its tropical nature")
        winner = best(storms, "wind_kt", margin=0.05)
        if winner["name"] == "":
            raise IllPosed("the strongest cyclone has no name")
        return [winner["name"], rounded(winner["wind_kt"], 0), int((storms["wind_kt"] >= STORM_KT).sum())]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        reply = yield "list_active_cyclones", {"basin": BASIN, "as_of": slots["date"]}
        storms = [
            s
            for s in reply["content"]["storms"]
            if s["wind_kt"] is not None and s["wind_kt"] >= slots["threshold"]
        ]
        first = max(storms, key=lambda storm: storm["wind_kt"])
        return [first["name"], first["wind_kt"], len(storms)]


class StormsNearPoint(Template):
    id = "storms-near-point"
    tool_types = ("cyclone-history",)
    wording = (
        "How many tropical cyclones that were of Saffir-Simpson category {category} or higher at their peak passed within {radius} km of "
        "longitude {lon}, latitude {lat} in the years {first} to {last} (best tracks, straight from fix to fix; UTC)? What was the strongest "
        "1-minute wind that any of them had in its life, and in which year did that one come closest to the point?"
    )
    blanks = (
        Blank(label="number of cyclones", type="number", tolerance="count"),
        Blank(label="strongest wind", type="number", unit="kt", tolerance="wind_kt"),
        Blank(label="year of its closest approach", type="number", tolerance="year", depends_on=1),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        first, last = a_period(rng, 8, 25)
        city = a_city(data, rng)
        return {"lon": round(city["lon"], 2), "lat": round(city["lat"], 2), "first": first, "last": last,
                "radius": rng.choice((100, 150, 200, 250)), "category": rng.choice((1, 2, 3))}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        p = parameters
        fixes = data.fixes(p["first"] - 1, p["last"] + 1)
        return count_and_peak(
            passing(fixes, p["lon"], p["lat"], p["radius"], p["first"], p["last"], p["category"])
        )

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        reply = yield near_storms([slots["lon"], slots["lat"]], slots)
        return shown_count_and_peak(reply)


def count_and_peak(storms: pd.DataFrame) -> list[Any]:
    """How many storms, the strongest one's wind, and the year of its closest approach."""
    winner = strongest(storms, named=False)
    return [len(storms), rounded(winner["wind_kt"], 0), int(winner["time"].year)]


def shown_count_and_peak(reply: dict[str, Any]) -> list[Any]:
    """The same, from a reply of find_historical_storms."""
    first = max(reply["content"]["storms"], key=lambda row: row["max_wind_kt"])
    return [reply["content"]["count"], first["max_wind_kt"], int(first["time"][:4])]


def near_storms(region: Any, slots: Mapping[str, Any]) -> Any:
    """The call for the storms near a region."""
    return "find_historical_storms", {
        "region": region, "years": [slots["first"], slots["last"]], "min_category": slots["category"],
        "within_km": slots.get("radius", 0), "strength": "lifetime",
    }  # fmt: skip


class StormsNearCity(Template):
    id = "storms-near-city"
    split = "dev"
    tool_types = ("place-lookup", "cyclone-history")
    wording = (
        "Count the tropical cyclones that reached Saffir-Simpson category {category} or higher in their life and whose centre passed within "
        "{radius} km of the centre of {city} from {first} to {last} (best tracks, straight from fix to fix; UTC years). How strong was the "
        "strongest of them at its peak (1-minute wind), and in which year did it come closest to the city?"
    )
    blanks = StormsNearPoint.blanks

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        first, last = a_period(rng, 8, 30)
        city = a_city(data, rng)
        return {"city_id": city["place_id"], "city": clear_name(data, city), "first": first, "last": last,
                "radius": rng.choice((100, 150, 200)), "category": rng.choice((1, 2, 3))}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        return count_and_peak(near_city(data, parameters))

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["city"], "city")
        reply = yield near_storms(here, slots)
        return shown_count_and_peak(reply)


class StormsOverState(Template):
    id = "storms-over-state"
    tool_types = ("spatial-analysis", "cyclone-history")
    wording = (
        "The centres of how many tropical cyclones that reached Saffir-Simpson category {category} or higher in their life crossed {state} "
        "from {first} to {last} (best tracks, straight from fix to fix; UTC years, whatever their strength at that time)? Name the one with the strongest wind of its "
        "life, and that wind."
    )
    blanks = (
        Blank(label="number of cyclones", type="number", tolerance="count"),
        Blank(label="strongest of them", type="entity"),
        Blank(label="its highest 1-minute wind", type="number", unit="kt", tolerance="wind_kt", depends_on=1),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        first, last = a_period(rng, 5, 15)
        states = data.states()
        state = pick(rng, states[states["name"].isin(COAST)])
        return {
            "state_id": state["region_id"],
            "state": state["name"],
            "first": first,
            "last": last,
            "category": rng.choice((1, 2, 3)),
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        p = parameters
        shape = data.region(p["state_id"])["geometry"]
        storms = crossing(
            data.fixes(p["first"] - 1, p["last"] + 1), shape, p["first"], p["last"], p["category"]
        )
        winner = strongest(storms)
        return [len(storms), winner["name"], rounded(winner["wind_kt"], 0)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        state = yield from state_id(slots["state"])
        reply = yield near_storms([state], slots)
        first = first_of(reply["content"]["storms"])
        return [reply["content"]["count"], first["name"], first["max_wind_kt"]]


class MostCrossedState(Template):
    id = "most-crossed-state"
    tool_types = ("spatial-analysis", "cyclone-history", "public-statistics")
    wording = (
        "Of {states}, which state was crossed by the centres of most tropical cyclones that reached category {category} or higher in their "
        "life, from {first} to {last} (best tracks, straight from fix to fix; UTC years), by how many, and what share of its people lived below the poverty level "
        "(2009 Statistical Abstract)?"
    )
    blanks = (
        Blank(label="state crossed by most", type="entity"),
        Blank(label="number of cyclones", type="number", tolerance="count", depends_on=0),
        Blank(
            label="share below the poverty level", type="number", unit="%", tolerance="percent", depends_on=0
        ),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        first, last = a_period(rng, 4, 12)
        states = data.states()
        chosen = pick_many(rng, states[states["name"].isin(COAST)], 3).sort_values("name")
        return {
            "states_id": list(chosen.index),
            "states": list(chosen["name"]),
            "first": first,
            "last": last,
            "category": rng.choice((1, 2)),
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        p, i = parameters, STATE_POVERTY
        fixes = data.fixes(p["first"] - 1, p["last"] + 1)
        states = data.states().loc[p["states_id"]]
        counts = [
            len(crossing(fixes, shape, p["first"], p["last"], p["category"])) for shape in states.geometry
        ]
        winner = top(states.assign(count=counts), "count", 1, margin=0).iloc[0]
        poverty = data.values(i.variable, i.facet, "2009", parent_id="country/USA", level="state")
        if winner["count"] < 1 or counts.count(winner["count"]) > 1:
            raise IllPosed("no storm, or as many over two states")
        return [winner["name"], int(winner["count"]), rounded(poverty[winner["region_id"]], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        counts = {}
        for name in slots["states"]:
            state = yield from state_id(name)
            reply = yield near_storms([state], slots)
            counts[state] = (reply["content"].get("count", 0), name)
        state = max(counts, key=lambda key: counts[key][0])
        i = STATE_POVERTY
        poverty = yield (
            "get_stat_table",
            {"variables": [i.variable], "places": [state], "date": "2009", "facet": i.facet},
        )
        return [counts[state][1], counts[state][0], extreme_row(poverty)["value"]]


class StormAboveCountry(Template):
    id = "storm-above-country"
    tool_types = ("place-lookup", "cyclone-history", "reverse-geocoding")
    wording = (
        "Among the tropical cyclones that reached category {category} or higher in their life and passed within {radius} km of the centre of "
        "{city} from {first} to {last} (best tracks, straight from fix to fix; UTC years), take the one with the strongest wind of its life. In which country was its "
        "centre when it came closest to the city, and how far away was it?"
    )
    blanks = (
        Blank(label="strongest cyclone", type="entity"),
        Blank(label="country under its centre", type="entity", depends_on=0),
        Blank(
            label="distance at the closest approach",
            type="number",
            unit="km",
            tolerance="distance_km",
            depends_on=0,
        ),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        first, last = a_period(rng, 8, 30)
        city = a_city(data, rng, ATLANTIC, 100_000)
        return {"city_id": city["place_id"], "city": clear_name(data, city), "first": first, "last": last,
                "radius": rng.choice((150, 200, 300)), "category": rng.choice((1, 2, 3))}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        winner = strongest(near_city(data, parameters))
        if winner["distance_km"] < 20:
            raise IllPosed("the track runs over the city: its distance is too small to compare")
        spot = shapely.Point(winner["lon"], winner["lat"]).buffer(0.15)
        countries = data.countries()
        around = countries[shapely.contains(countries.geometry.to_numpy(), spot)]
        if len(around) != 1:
            raise IllPosed("the closest point lies at sea or on a border")
        return [winner["name"], around["name"].iloc[0], rounded(winner["distance_km"], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["city"], "city")
        reply = yield near_storms(here, slots)
        first = first_of(reply["content"]["storms"])
        located = yield "reverse_geocode", {"points": [[first["lon"], first["lat"]]], "levels": ["country"]}
        country = located["content"]["points"][0]["regions"]["country"]["name"]
        return [first["name"], country, first["distance_km"]]


class StormsCityCounty(Template):
    id = "storms-city-county"
    split = "dev"
    tool_types = ("place-lookup", "cyclone-history", "reverse-geocoding", "public-statistics")
    wording = (
        "For {city}: how many tropical cyclones that reached category {category} or higher in their life passed within {radius} km of its "
        "centre from {first} to {last} (best tracks, straight from fix to fix; UTC years), in which county does that centre lie, and what was this county's unemployment "
        "rate in 2009 (Bureau of Labor Statistics)?"
    )
    blanks = (
        Blank(label="number of cyclones", type="number", tolerance="count"),
        Blank(label="county", type="entity"),
        Blank(label="unemployment rate", type="number", unit="%", tolerance="percent", depends_on=1),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        first, last = a_period(rng, 8, 30)
        city = a_city(data, rng, ("USA",), 100_000)
        return {"city_id": city["place_id"], "city": clear_name(data, city), "first": first, "last": last,
                "radius": rng.choice((100, 150, 200)), "category": rng.choice((1, 2))}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        city, storms = data.places("city").loc[parameters["city_id"]], near_city(data, parameters)
        if not 1 <= len(storms) <= SHOWN:
            raise IllPosed(f"{len(storms)} storms")
        county = county_at(data, city["lon"], city["lat"])
        return [
            len(storms),
            county["name"],
            rounded(unemployment(data, county["parent_id"])[county["region_id"]], 1),
        ]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["city"], "city")
        storms = yield near_storms(here, slots)
        located = yield "reverse_geocode", {"points": [here], "levels": ["county"]}
        county = located["content"]["points"][0]["regions"]["county"]
        rates = yield (
            "get_stat_table",
            {"variables": [UNEMPLOYMENT.variable], "places": [county["region_id"]], "date": "2009"},
        )
        return [storms["content"]["count"], county["name"], extreme_row(rates)["value"]]
