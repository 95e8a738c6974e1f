"""Reference trajectories of the sample: what the embedded atlas says, and abstaining where there is nothing to say."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from gra_core.benchmark import ReferenceTrajectory, Step

Steps = Generator[Step, dict[str, Any], Any]


def _counties(state: str) -> Steps:
    found = yield "find_regions", {"name": state, "level": "state", "country": "USA"}
    reply = yield (
        "list_subregions",
        {"parent_id": found["content"]["candidates"][0]["region_id"], "level": "county"},
    )
    return reply["datasets"][0]["ref"]


def farthest_from_carhenge() -> ReferenceTrajectory:
    counties = yield from _counties("Nebraska")
    asked = {"a": ["Carhenge"], "b": counties, "k": 1, "order": "farthest", "anchor": "centroid"}
    reply = yield "compute_distances", asked
    pair = reply["content"]["extreme"]
    return f"{pair['b_name']} is the farthest: its centroid lies {pair['distance_km']:.1f} km from Carhenge."


def urban_share() -> ReferenceTrajectory:
    names = ["Brazil", "Nigeria", "Vietnam"]
    resolved = yield "resolve_places", {"names": names, "place_type": "country"}
    places = [row["region_id"] for row in resolved["content"]["places"]]
    asked = {
        "variables": ["Count_Person_Urban", "Count_Person"],
        "places": places,
        "date": "2017",
        "facet": "world-bank",
    }
    reply = yield "get_stat_table", asked
    urban, people = (
        {row["region_id"]: row["value"] for row in v["rows"]} for v in reply["content"]["variables"]
    )
    shares = ", ".join(f"{n} {100 * urban[p] / people[p]:.1f} %" for n, p in zip(names, places, strict=True))
    return f"Urban share of the population in 2017 (World Bank): {shares}."


def airports_by_county() -> ReferenceTrajectory:
    counties = yield from _counties("Nevada")
    reply = yield "count_places", {"regions": counties, "types": ["airport"]}
    counts = ", ".join(f"{row['name']} {row['count']}" for row in reply["content"]["regions"])
    return f"Airports by county of Nevada ({reply['content']['total']} in all), the variable of a choropleth map: {counts}."


def neighbourhood_storms() -> ReferenceTrajectory:
    here = yield "get_place_center", {"name": "Miami, Florida", "types": ["city"]}
    asked = {"region": here["content"]["center"], "years": [2000, 2024], "min_category": 1, "within_km": 100}
    reply = yield "find_historical_storms", asked
    return f"{reply['content']['count']} hurricanes passed within 100 km of Miami from 2000 to 2024; their tracks are the map."


def atlantis_coast() -> ReferenceTrajectory:
    yield (
        "abstain",
        {"reason": "Atlantis is a place of legend: it has neither a coast nor inhabitants on record."},
    )
    return ""


def queue_times() -> ReferenceTrajectory:
    yield (
        "abstain",
        {"reason": "Waiting times at post offices are not published by county; no source here has them."},
    )
    return ""


def what_is_a_projection() -> ReferenceTrajectory:
    yield from ()
    return "A map projection turns positions on the curved Earth into positions on a plane, which always distorts something."


REFERENCES: dict[str, Callable[[], ReferenceTrajectory]] = {
    "sample-farthest-from-carhenge": farthest_from_carhenge,
    "sample-urban-share": urban_share,
    "sample-airports-by-county": airports_by_county,
    "sample-neighbourhood-storms": neighbourhood_storms,
    "sample-atlantis-coast": atlantis_coast,
    "sample-queue-times": queue_times,
    "sample-what-is-a-projection": what_is_a_projection,
}
SKILLS: dict[str, tuple[str, ...]] = {
    "sample-farthest-from-carhenge": ("admin-boundaries", "places", "geometry"),
    "sample-urban-share": ("data-commons",),
    "sample-airports-by-county": ("admin-boundaries", "places"),
    "sample-neighbourhood-storms": ("places", "tropical-cyclones"),
}
