"""Elevation and slope: of regions, around places, along lines."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from typing import Any

import geopandas as gpd
import pandas as pd
import shapely

from gra_benchmark_geoktools.choices import (
    a_landmark_and_its_state,
    a_state,
    clear_name,
    pick_many,
    some_countries,
)
from gra_benchmark_geoktools.data import WORLD, Data
from gra_benchmark_geoktools.facts import neighbours, position, with_rates, world_values
from gra_benchmark_geoktools.indicators import FERTILITY, LIFE_EXPECTANCY, UNEMPLOYMENT
from gra_benchmark_geoktools.solving import geodesy
from gra_benchmark_geoktools.solving.ranking import best, clear_of, rounded, significant
from gra_benchmark_geoktools.solving.terrain import mean_elevation, mean_slope, profile
from gra_benchmark_geoktools.solving.trend import direction, sens_slope
from gra_benchmark_geoktools.steps import (
    MANN_KENDALL,
    center,
    circle,
    country_ids,
    dataset,
    extreme_row,
    points,
    region_id,
    series_of,
    state_id,
    subregions,
    verdict,
)
from gra_benchmark_geoktools.template import Parameters, Template
from gra_core import Blank, IllPosed
from gra_core.benchmark import ReferenceTrajectory

# Rankings of terrain must not hang on how cells at a border are weighted.
MARGIN = 0.03
# Boxes with elevation of about 30 arc-seconds: west, south, east, north.
FINE = {"Alps": (5.6, 45.1, 17.4, 48.9), "Nepal": (80.1, 26.1, 88.4, 30.4)}
SPACING_M = 1000
# Countries of this area (km²) have enough cells, and not too many.
MEDIUM = (2e4, 1e6)


def with_elevation(data: Data, regions: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Regions with their mean elevation, all on the finest model that covers them."""
    path = data.elevation_model(regions.geometry)
    if "region_id" not in regions:  # circles: one centre may have several radii
        return regions.assign(elevation=[mean_elevation(path, shape) for shape in regions.geometry])
    shapes = zip(regions["region_id"], regions.geometry, strict=True)
    return regions.assign(
        elevation=[
            data.once(("mean", path, key), partial(mean_elevation, path, shape)) for key, shape in shapes
        ]
    )


def cities_of(
    data: Data, box: tuple[float, float, float, float], people: int, margin_deg: float = 0.0
) -> pd.DataFrame:
    """Cities well inside a box."""
    cities = data.places("city", min_population=people)
    west, south, east, north = box
    inside = cities["lon"].between(west + margin_deg, east - margin_deg) & cities["lat"].between(
        south + margin_deg, north - margin_deg
    )
    return cities[inside]


def around(data: Data, ids: list[str], kind: str, radius_km: float) -> gpd.GeoDataFrame:
    """Circles around places."""
    places = data.places(kind).loc[ids]
    circles = [
        geodesy.circle(lon, lat, radius_km) for lon, lat in zip(places["lon"], places["lat"], strict=True)
    ]
    return gpd.GeoDataFrame(places[["place_id", "name"]], geometry=circles, crs="EPSG:4326")


