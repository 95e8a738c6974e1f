"""Reference trajectories of the sample: what the embedded atlas says to its six questions."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from gra_core.benchmark import ReferenceTrajectory, Step

Steps = Generator[Step, dict[str, Any], Any]


def _verdict(holds: bool) -> list[str]:
    return ["Yes" if holds else "No"]


def _region(name: str) -> Steps:
    reply = yield "find_regions", {"name": name, "level": "country", "limit": 5}
    return reply["content"]["candidates"][0]["region_id"]


def urban_china() -> ReferenceTrajectory:
    china = yield from _region("China")
    shares = []
    for year in ("2000", "2017"):
        asked = {
            "variables": ["Count_Person_Urban", "Count_Person"],
            "places": [china],
            "date": year,
            "facet": "world-bank",
        }
        reply = yield "get_stat_table", asked
        urban, people = (variable["rows"][0]["value"] for variable in reply["content"]["variables"])
        shares.append(urban / people)
    return _verdict(shares[0] < 0.5 < shares[1])


def taiwan_typhoons() -> ReferenceTrajectory:
    taiwan = yield from _region("Taiwan")
    counts = []
    for years in ([1990, 1999], [2000, 2009]):
        asked = {"region": [taiwan], "years": years, "min_category": 1, "within_km": 100, "strength": "near"}
        reply = yield "find_historical_storms", asked
        counts.append(reply["content"]["count"])
    return _verdict(counts[1] > counts[0])


def bolivia_nepal() -> ReferenceTrajectory:
    regions = [(yield from _region("Bolivia")), (yield from _region("Nepal"))]
    reply = yield "compute_elevation_stats", {"regions": regions, "stats": ["mean"]}
    height = {row["feature_id"]: row["elevation_mean_m"] for row in reply["content"]["rows"]}
    return _verdict(height[regions[0]] > height[regions[1]])


def atlantic_2010() -> ReferenceTrajectory:
    reply = yield "list_active_cyclones", {"basin": "NA", "as_of": "2010-09-16"}
    return _verdict(reply["content"]["count"] > 3)


def austria_switzerland() -> ReferenceTrajectory:
    regions = [(yield from _region("Austria")), (yield from _region("Switzerland"))]
    reply = yield "measure_features", {"features": regions, "what": ["area"]}
    area = {row["feature_id"]: row["area_km2"] for row in reply["content"]["rows"]}
    return _verdict(area[regions[0]] > 2 * area[regions[1]])


def japan_life() -> ReferenceTrajectory:
    japan = yield from _region("Japan")
    asked = {
        "variable": "LifeExpectancy_Person",
        "places": [japan],
        "start": "2000",
        "end": "2012",
        "facet": "gapminder-annual",
    }
    reply = yield "get_stat_series", asked
    series = reply["content"]["series"][0]
    return _verdict(series["last"]["value"] < series["first"]["value"])


REFERENCES: dict[str, Callable[[], ReferenceTrajectory]] = {
    "sample-urban-china": urban_china,
    "sample-taiwan-typhoons": taiwan_typhoons,
    "sample-bolivia-nepal": bolivia_nepal,
    "sample-atlantic-2010": atlantic_2010,
    "sample-austria-switzerland": austria_switzerland,
    "sample-japan-life": japan_life,
}
SKILLS: dict[str, tuple[str, ...]] = {
    "sample-urban-china": ("admin-boundaries", "data-commons"),
    "sample-taiwan-typhoons": ("admin-boundaries", "tropical-cyclones"),
    "sample-bolivia-nepal": ("admin-boundaries", "terrain-slope"),
    "sample-atlantic-2010": ("tropical-cyclones",),
    "sample-austria-switzerland": ("admin-boundaries", "geometry"),
    "sample-japan-life": ("admin-boundaries", "data-commons"),
}
