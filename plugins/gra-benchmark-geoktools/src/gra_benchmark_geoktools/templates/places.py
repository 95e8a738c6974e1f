"""Cities and airports: size, height, distance, what lies around."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pandas as pd
import shapely

from gra_benchmark_geoktools.choices import a_landmark, a_state, pick_many, some_countries
from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.facts import county_at, position
from gra_benchmark_geoktools.solving.geodesy import distances_km
from gra_benchmark_geoktools.solving.ranking import best, clear_of, rounded, top
from gra_benchmark_geoktools.steps import center, circle, dataset, point, state_id
from gra_benchmark_geoktools.template import Parameters, Template
from gra_core import Blank, IllPosed
from gra_core.benchmark import ReferenceTrajectory

# Airports that people know: the ones of large cities.
BIG_CITY = 1_000_000


def large_airports(data: Data, country: str = "") -> pd.DataFrame:
    """Airports with a code and a height that lie in a large city of their country."""
    cities = data.places("city", min_population=BIG_CITY, country=country)
    table = data.places("airport", country=country)
    named = table["city"].isin(cities["name"]) & table["name"].str.contains("International")
    return table[named & (table["iata"] != "") & (table["elevation_m"] > 0)]


def airport_ids(codes: list[str]) -> list[str]:
    return [f"iata/{code}" for code in codes]


class HighestAirport(Template):
    id = "highest-airport"
    split = "dev"
    tool_types = ("place-lookup",)
    wording = "Of the airports with the IATA codes {codes}, which lies highest above sea level, at what elevation, and in which IANA time zone?"
    blanks = (
        Blank(label="IATA code of the highest airport", type="text"),
        Blank(label="its elevation", type="number", unit="m", tolerance="elevation_m", depends_on=0),
        Blank(label="its time zone", type="text", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        return {"codes": sorted(pick_many(rng, large_airports(data), 4)["iata"])}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        table = data.places("airport").loc[airport_ids(parameters["codes"])]
        winner = best(table, "elevation_m", margin=0.02)
        return [winner["iata"], rounded(winner["elevation_m"], 1), winner["timezone"]]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        reply = yield (
            "get_place_details",
            {"place_ids": airport_ids(slots["codes"]), "fields": ["iata", "elevation_m", "timezone"]},
        )
        highest = max(reply["content"]["places"], key=lambda place: place["elevation_m"])
        return [highest["iata"], highest["elevation_m"], highest["timezone"]]


class LargestCities(Template):
    id = "largest-cities"
    tool_types = ("place-lookup",)
    wording = "Name the three most populous cities of {country}, in order (GeoNames figures), and the population of the third."
    blanks = (
        Blank(label="most populous city", type="entity"), Blank(label="second city", type="entity"), Blank(label="third city", type="entity"),
        Blank(label="population of the third", type="number", unit="people", tolerance="population", depends_on=2),
    )  # fmt: skip

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        country = some_countries(data, rng, 1, area_km2=(1e4, 2e7)).iloc[0]
        return {"country_id": country["region_id"], "country": country["name"]}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        cities = data.places(
            "city", country=parameters["country_id"].removeprefix("country/"), min_population=10_000
        )
        first = top(cities, "population", 3)
        # The tool path takes what lies inside the outline; the two must agree.
        shape = data.region(parameters["country_id"])["geometry"]
        if not shapely.intersects_xy(
            shapely.buffer(shape, -0.01), first["lon"].to_numpy(), first["lat"].to_numpy()
        ).all():
            raise IllPosed("a city lies on the coast or the border of the generalised outline")
        return [*first["name"], int(first["population"].iloc[2])]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        reply = yield (
            "search_places",
            {"region": slots["country"], "types": ["city"], "sort_by": "population", "limit": 3},
        )
        places = reply["content"]["places"]
        return [*(place["name"] for place in places), places[2]["population"]]


class AirportDistance(Template):
    id = "airport-distance"
    split = "dev"
    tool_types = ("place-lookup", "spatial-analysis")
    wording = "Which of the airports {codes} (IATA codes) is {extreme} {origin} by geodesic distance, and how many kilometres away is it?"
    blanks = (
        Blank(label="IATA code", type="text"),
        Blank(label="distance", type="number", unit="km", tolerance="distance_km", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        origin, *others = pick_many(rng, large_airports(data), 5)["iata"]
        return {
            "codes": sorted(others),
            "origin": origin,
            "extreme": rng.choice(("nearest to", "farthest from")),
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        airports = data.places("airport")
        origin, table = (
            airports.loc[f"iata/{parameters['origin']}"],
            airports.loc[airport_ids(parameters["codes"])],
        )
        distance = distances_km(origin["lon"], origin["lat"], table["lon"], table["lat"])
        winner = best(
            table.assign(distance_km=distance),
            "distance_km",
            largest=parameters["extreme"] == "farthest from",
        )
        return [winner["iata"], rounded(winner["distance_km"], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        ids = airport_ids([slots["origin"], *slots["codes"]])
        known = yield "get_place_details", {"place_ids": ids, "fields": ["iata"]}
        code = {place["place_id"]: place["iata"] for place in known["content"]["places"]}
        far = yield (
            "compute_distances",
            {"a": ids[:1], "b": ids[1:], "k": 1, "order": slots["extreme"].split()[0]},
        )
        row = far["content"]["rows"][0]
        return [code[row["b_id"]], row["distance_km"]]


def cities_near(data: Data, lon: float, lat: float, radius_km: float, people: int) -> pd.DataFrame:
    """Cities of at least so many people within a distance; `IllPosed` when one is on the circle or near the limit."""
    cities = data.places("city", min_population=people // 2)
    table = cities.assign(distance_km=distances_km(lon, lat, cities["lon"], cities["lat"]))
    clear_of(table.loc[table["population"] >= people, "distance_km"], radius_km, 0.005)
    table = table[table["distance_km"] < radius_km]
    clear_of(table["population"], people, 0.005)
    return table[table["population"] >= people]


class CitiesNearLandmark(Template):
    id = "cities-near-landmark"
    tool_types = ("place-lookup", "spatial-analysis")
    wording = (
        "How many cities of at least {people} inhabitants (GeoNames figures) lie within {radius} km of {landmark}, and which of them is "
        "the most populous?"
    )
    blanks = (
        Blank(label="number of cities", type="number", tolerance="count"),
        Blank(label="most populous of them", type="entity"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        landmark = a_landmark(data, rng)
        return {"landmark_id": landmark["place_id"], "landmark": landmark["name"], "radius": rng.choice((50, 100, 150)),
                "people": rng.choice((50_000, 100_000, 200_000))}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        near = cities_near(
            data, *position(data, parameters["landmark_id"]), parameters["radius"], parameters["people"]
        )
        if not 3 <= len(near) <= 60:
            raise IllPosed(f"{len(near)} cities are near")
        return [len(near), best(near, "population")["name"]]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["landmark"], "landmark")
        zone = yield from circle(point(here), slots["radius"])
        reply = yield "search_places", {
            "region": zone, "types": ["city"], "min_population": slots["people"], "sort_by": "population", "limit": 100,
        }  # fmt: skip
        return [reply["content"]["total"], reply["content"]["places"][0]["name"]]


class AirportsOfState(Template):
    id = "airports-of-state"
    tool_types = ("place-lookup", "spatial-analysis")
    wording = (
        "Which county of {state} has the most airports and airfields (every entry of the airport list counts, whatever its size), and how "
        "many are there? How many are there in the whole state?"
    )
    blanks = (
        Blank(label="county with the most airports", type="entity"),
        Blank(label="airports in it", type="number", tolerance="count", depends_on=0),
        Blank(label="airports in the state", type="number", tolerance="count"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        state = a_state(data, rng)
        return {"state_id": state["region_id"], "state": state["name"]}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        counties, airports = (
            data.regions(parameters["state_id"], "county"),
            data.places("airport", country="USA"),
        )
        tree = shapely.STRtree(shapely.points(airports["lon"], airports["lat"]))
        county, airport = tree.query(counties.geometry.to_numpy(), predicate="intersects")
        counted = counties.assign(
            count=pd.Series(county).value_counts().reindex(range(len(counties)), fill_value=0).to_numpy()
        )
        listed = int((airports["admin1"] == data.states().loc[parameters["state_id"], "name"]).sum())
        if len(airport) != len(set(airport)) or len(airport) != listed:
            raise IllPosed("an airport lies on a border, or outside the outline of its state")
        winner = top(counted, "count", 1, margin=0).iloc[0]
        return [winner["name"], int(winner["count"]), len(airport)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        state = yield from state_id(slots["state"])
        counties = yield "list_subregions", {"parent_id": state, "level": "county"}
        reply = yield "count_places", {"regions": dataset(counties), "types": ["airport"]}
        first = reply["content"]["regions"][0]
        return [first["name"], first["count"], reply["content"]["total"]]


class NearestAirportCounty(Template):
    id = "nearest-airport-county"
    tool_types = ("place-lookup", "spatial-analysis", "reverse-geocoding")
    wording = "Which of the airports {codes} (IATA codes) is nearest to {landmark}, how far is it, and in which county of the United States does it lie?"
    blanks = (
        Blank(label="IATA code of the nearest airport", type="text"),
        Blank(label="distance", type="number", unit="km", tolerance="distance_km", depends_on=0),
        Blank(label="county of the airport", type="entity", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        landmark = a_landmark(data, rng, country="USA")
        codes = sorted(pick_many(rng, data.places("airport", country="USA").query("iata != ''"), 4)["iata"])
        return {"landmark_id": landmark["place_id"], "landmark": landmark["name"], "codes": codes}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        table = data.places("airport").loc[airport_ids(parameters["codes"])]
        distance = distances_km(*position(data, parameters["landmark_id"]), table["lon"], table["lat"])
        winner = best(table.assign(distance_km=distance), "distance_km", largest=False)
        return [
            winner["iata"],
            rounded(winner["distance_km"], 1),
            county_at(data, winner["lon"], winner["lat"])["name"],
        ]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["landmark"], "landmark")
        ids = airport_ids(slots["codes"])
        known = yield "get_place_details", {"place_ids": ids, "fields": ["iata", "lon", "lat"]}
        airports = {place["place_id"]: place for place in known["content"]["places"]}
        near = yield "compute_distances", {"a": [here], "b": ids, "k": 1}
        row = near["content"]["rows"][0]
        airport = airports[row["b_id"]]
        located = yield (
            "reverse_geocode",
            {"points": [[airport["lon"], airport["lat"]]], "levels": ["county"]},
        )
        county = located["content"]["points"][0]["regions"]["county"]["name"]
        return [airport["iata"], row["distance_km"], county]
