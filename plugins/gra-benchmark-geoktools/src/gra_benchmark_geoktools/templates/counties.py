"""County and state statistics, alone and with the shapes of the regions."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from gra_benchmark_geoktools.choices import a_point_in_a_county, a_state, pick
from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.facts import county_at, neighbours, unemployment, with_rates
from gra_benchmark_geoktools.indicators import (
    COLLEGE,
    COUNTY_INDICATORS,
    COUNTY_POVERTY,
    LABOR_FORCE,
    MIDWEST,
    STATE_INDICATORS,
    UNEMPLOYED,
    UNEMPLOYMENT,
)  # fmt: skip
from gra_benchmark_geoktools.solving.geodesy import areas_km2
from gra_benchmark_geoktools.solving.ranking import best, rounded
from gra_benchmark_geoktools.steps import (
    dataset,
    extreme_row,
    region_id,
    state_id,
    state_of_statistics,
    subregions,
)
from gra_benchmark_geoktools.template import Parameters, Template
from gra_core import Blank, IllPosed
from gra_core.benchmark import ReferenceTrajectory


class StateExtreme(Template):
    id = "state-extreme"
    tool_types = ("public-statistics",)
    wording = (
        "According to the {provider}, which state of the United States had the {extreme} {title} in {year}, and what was it? Count the "
        "District of Columbia as a state."
    )
    blanks = (
        Blank(label="state", type="entity"),
        Blank(label="{title}", type="number", unit="{unit}", tolerance="{domain}", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        i = rng.choice(list(STATE_INDICATORS.values()))
        return {"title": i.title, "provider": i.provider, "year": i.years[0], "unit": i.unit, "domain": i.tolerance,
                "extreme": rng.choice(("highest", "lowest"))}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        i = STATE_INDICATORS[parameters["title"]]
        states = data.regions("country/USA", "state")
        values = data.values(
            i.variable, i.facet, str(parameters["year"]), parent_id="country/USA", level="state"
        )
        winner = best(
            states.loc[values.index].assign(value=values),
            "value",
            largest=parameters["extreme"] == "highest",
            margin=0,
        )
        return [winner["name"], rounded(winner["value"], i.decimals)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        i = STATE_INDICATORS[slots["title"]]
        reply = yield "get_stat_table", {
            "variables": [i.variable], "parent": "country/USA", "child_type": "state", "date": str(slots["year"]), "facet": i.facet,
        }  # fmt: skip
        row = extreme_row(reply, slots["extreme"])
        return [row["name"], row["value"]]


class CountyExtremes(Template):
    id = "county-extremes"
    tool_types = ("public-statistics",)
    wording = (
        "According to the 1990 census, which county of {state} had the highest and which the lowest {title}, and how many percentage "
        "points lie between the two?"
    )
    blanks = (
        Blank(label="county with the highest share", type="entity"), Blank(label="county with the lowest share", type="entity"),
        Blank(label="difference", type="number", unit="percentage points", tolerance="percent"),
    )  # fmt: skip

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        state, name = rng.choice(sorted(MIDWEST.items()))
        return {"state_id": state, "state": name, "title": rng.choice(list(COUNTY_INDICATORS))}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        i, counties = COUNTY_INDICATORS[parameters["title"]], data.regions(parameters["state_id"], "county")
        values = data.values(i.variable, i.facet, "1990", parent_id=parameters["state_id"], level="county")
        table = counties.loc[values.index].assign(value=values)
        high, low = best(table, "value", margin=0), best(table, "value", largest=False, margin=0)
        return [high["name"], low["name"], rounded(high["value"] - low["value"], 2)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        i = COUNTY_INDICATORS[slots["title"]]
        state = yield from state_of_statistics(slots["state"])
        reply = yield "get_stat_table", {
            "variables": [i.variable], "parent": state, "child_type": "county", "date": "1990", "facet": i.facet,
        }  # fmt: skip
        high, low = extreme_row(reply, "highest"), extreme_row(reply, "lowest")
        return [high["name"], low["name"], high["value"] - low["value"]]


class LargestCountyStatistic(Template):
    id = "largest-county-statistic"
    tool_types = ("spatial-analysis", "public-statistics")
    wording = (
        "Which county of {state} has the largest area inside its boundary polygon, and what was its unemployment rate in 2009 "
        "(Bureau of Labor Statistics)?"
    )
    blanks = (
        Blank(label="largest county", type="entity"),
        Blank(label="unemployment rate", type="number", unit="%", tolerance="percent", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        state = a_state(data, rng)
        return {"state_id": state["region_id"], "state": state["name"]}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        counties = data.regions(parameters["state_id"], "county")
        winner = best(
            with_rates(data, parameters["state_id"], counties.assign(area=areas_km2(counties))), "area"
        )
        return [winner["name"], rounded(winner["rate"], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        counties = yield from subregions((yield from state_id(slots["state"])), "county")
        sizes = yield "measure_features", {"features": counties, "what": ["area"]}
        row = sizes["content"]["rows"][0]
        rates = yield (
            "get_stat_table",
            {"variables": [UNEMPLOYMENT.variable], "places": [row["feature_id"]], "date": "2009"},
        )
        return [row["name"], extreme_row(rates)["value"]]


class NeighboursStatistic(Template):
    id = "neighbours-statistic"
    split = "dev"
    tool_types = ("spatial-analysis", "public-statistics")
    wording = (
        "Among the counties of {state} that border on {county}, which had the {extreme} unemployment rate in 2009 (Bureau of Labor "
        "Statistics), and what was it?"
    )
    blanks = (
        Blank(label="neighbouring county", type="entity"),
        Blank(label="its unemployment rate", type="number", unit="%", tolerance="percent", depends_on=0),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        state = a_state(data, rng)
        county = pick(rng, data.regions(state["region_id"], "county"))
        return {"state_id": state["region_id"], "state": state["name"], "county_id": county["region_id"], "county": county["name"],
                "extreme": rng.choice(("highest", "lowest"))}  # fmt: skip

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        around = neighbours(data.regions(parameters["state_id"], "county"), parameters["county_id"])
        if len(around) < 2:
            raise IllPosed("too few neighbours")
        table = with_rates(data, parameters["state_id"], around)
        winner = best(table, "rate", largest=parameters["extreme"] == "highest", margin=0)
        return [winner["name"], rounded(winner["rate"], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        state = yield from state_id(slots["state"])
        county = yield from region_id(slots["county"], level="county", parent=state)
        counties = yield from subregions(state, "county")
        around = yield "filter_regions", {"regions": counties, "mask": [county], "predicate": "touches"}
        rates = yield (
            "get_stat_table",
            {"variables": [UNEMPLOYMENT.variable], "places": dataset(around), "date": "2009", "limit": 50},
        )
        row = extreme_row(rates, slots["extreme"])
        return [row["name"], row["value"]]


class CoordinatesStatistic(Template):
    id = "coordinates-statistic"
    tool_types = ("reverse-geocoding", "public-statistics")
    wording = (
        "Three points are given by longitude and latitude (WGS84): ({lon_a}, {lat_a}), ({lon_b}, {lat_b}) and ({lon_c}, {lat_c}). Which "
        "of the three counties around them had the highest unemployment rate in 2009 (Bureau of Labor Statistics), and what was it?"
    )
    blanks = (
        Blank(label="county with the highest rate", type="entity"), Blank(label="its state", type="entity", depends_on=0),
        Blank(label="its unemployment rate", type="number", unit="%", tolerance="percent", depends_on=0),
    )  # fmt: skip

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        points = {letter: a_point_in_a_county(data, rng) for letter in "abc"}
        return {
            f"{axis}_{letter}": points[letter][n] for letter in "abc" for n, axis in enumerate(("lon", "lat"))
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        counties = [county_at(data, parameters[f"lon_{p}"], parameters[f"lat_{p}"]) for p in "abc"]
        if len({county["region_id"] for county in counties}) < 3:
            raise IllPosed("two points lie in one county")
        table = data.regions("country/USA", "county").loc[[county["region_id"] for county in counties]]
        rates = [unemployment(data, county["parent_id"])[county["region_id"]] for county in counties]
        winner = best(table.assign(rate=rates), "rate", margin=0)
        return [winner["name"], winner["parent_name"], rounded(winner["rate"], 1)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        points = [[slots[f"lon_{p}"], slots[f"lat_{p}"]] for p in "abc"]
        located = yield "reverse_geocode", {"points": points, "levels": ["county", "state"]}
        found = {
            row["regions"]["county"]["region_id"]: row["regions"] for row in located["content"]["points"]
        }
        rates = yield (
            "get_stat_table",
            {"variables": [UNEMPLOYMENT.variable], "places": list(found), "date": "2009"},
        )
        row = extreme_row(rates, "highest")
        return [row["name"], found[row["region_id"]]["state"]["name"], row["value"]]


class StateRate(Template):
    id = "state-rate-from-counties"
    tool_types = ("public-statistics", "table-analysis")
    wording = (
        "Add up the counties of {state}: what share of their labor force was unemployed in 2009 (Bureau of Labor Statistics, counts of "
        "people, not the mean of the counties' rates), and how many counties had a higher rate than this overall share?"
    )
    blanks = (
        Blank(label="overall unemployment rate", type="number", unit="%", tolerance="percent"),
        Blank(label="number of counties above it", type="number", tolerance="count"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        state = a_state(data, rng)
        return {"state_id": state["region_id"], "state": state["name"]}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        counties = len(data.regions(parameters["state_id"], "county"))
        out, force = (
            data.values(i.variable, i.facet, "2009", parent_id=parameters["state_id"], level="county")
            for i in (UNEMPLOYED, LABOR_FORCE)
        )
        if len(out) < counties or len(force) < counties:
            raise IllPosed("a county has no labor force")
        overall, own = 100 * out.sum() / force.sum(), 100 * out / force
        if ((own - overall).abs() < 0.02).any():
            raise IllPosed("a county's rate is nearly the overall rate")
        return [rounded(overall, 2), int((own > overall).sum())]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        out, force = UNEMPLOYED.variable, LABOR_FORCE.variable
        state = yield from state_of_statistics(slots["state"])
        reply = yield (
            "get_stat_table",
            {"variables": [out, force], "parent": state, "child_type": "county", "date": "2009"},
        )
        table = dataset(reply)
        total = yield (
            "query_table",
            {"refs": {"t": table}, "sql": f'SELECT 100.0 * sum("{out}") / sum("{force}") AS rate FROM t'},
        )
        rate = total["content"]["result"][0]["rate"]
        above = yield "query_table", {
            "refs": {"t": table}, "sql": f'SELECT count(*) AS n FROM t WHERE 100.0 * "{out}" / "{force}" > {rate!r}',
        }  # fmt: skip
        return [rate, above["content"]["result"][0]["n"]]


class CountyCorrelation(Template):
    id = "county-correlation"
    tool_types = ("public-statistics", "table-analysis")
    wording = (
        "Over the counties of {state} in the 1990 census: what is Pearson's correlation between the {first} and the {second}, and how many "
        "counties does it rest on?"
    )
    blanks = (
        Blank(label="correlation coefficient", type="number", tolerance="correlation"),
        Blank(label="number of counties", type="number", tolerance="count"),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        state, name = rng.choice(sorted(MIDWEST.items()))
        return {"state_id": state, "state": name, "first": COLLEGE.title, "second": COUNTY_POVERTY.title}

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        a, b = (
            data.values(i.variable, i.facet, "1990", parent_id=parameters["state_id"], level="county")
            for i in (COLLEGE, COUNTY_POVERTY)
        )
        both = a.index.intersection(b.index)
        return [rounded(float(np.corrcoef(a[both], b[both])[0, 1]), 3), len(both)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        a, b = COLLEGE.variable, COUNTY_POVERTY.variable
        state = yield from state_of_statistics(slots["state"])
        reply = yield "get_stat_table", {
            "variables": [a, b], "parent": state, "child_type": "county", "date": "1990", "facet": COLLEGE.facet,
        }  # fmt: skip
        sql = f'SELECT corr("{a}", "{b}") AS r, count(*) AS n FROM t WHERE "{a}" IS NOT NULL AND "{b}" IS NOT NULL'
        found = yield "query_table", {"refs": {"t": dataset(reply)}, "sql": sql}
        row = found["content"]["result"][0]
        return [row["r"], row["n"]]


class LaborForceDensity(Template):
    id = "labor-force-density"
    tool_types = ("spatial-analysis", "public-statistics", "table-analysis")
    wording = (
        "Divide the labor force of each county of {state} in 2009 (Bureau of Labor Statistics) by the area inside its boundary polygon. "
        "Which county comes out {extreme}, and at how many people per square kilometre?"
    )
    blanks = (
        Blank(label="county with the {extreme} density", type="entity"),
        Blank(
            label="labor force per square kilometre",
            type="number",
            unit="people per km²",
            tolerance="density_per_km2",
            depends_on=0,
        ),
    )

    def sample(self, data: Data, rng: random.Random) -> Parameters:
        state = a_state(data, rng)
        return {
            "state_id": state["region_id"],
            "state": state["name"],
            "extreme": rng.choice(("highest", "lowest")),
        }

    def solve(self, data: Data, parameters: Parameters) -> list[Any]:
        i, counties = LABOR_FORCE, data.regions(parameters["state_id"], "county")
        force = data.values(
            i.variable, i.facet, "2009", parent_id=parameters["state_id"], level="county"
        ).reindex(counties.index)
        table = counties.assign(density=force / areas_km2(counties))
        winner = best(table, "density", largest=parameters["extreme"] == "highest", margin=0.02)
        return [winner["name"], rounded(winner["density"], 2)]

    def trace(self, slots: Mapping[str, Any]) -> ReferenceTrajectory:
        state = yield from state_id(slots["state"])
        counties = yield from subregions(state, "county")
        sizes = yield "measure_features", {"features": counties, "what": ["area"]}
        force = LABOR_FORCE.variable
        stats = yield (
            "get_stat_table",
            {"variables": [force], "parent": state, "child_type": "county", "date": "2009"},
        )
        order = "DESC" if slots["extreme"] == "highest" else "ASC"
        sql = (
            f'SELECT s.region_name AS name, s."{force}" / a.area_km2 AS density FROM s JOIN a USING (region_id) '
            f'WHERE s."{force}" IS NOT NULL ORDER BY density {order}, name LIMIT 1'
        )
        found = yield "query_table", {"refs": {"s": dataset(stats), "a": dataset(sizes)}, "sql": sql}
        row = found["content"]["result"][0]
        return [row["name"], row["density"]]
