"""Regions and their shapes: area, neighbours, coordinates."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from gra_benchmark_geoktools.choices import PARTS, a_point_in_a_county, a_state, pick
from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.facts import county_at, neighbours
from gra_benchmark_geoktools.solving.geodesy import areas_km2
from gra_benchmark_geoktools.solving.ranking import best, rounded
from gra_benchmark_geoktools.steps import dataset, region_id, state_id, subregions
from gra_benchmark_geoktools.template import Parameters, Template
from gra_core import Blank, IllPosed
from gra_core.benchmark import ReferenceTrajectory

# As many rows as a reply of measure_features shows, largest first.
SHOWN = 25


class LargestPart(Template):
    id = "largest-part"
    split = "dev"
    tool_types = ("spatial-analysis",)
    wording = (
        "Work with the boundary polygons of every {part} of {parent}. Which {part} has the {extreme} area, and how "
        "large is it? Count everything inside the polygon, water too."
    )
    blanks = (
        Blank(label="{extreme} {part}", type="entity"),
        Blank(label="its area", type="number", unit="km²", tolerance="area_km2", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        extreme = rng.choice(("largest", "smallest"))
        if rng.random() < 0.3:
            parent = data.region(rng.choice(sorted(PARTS)))
            name, part, level = parent["name"], PARTS[parent["region_id"]], "state"
        else:
            parent = a_state(data, rng)
            name, part, level = f"{parent['name']}, United States", "county", "county"
        return {
            "parent_id": parent["region_id"],
            "level_id": level,
            "parent": name,
            "part": part,
            "extreme": extreme,
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        parts = data.regions(parameters["parent_id"], parameters["level_id"])
        if parameters["extreme"] == "smallest" and len(parts) > SHOWN:
            raise IllPosed("a reply would not show the smallest")
        table = parts.assign(area=areas_km2(parts))
        winner = best(table, "area", largest=parameters["extreme"] == "largest")
        return [winner["name"], rounded(winner["area"], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        parent = yield from region_id(
            slots["parent"], level="state" if slots["part"] == "county" else "country"
        )
        parts = yield from subregions(parent)
        reply = yield "measure_features", {"features": parts, "what": ["area"]}
        row = reply["content"]["rows"][0 if slots["extreme"] == "largest" else -1]
        return [row["name"], row["area_km2"]]


class BorderingCounties(Template):
    id = "bordering-counties"
    tool_types = ("spatial-analysis",)
    wording = (
        "How many other counties of {state} share a border with {county}, and which of these neighbours has the largest area? "
        "Leave counties of other states aside."
    )
    blanks = (
        Blank(label="number of neighbouring counties", type="number", tolerance="count"),
        Blank(label="largest neighbouring county", type="entity"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        state = a_state(data, rng)
        county = pick(rng, data.regions(state["region_id"], "county"))
        return {
            "state_id": state["region_id"],
            "state": state["name"],
            "county_id": county["region_id"],
            "county": county["name"],
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        around = neighbours(data.regions(parameters["state_id"], "county"), parameters["county_id"])
        return [len(around), best(around.assign(area=areas_km2(around)), "area")["name"]]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        state = yield from state_id(slots["state"])
        county = yield from region_id(slots["county"], level="county", parent=state)
        counties = yield from subregions(state, "county")
        around = yield "filter_regions", {"regions": counties, "mask": [county], "predicate": "touches"}
        reply = yield "measure_features", {"features": dataset(around), "what": ["area"]}
        return [around["content"]["kept"], reply["content"]["rows"][0]["name"]]


class CountiesOfCoordinates(Template):
    id = "counties-of-coordinates"
    tool_types = ("reverse-geocoding",)
    wording = (
        "Point A lies at longitude {lon_a}, latitude {lat_a}; point B at longitude {lon_b}, latitude {lat_b} (decimal degrees, "
        "WGS84). In which county and state of the United States does each of them lie?"
    )
    blanks = (
        Blank(label="county of A", type="entity"), Blank(label="state of A", type="entity"),
        Blank(label="county of B", type="entity"), Blank(label="state of B", type="entity"),
    )  # fmt: skip

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        (lon_a, lat_a), (lon_b, lat_b) = a_point_in_a_county(data, rng), a_point_in_a_county(data, rng)
        return {"lon_a": lon_a, "lat_a": lat_a, "lon_b": lon_b, "lat_b": lat_b}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        a = county_at(data, parameters["lon_a"], parameters["lat_a"])
        b = county_at(data, parameters["lon_b"], parameters["lat_b"])
        return [a["name"], a["parent_name"], b["name"], b["parent_name"]]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        points = [[slots["lon_a"], slots["lat_a"]], [slots["lon_b"], slots["lat_b"]]]
        reply = yield "reverse_geocode", {"points": points, "levels": ["county", "state"]}
        regions = [row["regions"] for row in reply["content"]["points"]]
        return [r[level]["name"] for r in regions for level in ("county", "state")]
