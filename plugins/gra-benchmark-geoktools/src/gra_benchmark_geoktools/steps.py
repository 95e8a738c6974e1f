"""Steps that many reference trajectories share, each a generator to be used with ``yield from``."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from gra_benchmark_geoktools.indicators import Indicator
from gra_core.benchmark import Step

MANN_KENDALL = {"time_col": "date", "value_col": "value", "method": "mann-kendall"}
Steps = Generator[Step, dict[str, Any], Any]


def region_id(name: str, *, level: str = "", country: str = "", parent: str = "") -> Steps:
    """The id of a region by name."""
    reply = yield (
        "find_regions",
        {"name": name, "level": level, "country": country, "parent": parent, "limit": 5},
    )
    return reply["content"]["candidates"][0]["region_id"]


def state_id(name: str) -> Steps:
    """The id of a state of the United States."""
    return (yield from region_id(name, level="state", country="USA"))


def country_ids(names: list[str]) -> Steps:
    """The ids of countries, in the order of their names."""
    found = []
    for name in names:
        found.append((yield from region_id(name, level="country")))
    return found


def places_of_statistics(names: list[str], level: str = "country", within: str = "") -> Steps:
    """The ids of places by name, from the statistics alone, in the order of the names."""
    reply = yield "resolve_places", {"names": names, "place_type": level, "within": within}
    found = {place["name"]: place["region_id"] for place in reply["content"]["places"]}
    return [found[name] for name in names]


def state_of_statistics(name: str) -> Steps:
    """The id of a state of the United States, from the statistics alone."""
    return (yield from places_of_statistics([name], "state", "country/USA"))[0]


def center(name: str, kind: str, near: str = "") -> Steps:
    """Longitude and latitude of a named place of a type."""
    reply = yield "get_place_center", {"name": name, "types": [kind], "near": near}
    return reply["content"]["center"]


def points(names: list[str], kind: str) -> Steps:
    """GeoJSON points of named places of a type, with their names."""
    features = []
    for name in names:
        here = yield from center(name, kind)
        geometry = {"type": "Point", "coordinates": here}
        features.append({"type": "Feature", "properties": {"name": name}, "geometry": geometry})
    return {"type": "FeatureCollection", "features": features}


def circle(features: Any, radius_km: float) -> Steps:
    """A dataset of the circles around points."""
    reply = yield "buffer_features", {"features": features, "distance_m": radius_km * 1000}
    return dataset(reply)


def point(position: list[float]) -> dict[str, Any]:
    """A GeoJSON point."""
    return {"type": "Point", "coordinates": position}


def subregions(parent_id: str, level: str = "") -> Steps:
    """A dataset of the regions of a level inside a parent."""
    reply = yield "list_subregions", {"parent_id": parent_id, "level": level}
    return dataset(reply)


def dataset(reply: dict[str, Any]) -> str:
    """The reference of a reply's dataset."""
    return reply["datasets"][0]["ref"]


def series_of(indicator: Indicator, places: list[str], start: int, end: int) -> Step:
    """The call for an indicator's series of some places."""
    return "get_stat_series", {
        "variable": indicator.variable, "places": places, "start": str(start), "end": str(end), "facet": indicator.facet,
    }  # fmt: skip


def extreme_row(reply: dict[str, Any], extreme: str = "highest") -> dict[str, Any]:
    """The ``highest`` or ``lowest`` region of a table of statistics; equal values by name."""
    table = reply["content"]["variables"][0]
    sign = -1 if extreme == "highest" else 1
    rows = table["rows"] if "rows" in table else table["top" if sign < 0 else "bottom"]
    return min(rows, key=lambda row: (sign * row["value"], row["name"]))


def verdict(reply: dict[str, Any]) -> list[Any]:
    """Trend and slope a year of a trend test of one series."""
    result = reply["content"]["results"][0]
    return [result["trend"], result["slope_per_year"]]
