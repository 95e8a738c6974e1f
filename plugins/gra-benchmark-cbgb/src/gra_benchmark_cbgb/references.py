"""Reference trajectories of the sample: what the embedded atlas says to its four questions."""

from __future__ import annotations

from collections.abc import Callable

from gra_core.benchmark import ReferenceTrajectory


def nebraska_area() -> ReferenceTrajectory:
    found = yield "find_regions", {"name": "Nebraska", "level": "state", "country": "USA"}
    region = found["content"]["candidates"][0]["region_id"]
    reply = yield "measure_features", {"features": [region], "what": ["area"]}
    return [reply["content"]["rows"][0]["area_km2"]]


def honolulu_flight() -> ReferenceTrajectory:
    reply = yield "compute_distances", {"a": ["iata/LAX"], "b": ["iata/HNL"], "k": 1}
    return [reply["content"]["extreme"]["distance_km"]]


def swiss_height() -> ReferenceTrajectory:
    found = yield "find_regions", {"name": "Switzerland", "level": "country"}
    region = found["content"]["candidates"][0]["region_id"]
    reply = yield "compute_elevation_stats", {"regions": [region], "stats": ["mean"]}
    return [reply["content"]["rows"][0]["elevation_mean_m"]]


def detroit_people() -> ReferenceTrajectory:
    found = yield "find_regions", {"name": "Michigan", "level": "state", "country": "USA"}
    counties = yield (
        "list_subregions",
        {"parent_id": found["content"]["candidates"][0]["region_id"], "level": "county"},
    )
    reference = counties["datasets"][0]["ref"]
    near = yield (
        "compute_distances",
        {"a": ["iata/DTW"], "b": reference, "k": 0, "max_m": 120_000, "anchor": "centroid"},
    )
    places = [row["b_id"] for row in near["content"]["rows"]]
    people = yield (
        "get_stat_table",
        {"variables": ["Count_Person"], "places": places, "date": "1990", "facet": "us-census-1990"},
    )
    (variable,) = people["content"]["variables"]
    return [variable["total"]]


REFERENCES: dict[str, Callable[[], ReferenceTrajectory]] = {
    "sample-nebraska-area": nebraska_area,
    "sample-honolulu-flight": honolulu_flight,
    "sample-swiss-height": swiss_height,
    "sample-detroit-people": detroit_people,
}
SKILLS: dict[str, tuple[str, ...]] = {
    "sample-nebraska-area": ("admin-boundaries", "geometry"),
    "sample-honolulu-flight": ("places", "geometry"),
    "sample-swiss-height": ("admin-boundaries", "terrain-slope"),
    "sample-detroit-people": ("admin-boundaries", "places", "geometry", "data-commons"),
}