class HighestRegion(Template):
    id = "highest-region"
    split = "dev"
    tool_types = ("spatial-analysis", "elevation")
    wording = "Which of {countries} has the {extreme} mean elevation of its land, averaged over area, and what is it?"
    blanks = (
        Blank(label="country", type="entity"),
        Blank(label="mean elevation", type="number", unit="m", tolerance="elevation_m", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        countries = some_countries(data, rng, 4, area_km2=MEDIUM)
        return {
            "countries_id": list(countries.index),
            "countries": list(countries["name"]),
            "extreme": rng.choice(("highest", "lowest")),
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        countries = with_elevation(data, data.countries().loc[parameters["countries_id"]])
        winner = best(countries, "elevation", largest=parameters["extreme"] == "highest", margin=MARGIN)
        return [winner["name"], rounded(winner["elevation"], 0)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        ids = yield from country_ids(slots["countries"])
        reply = yield "compute_elevation_stats", {"regions": ids, "stats": ["mean"]}
        row = reply["content"]["rows"][0 if slots["extreme"] == "highest" else -1]
        return [row["name"], row["elevation_mean_m"]]


class HighestCounty(Template):
    id = "highest-county"
    tool_types = ("spatial-analysis", "elevation")
    wording = "Average the elevation over the land of each county of {state}. Which county comes out highest, and at how many metres?"
    blanks = (
        Blank(label="highest county", type="entity"),
        Blank(label="its mean elevation", type="number", unit="m", tolerance="elevation_m", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        state = a_state(data, rng)
        return {"state_id": state["region_id"], "state": state["name"]}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        winner = best(
            with_elevation(data, data.regions(parameters["state_id"], "county")), "elevation", margin=MARGIN
        )
        return [winner["name"], rounded(winner["elevation"], 0)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        counties = yield from subregions((yield from state_id(slots["state"])), "county")
        reply = yield "compute_elevation_stats", {"regions": counties, "stats": ["mean"]}
        row = reply["content"]["rows"][0]
        return [row["name"], row["elevation_mean_m"]]


class HighestOnTheWay(Template):
    id = "highest-on-the-way"
    tool_types = ("place-lookup", "elevation-profile")
    wording = (
        "Fly in a straight line (geodesic) from the centre of {start} to the centre of {end}. How high is the ground at the highest point under "
        "the line, and how far from {start} is it? Sample the elevation model every {spacing} m, bilinearly."
    )
    blanks = (
        Blank(label="highest elevation", type="number", unit="m", tolerance="elevation_m"),
        Blank(label="distance from {start}", type="number", unit="km", tolerance="distance_km"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        cities = cities_of(data, FINE[rng.choice(sorted(FINE))], 60_000)
        start, end = pick_many(rng, cities, 2).to_dict("records")
        return {"start_id": start["place_id"], "start": clear_name(data, start), "end_id": end["place_id"], "end": clear_name(data, end),
                "spacing": SPACING_M}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        table = data.places("city").loc[[parameters["start_id"], parameters["end_id"]]]
        start, end = zip(table["lon"], table["lat"], strict=True)
        table = profile(
            data.elevation_model([shapely.LineString([start, end])]), start, end, parameters["spacing"]
        )
        peak = table.loc[table["elevation_m"].idxmax()]
        rivals = table[(table["distance_km"] - peak["distance_km"]).abs() > 2.5]
        if (
            len(table) < 40
            or rivals["elevation_m"].max() > (1 - MARGIN) * peak["elevation_m"]
            or not peak["distance_km"] > 10
        ):
            raise IllPosed("two summits are nearly as high, or the highest point is the start")
        return [rounded(peak["elevation_m"], 0), rounded(peak["distance_km"], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        line = [(yield from center(slots["start"], "city")), (yield from center(slots["end"], "city"))]
        reply = yield "sample_elevation_profile", {"line": line, "spacing_m": slots["spacing"]}
        return [reply["content"]["max_m"], reply["content"]["max_at_m"] / 1000]


class HighestSurroundings(Template):
    id = "highest-surroundings"
    tool_types = ("place-lookup", "spatial-analysis", "elevation")
    wording = "Compare the land within {radius} km of each of {landmarks}. Around which of them is the mean elevation {extreme}, and what is it?"
    blanks = (
        Blank(label="landmark", type="entity"),
        Blank(
            label="mean elevation around it", type="number", unit="m", tolerance="elevation_m", depends_on=0
        ),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        table = data.places("landmark")
        chosen = pick_many(rng, table[table["lat"].abs() < 60], 3).sort_values("name")
        return {"landmarks_id": list(chosen.index), "landmarks": list(chosen["name"]), "radius": rng.choice((50, 75, 100)),
                "extreme": rng.choice(("highest", "lowest"))}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        regions = with_elevation(
            data, around(data, parameters["landmarks_id"], "landmark", parameters["radius"])
        )
        winner = best(regions, "elevation", largest=parameters["extreme"] == "highest", margin=MARGIN)
        return [winner["name"], rounded(winner["elevation"], 0)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        zones = yield from circle((yield from points(slots["landmarks"], "landmark")), slots["radius"])
        reply = yield "compute_elevation_stats", {"regions": zones, "stats": ["mean"]}
        row = reply["content"]["rows"][0 if slots["extreme"] == "highest" else -1]
        return [row["name"], row["elevation_mean_m"]]


def some_cities(data: Data, rng: random.Random, count: int) -> dict[str, Any]:
    """Cities of one of the finely mapped regions, and a radius that stays inside it."""
    cities = cities_of(data, FINE[rng.choice(sorted(FINE))], 30_000, margin_deg=0.4)
    chosen = pick_many(rng, cities, count).sort_values("name")
    names = [clear_name(data, city, qualified=False) for city in chosen.to_dict("records")]
    return {"cities_id": list(chosen.index), "cities": names, "radius": rng.choice((10, 15, 20, 25))}


class SteepestSurroundings(Template):
    id = "steepest-surroundings"
    tool_types = ("place-lookup", "spatial-analysis", "slope")
    wording = (
        "Take the ground within {radius} km of the centre of each of the cities {cities}. Around which city is the mean slope {extreme}, and how "
        "many degrees is it? Use Horn's method on the finest elevation model that covers all of them (about 30 arc-seconds)."
    )
    blanks = (
        Blank(label="city", type="entity"),
        Blank(
            label="mean slope around it", type="number", unit="degrees", tolerance="slope_deg", depends_on=0
        ),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        return some_cities(data, rng, 3) | {"extreme": rng.choice(("largest", "smallest"))}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        zones = around(data, parameters["cities_id"], "city", parameters["radius"])
        path = data.elevation_model(zones.geometry)
        table = zones.assign(slope=[mean_slope(path, shape) for shape in zones.geometry])
        winner = best(table, "slope", largest=parameters["extreme"] == "largest", margin=0.05)
        return [winner["name"], rounded(winner["slope"], 2)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        zones = yield from circle((yield from points(slots["cities"], "city")), slots["radius"])
        reply = yield "compute_slope_stats", {"regions": zones, "units": "degrees", "stats": ["mean"]}
        row = reply["content"]["rows"][0 if slots["extreme"] == "largest" else -1]
        return [row["name"], row["slope_mean_degrees"]]


class SurroundingsTerrain(Template):
    id = "surroundings-terrain"
    tool_types = ("place-lookup", "spatial-analysis", "elevation", "slope")
    wording = (
        "Among the cities {cities}, find the one with the highest mean elevation within {radius} km of its centre. What is that mean elevation, "
        "and what is the mean slope in degrees of the same ground (Horn's method; for both, the finest elevation model that covers all circles, "
        "about 30 arc-seconds)?"
    )
    blanks = (
        Blank(label="city with the highest surroundings", type="entity"),
        Blank(label="mean elevation", type="number", unit="m", tolerance="elevation_m", depends_on=0),
        Blank(label="mean slope", type="number", unit="degrees", tolerance="slope_deg", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        return some_cities(data, rng, 3)

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        zones = with_elevation(data, around(data, parameters["cities_id"], "city", parameters["radius"]))
        winner = best(zones, "elevation", margin=MARGIN)
        slope = mean_slope(data.elevation_model(zones.geometry), winner["geometry"])
        return [winner["name"], rounded(winner["elevation"], 0), rounded(slope, 2)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        zones = yield from circle((yield from points(slots["cities"], "city")), slots["radius"])
        heights = yield "compute_elevation_stats", {"regions": zones, "stats": ["mean"]}
        highest = heights["content"]["rows"][0]
        slopes = yield "compute_slope_stats", {"regions": zones, "units": "degrees", "stats": ["mean"]}
        slope = next(row for row in slopes["content"]["rows"] if row["name"] == highest["name"])
        return [highest["name"], highest["elevation_mean_m"], slope["slope_mean_degrees"]]


class HighestCountryStatistic(Template):
    id = "highest-country-statistic"
    split = "dev"
    tool_types = ("spatial-analysis", "elevation", "public-statistics")
    wording = (
        "Which of {countries} has the highest mean elevation of its land (averaged over area), and what was the life expectancy at birth there in "
        "{year} (Gapminder annual series)?"
    )
    blanks = (
        Blank(label="highest country", type="entity"),
        Blank(label="life expectancy", type="number", unit="years", tolerance="age_years", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        year = rng.choice(LIFE_EXPECTANCY.years)
        countries = some_countries(
            data, rng, 4, values=world_values(data, LIFE_EXPECTANCY, year), area_km2=MEDIUM
        )
        return {"countries_id": list(countries.index), "countries": list(countries["name"]), "year": year}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        winner = best(
            with_elevation(data, data.countries().loc[parameters["countries_id"]]), "elevation", margin=MARGIN
        )
        value = world_values(data, LIFE_EXPECTANCY, parameters["year"]).get(winner["region_id"], float("nan"))
        return [winner["name"], rounded(value, 2)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        ids = yield from country_ids(slots["countries"])
        reply = yield "compute_elevation_stats", {"regions": ids, "stats": ["mean"]}
        row, i = reply["content"]["rows"][0], LIFE_EXPECTANCY
        values = yield "get_stat_table", {
            "variables": [i.variable], "places": [row["feature_id"]], "date": str(slots["year"]), "facet": i.facet,
        }  # fmt: skip
        return [row["name"], extreme_row(values)["value"]]


class HighestNeighbourTrend(Template):
    id = "highest-neighbour-trend"
    tool_types = ("spatial-analysis", "elevation", "statistics-history", "trend-testing")
    wording = (
        "Of the countries that share a land border with {country}, take the one whose land lies highest on average. Did its fertility rate from "
        "{start} to {end} (Gapminder annual series) have a monotonic trend at the 5% level (Mann-Kendall test), and what is Sen's slope?"
    )
    blanks = (
        Blank(label="highest neighbouring country", type="entity"),
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
        country = some_countries(data, rng, 1).iloc[0]
        return {
            "country_id": country["region_id"],
            "country": country["name"],
            "start": start,
            "end": rng.randrange(start + 12, 2014),
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        countries = neighbours(data.countries(), parameters["country_id"])
        if not 2 <= len(countries) <= 8:
            raise IllPosed("too few or too many neighbours")
        if data.country_areas()[countries.index].max() > 5e6:
            raise IllPosed("a neighbour is huge")
        winner = best(with_elevation(data, countries), "elevation", margin=MARGIN)
        series = data.series(
            FERTILITY.variable, FERTILITY.facet, winner["region_id"], parameters["start"], parameters["end"]
        )
        return [winner["name"], direction(series), significant(sens_slope(series))]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        country = yield from region_id(slots["country"], level="country")
        world = yield from subregions(WORLD, "country")
        borders = yield "filter_regions", {"regions": world, "mask": [country], "predicate": "touches"}
        heights = yield "compute_elevation_stats", {"regions": dataset(borders), "stats": ["mean"]}
        highest = heights["content"]["rows"][0]
        series = yield series_of(FERTILITY, [highest["feature_id"]], slots["start"], slots["end"])
        test = yield "test_trend", MANN_KENDALL | {"table": dataset(series)}
        return [highest["name"], *verdict(test)]


class HighestCountyNearLandmark(Template):
    id = "highest-county-near-landmark"
    tool_types = ("place-lookup", "spatial-analysis", "elevation", "public-statistics")
    wording = (
        "Among the counties of {state} whose centre of area lies within {radius} km of {landmark}, which has the highest mean elevation (over its "
        "area), what is it, and what was this county's unemployment rate in 2009 (Bureau of Labor Statistics)?"
    )
    blanks = (
        Blank(label="highest county", type="entity"),
        Blank(label="its mean elevation", type="number", unit="m", tolerance="elevation_m", depends_on=0),
        Blank(label="its unemployment rate", type="number", unit="%", tolerance="percent", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        return a_landmark_and_its_state(data, rng, (75, 100, 150))

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        counties = geodesy.from_point(
            data.regions(parameters["state_id"], "county"), *position(data, parameters["landmark_id"])
        )
        clear_of(counties["distance_km"], parameters["radius"])
        near = counties[counties["distance_km"] < parameters["radius"]]
        if not 3 <= len(near) <= 20:
            raise IllPosed(f"{len(near)} counties are near")
        winner = best(
            with_rates(data, parameters["state_id"], with_elevation(data, near)), "elevation", margin=MARGIN
        )
        return [winner["name"], rounded(winner["elevation"], 0), rounded(winner["rate"], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        here = yield from center(slots["landmark"], "landmark")
        counties = yield from subregions((yield from state_id(slots["state"])), "county")
        near = yield (
            "compute_distances",
            {"a": [here], "b": counties, "k": 0, "max_m": slots["radius"] * 1000},
        )
        ids = [row["b_id"] for row in near["content"]["rows"]]
        heights = yield "compute_elevation_stats", {"regions": ids, "stats": ["mean"]}
        highest = heights["content"]["rows"][0]
        rates = yield (
            "get_stat_table",
            {"variables": [UNEMPLOYMENT.variable], "places": [highest["feature_id"]], "date": "2009"},
        )
        return [highest["name"], highest["elevation_mean_m"], extreme_row(rates)["value"]]
