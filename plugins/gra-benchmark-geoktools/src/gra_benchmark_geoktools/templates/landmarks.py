"""Landmarks: where they stand, and what lies far from or near to them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from gra_benchmark_geoktools.choices import (
    a_landmark,
    a_landmark_and_its_state,
    a_state_and_a_landmark,
    pick_many,
    some_countries,
)
from gra_benchmark_geoktools.data import WORLD, Data
from gra_benchmark_geoktools.facts import county_at, neighbours, position, with_rates
from gra_benchmark_geoktools.indicators import LIFE_EXPECTANCY, UNEMPLOYMENT
from gra_benchmark_geoktools.solving.geodesy import areas_km2, distances_km, from_point, gap_km
from gra_benchmark_geoktools.solving.ranking import best, clear_of, rounded, significant
from gra_benchmark_geoktools.solving.trend import direction, sens_slope
from gra_benchmark_geoktools.steps import (
    MANN_KENDALL,
    center,
    circle,
    country_ids,
    dataset,
    extreme_row,
    point,
    points,
    state_id,
    subregions,
    verdict,
)  # fmt: skip
from gra_benchmark_geoktools.template import Parameters, Template
from gra_core import Blank, IllPosed
from gra_core.benchmark import ReferenceTrajectory

# As many rows as a reply of compute_distances shows.
SHOWN = 25


class FarthestCounty(Template):
    id = "farthest-county"
    tool_types = ("spatial-analysis", "place-lookup")
    wording = (
        "Which county of {state} lies {extreme} {landmark}, and how far away is it along the ground (geodesic on WGS84)? Let a "
        "county's centre of area stand for it."
    )
    blanks = (
        Blank(label="county {extreme} {landmark}", type="entity"),
        Blank(label="distance", type="number", unit="km", tolerance="distance_km", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        return a_state_and_a_landmark(data, rng) | {"extreme": rng.choice(("farthest from", "nearest to"))}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        counties = from_point(
            data.regions(parameters["state_id"], "county"), *position(data, parameters["landmark_id"])
        )
        winner = best(counties, "distance_km", largest=parameters["extreme"] == "farthest from")
        return [winner["name"], rounded(winner["distance_km"], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["landmark"], "landmark")
        counties = yield from subregions((yield from state_id(slots["state"])), "county")
        reply = yield (
            "compute_distances",
            {"a": [here], "b": counties, "k": 1, "order": slots["extreme"].split()[0]},
        )
        row = reply["content"]["rows"][0]
        return [row["b_name"], row["distance_km"]]


class FarthestCountyStatistic(Template):
    """The form of the example in figure 4 of the paper; its instance (Nebraska, Carhenge) is always the first."""

    id = "farthest-county-statistic"
    split = "dev"
    tool_types = ("spatial-analysis", "place-lookup", "public-statistics")
    wording = (
        "Find the county of {state} that lies farthest from {landmark} (take the centre of area of each county and the centre "
        "point of {landmark}), and its unemployment rate in 2009 (Bureau of Labor Statistics)."
    )
    blanks = (
        Blank(label="farthest county", type="entity"),
        Blank(label="unemployment rate", type="number", unit="%", tolerance="percent", depends_on=0),
    )
    pinned = (
        {
            "state_id": "geoId/31",
            "state": "Nebraska",
            "landmark_id": "landmark/carhenge",
            "landmark": "Carhenge",
        },
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        return a_state_and_a_landmark(data, rng)

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        counties = from_point(
            data.regions(parameters["state_id"], "county"), *position(data, parameters["landmark_id"])
        )
        winner = best(with_rates(data, parameters["state_id"], counties), "distance_km")
        return [winner["name"], rounded(winner["rate"], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["landmark"], "landmark")
        counties = yield from subregions((yield from state_id(slots["state"])), "county")
        reply = yield "compute_distances", {"a": [here], "b": counties, "k": 1, "order": "farthest"}
        row = reply["content"]["rows"][0]
        rates = yield (
            "get_stat_table",
            {"variables": [UNEMPLOYMENT.variable], "places": [row["b_id"]], "date": "2009"},
        )
        return [row["b_name"], extreme_row(rates)["value"]]


class NearestLandmark(Template):
    id = "nearest-landmark"
    tool_types = ("spatial-analysis", "place-lookup")
    wording = "Which of {others} stands nearest to {landmark}, as the crow flies, and how many kilometres are between the two?"
    blanks = (
        Blank(label="nearest", type="entity"),
        Blank(label="distance", type="number", unit="km", tolerance="distance_km", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        first, *others = pick_many(rng, data.places("landmark"), 5).to_dict("records")
        others = sorted(others, key=lambda place: place["name"])
        return {"landmark_id": first["place_id"], "landmark": first["name"],
                "others_id": [p["place_id"] for p in others], "others": [p["name"] for p in others]}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        table = data.places("landmark").loc[parameters["others_id"]]
        distance = distances_km(*position(data, parameters["landmark_id"]), table["lon"], table["lat"])
        winner = best(table.assign(distance_km=distance), "distance_km", largest=False)
        return [winner["name"], rounded(winner["distance_km"], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["landmark"], "landmark")
        others = yield from points(slots["others"], "landmark")
        reply = yield "compute_distances", {"a": [here], "b": others, "k": 1}
        row = reply["content"]["rows"][0]
        return [row["b_name"], row["distance_km"]]


class LandmarkCounty(Template):
    id = "landmark-county"
    tool_types = ("place-lookup", "reverse-geocoding")
    wording = "In which county and state of the United States does each of these two stand: A) {a}; B) {b}?"
    blanks = (
        Blank(label="county of A", type="entity"), Blank(label="state of A", type="entity"),
        Blank(label="county of B", type="entity"), Blank(label="state of B", type="entity"),
    )  # fmt: skip

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        a, b = pick_many(rng, data.places("landmark", country="USA"), 2).to_dict("records")
        return {"a_id": a["place_id"], "a": a["name"], "b_id": b["place_id"], "b": b["name"]}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        counties = [county_at(data, *position(data, parameters[key])) for key in ("a_id", "b_id")]
        return [county[column] for county in counties for column in ("name", "parent_name")]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        points = [(yield from center(slots["a"], "landmark")), (yield from center(slots["b"], "landmark"))]
        reply = yield "reverse_geocode", {"points": points, "levels": ["county", "state"]}
        regions = [row["regions"] for row in reply["content"]["points"]]
        return [r[level]["name"] for r in regions for level in ("county", "state")]


class LandmarkCountyStatistic(Template):
    id = "landmark-county-statistic"
    tool_types = ("place-lookup", "reverse-geocoding", "public-statistics")
    wording = (
        "Take the county in which {landmark} stands. What was its unemployment rate in 2009 (Bureau of Labor Statistics), and which "
        "county of the same state had the highest rate that year?"
    )
    blanks = (
        Blank(label="county of {landmark}", type="entity"),
        Blank(label="its unemployment rate", type="number", unit="%", tolerance="percent", depends_on=0),
        Blank(label="county with the highest rate in the state", type="entity"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        landmark = a_landmark(data, rng, country="USA")
        return {"landmark_id": landmark["place_id"], "landmark": landmark["name"]}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        county = county_at(data, *position(data, parameters["landmark_id"]))
        state = with_rates(data, county["parent_id"], data.regions(county["parent_id"], "county"))
        if len(state) < 3:
            raise IllPosed(f"{county['parent_name']} has too few counties")
        return [
            county["name"],
            rounded(state["rate"][county["region_id"]], 1),
            best(state, "rate", margin=0)["name"],
        ]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["landmark"], "landmark")
        located = yield "reverse_geocode", {"points": [here], "levels": ["county", "state"]}
        regions = located["content"]["points"][0]["regions"]
        asked = {"variables": [UNEMPLOYMENT.variable], "date": "2009"}
        own = yield "get_stat_table", asked | {"places": [regions["county"]["region_id"]]}
        whole = yield (
            "get_stat_table",
            asked | {"parent": regions["state"]["region_id"], "child_type": "county"},
        )
        highest = extreme_row(whole)
        return [regions["county"]["name"], extreme_row(own)["value"], highest["name"]]


class CountiesNearLandmark(Template):
    id = "counties-near-landmark"
    tool_types = ("spatial-analysis", "place-lookup")
    wording = (
        "Draw a circle of {radius} km around {landmark}. How many counties of {state} does it reach at least in part, and which of "
        "them has the largest area?"
    )
    blanks = (
        Blank(label="number of counties", type="number", tolerance="count"),
        Blank(label="largest of these counties", type="entity"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        return a_landmark_and_its_state(data, rng, (50, 75, 100, 150))

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        counties = data.regions(parameters["state_id"], "county")
        gaps = gap_km(counties, *position(data, parameters["landmark_id"]))
        clear_of(gaps, parameters["radius"])
        reached = counties[gaps < parameters["radius"]]
        if len(reached) < 3:
            raise IllPosed(f"only {len(reached)} counties are near")
        return [len(reached), best(reached.assign(area=areas_km2(reached)), "area")["name"]]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["landmark"], "landmark")
        counties = yield from subregions((yield from state_id(slots["state"])), "county")
        zone = yield from circle(point(here), slots["radius"])
        reached = yield "filter_regions", {"regions": counties, "mask": zone, "predicate": "intersects"}
        sizes = yield "measure_features", {"features": dataset(reached), "what": ["area"]}
        return [reached["content"]["kept"], sizes["content"]["rows"][0]["name"]]


class CountiesNearLandmarkStatistic(Template):
    id = "counties-near-landmark-statistic"
    tool_types = ("spatial-analysis", "place-lookup", "public-statistics")
    wording = (
        "Consider the counties of {state} whose centre of area lies within {radius} km of {landmark}. How many are there, and which "
        "of them had the highest unemployment rate in 2009 (Bureau of Labor Statistics), at what rate?"
    )
    blanks = (
        Blank(label="number of counties", type="number", tolerance="count"),
        Blank(label="county with the highest rate", type="entity"),
        Blank(label="its unemployment rate", type="number", unit="%", tolerance="percent", depends_on=1),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        return a_landmark_and_its_state(data, rng, (50, 75, 100, 150))

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        counties = from_point(
            data.regions(parameters["state_id"], "county"), *position(data, parameters["landmark_id"])
        )
        clear_of(counties["distance_km"], parameters["radius"])
        near = with_rates(
            data, parameters["state_id"], counties[counties["distance_km"] < parameters["radius"]]
        )
        if not 3 <= len(near) <= SHOWN:
            raise IllPosed(f"{len(near)} counties are near")
        winner = best(near, "rate", margin=0)
        return [len(near), winner["name"], rounded(winner["rate"], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["landmark"], "landmark")
        counties = yield from subregions((yield from state_id(slots["state"])), "county")
        reply = yield (
            "compute_distances",
            {"a": [here], "b": counties, "k": 0, "max_m": slots["radius"] * 1000},
        )
        ids = [row["b_id"] for row in reply["content"]["rows"]]
        rates = yield (
            "get_stat_table",
            {"variables": [UNEMPLOYMENT.variable], "places": ids, "date": "2009", "limit": 100},
        )
        highest = extreme_row(rates)
        return [len(ids), highest["name"], highest["value"]]


class LandmarkNeighboursStatistic(Template):
    id = "landmark-neighbours-statistic"
    split = "dev"
    tool_types = ("place-lookup", "reverse-geocoding", "spatial-analysis", "public-statistics")
    wording = (
        "{landmark} stands in a county of the United States. Among the counties of the same state that border on that county, which "
        "had the highest unemployment rate in 2009 (Bureau of Labor Statistics), and what was it?"
    )
    blanks = (
        Blank(label="county of {landmark}", type="entity"),
        Blank(label="neighbour with the highest rate", type="entity", depends_on=0),
        Blank(label="its unemployment rate", type="number", unit="%", tolerance="percent", depends_on=1),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        landmark = a_landmark(data, rng, country="USA")
        return {"landmark_id": landmark["place_id"], "landmark": landmark["name"]}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        county = county_at(data, *position(data, parameters["landmark_id"]))
        around = neighbours(data.regions(county["parent_id"], "county"), county["region_id"])
        if len(around) < 2:
            raise IllPosed(f"{county['name']} has too few neighbours")
        winner = best(with_rates(data, county["parent_id"], around), "rate", margin=0)
        return [county["name"], winner["name"], rounded(winner["rate"], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["landmark"], "landmark")
        located = yield "reverse_geocode", {"points": [here], "levels": ["county", "state"]}
        regions = located["content"]["points"][0]["regions"]
        counties = yield from subregions(regions["state"]["region_id"], "county")
        mask = [regions["county"]["region_id"]]
        around = yield "filter_regions", {"regions": counties, "mask": mask, "predicate": "touches"}
        rates = yield (
            "get_stat_table",
            {"variables": [UNEMPLOYMENT.variable], "places": dataset(around), "date": "2009", "limit": 50},
        )
        highest = extreme_row(rates)
        return [regions["county"]["name"], highest["name"], highest["value"]]


class FarthestCountryTrend(Template):
    id = "farthest-country-trend"
    tool_types = ("place-lookup", "spatial-analysis", "statistics-history", "trend-testing")
    wording = (
        "Of {countries}, which country's centre of area lies farthest from {landmark}? Take its life expectancy at birth from {start} "
        "to {end} (Gapminder annual series): is there a monotonic trend at the 5% level (Mann-Kendall), and what is Sen's slope?"
    )
    blanks = (
        Blank(label="farthest country", type="entity"),
        Blank(label="trend: increasing, decreasing or no trend", type="text", depends_on=0),
        Blank(label="Sen's slope", type="number", unit="years per year", tolerance="rate", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        i = LIFE_EXPECTANCY
        start = rng.randrange(1975, 1996)
        countries = some_countries(
            data, rng, 4, values=data.values(i.variable, i.facet, "2013", parent_id=WORLD, level="country")
        )
        landmark = a_landmark(data, rng)
        return {"countries_id": list(countries.index), "countries": list(countries["name"]), "start": start, "end": rng.randrange(start + 12, 2014),
                "landmark_id": landmark["place_id"], "landmark": landmark["name"]}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        countries = data.countries().loc[parameters["countries_id"]]
        winner = best(
            from_point(countries, *position(data, parameters["landmark_id"])), "distance_km", margin=0.03
        )
        i = LIFE_EXPECTANCY
        series = data.series(i.variable, i.facet, winner["region_id"], parameters["start"], parameters["end"])
        return [winner["name"], direction(series), significant(sens_slope(series))]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["landmark"], "landmark")
        ids = yield from country_ids(slots["countries"])
        shapes = yield "get_boundaries", {"region_ids": ids}
        far = yield "compute_distances", {"a": [here], "b": dataset(shapes), "k": 1, "order": "farthest"}
        row = far["content"]["rows"][0]
        i = LIFE_EXPECTANCY
        series = yield "get_stat_series", {
            "variable": i.variable, "places": [row["b_id"]], "start": str(slots["start"]), "end": str(slots["end"]), "facet": i.facet,
        }  # fmt: skip
        test = yield "test_trend", MANN_KENDALL | {"table": dataset(series)}
        return [row["b_name"], *verdict(test)]
