"""Reference trajectories of the queries on tropical cyclones."""

from __future__ import annotations

from typing import Any

from gra_benchmark_geoexpert.references.steps import (
    Reference,
    Steps,
    center,
    counties,
    dataset,
    ids,
    listed,
    region,
    report,
    sql,
)
from gra_core.benchmark import ReferenceTrajectory

FIRST, LAST = 2000, 2024
FORCE = "Count_Person_InLaborForce"
TRACKS = f"IBTrACS best tracks {FIRST} to {LAST}"
LABOUR = "labour force of 2009 (BLS)"


def hurricanes_by_county(state_id: str, shapes: str, km: int) -> Steps:
    """A dataset of counts: for each county, the hurricanes near the state whose track came within a distance of it."""
    rings = yield "buffer_features", {"features": shapes, "distance_m": km * 1000}
    asked = {
        "region": [state_id],
        "years": [FIRST, LAST],
        "min_category": 1,
        "within_km": km,
        "strength": "near",
    }
    storms = yield "find_historical_storms", asked
    joined = yield (
        "join_by_location",
        {"left": dataset(storms), "right": dataset(rings), "predicate": "intersects", "ties": "all"},
    )
    return dataset(joined, 1), storms["content"]["count"]


def labour_force(state_id: str) -> Steps:
    asked = {"variables": [FORCE], "parent": state_id, "child_type": "county", "date": "2009"}
    reply = yield "get_stat_table", asked
    return dataset(reply)


def florida_shelters() -> ReferenceTrajectory:
    state_id, shapes = yield from counties("Florida")
    counts, storms = yield from hurricanes_by_county(state_id, shapes, 50)
    people = yield from labour_force(state_id)
    rows = yield from sql(
        f'SELECT c.name, c.count AS storms, p."{FORCE}" AS people, c.count * p."{FORCE}" AS exposure '
        "FROM c JOIN p ON c.feature_id = p.region_id ORDER BY exposure DESC, c.name LIMIT 10",
        c=counts, p=people,
    )  # fmt: skip
    ten = listed(f"{r['name']} ({r['storms']} hurricanes, {r['people']:,.0f} people)" for r in rows)
    return report(
        f"Ten counties first, by hurricanes within 50 km times people: {ten}. {storms} hurricanes came within 50 km of Florida.",
        data=[TRACKS, "Census county boundaries", LABOUR],
        proxies=["the labour force stands in for the population that would need shelter"],
        limits=[
            "a track counts for a county whatever its strength was just there",
            "surge, shelters and vulnerability are not considered",
        ],
    )


def yucatan_trend() -> ReferenceTrajectory:
    here = yield from center("Cancún, Mexico")
    asked = {"region": here, "years": [1980, LAST], "min_category": 1, "within_km": 300, "strength": "near"}
    storms = yield "find_historical_storms", asked
    years = yield from sql(
        f"WITH y AS (SELECT unnest(range(1980, {LAST + 1})) AS year) SELECT y.year, count(t.storm_id) AS storms "
        "FROM y LEFT JOIN t ON year(t.time) = y.year GROUP BY y.year ORDER BY y.year",
        t=dataset(storms),
    )  # fmt: skip
    often = yield (
        "test_trend",
        {"table": years, "time_col": "year", "value_col": "storms", "method": "mann-kendall"},
    )
    winds = yield from sql(
        "SELECT year(time) AS year, max(wind_near_kt) AS wind FROM t GROUP BY 1 ORDER BY 1", t=dataset(storms)
    )
    strong = yield (
        "test_trend",
        {"table": winds, "time_col": "year", "value_col": "wind", "method": "mann-kendall"},
    )
    halves = [sum(r["storms"] for r in years if (r["year"] < 2002) == early) for early in (True, False)]
    return report(
        f"{storms['content']['count']} hurricanes came within 300 km of Cancún from 1980 to {LAST}: {halves[0]} before 2002, {halves[1]} "
        f"since. Number by year: {_trend(often)}. Strongest wind near the city, in years with a hurricane: {_trend(strong)}.",
        data=[f"IBTrACS best tracks 1980 to {LAST}"],
        limits=[
            "few events and many years without one",
            "multidecadal variability is not separated from a lasting trend",
        ],
    )


def _trend(reply: dict[str, Any]) -> str:
    result = reply["content"]["results"][0]
    low, high = result["slope_interval"]
    return f"{result['trend']} at the 5 % level (p = {result['p']:.3f}, {result['slope_per_year']:.2f} a year, 95 % interval {low:.2f} to {high:.2f})"


def tacloban_hubs() -> ReferenceTrajectory:
    here = yield from center("Tacloban, Philippines")
    country = yield from region("Philippines", "country")
    airports = yield "search_places", {"region": [country], "types": ["airport"], "limit": 1000}
    near = yield "compute_distances", {"a": [here], "b": dataset(airports), "k": 0, "max_m": 250_000}
    airfields = yield from ids("SELECT b_id AS id FROM d WHERE b_id LIKE 'iata/%'", d=dataset(near))
    rings = yield "buffer_features", {"features": airfields, "distance_m": 100_000}
    asked = {"region": here, "years": [FIRST, LAST], "min_category": 3, "within_km": 350, "strength": "near"}
    storms = yield "find_historical_storms", asked
    joined = yield (
        "join_by_location",
        {"left": dataset(storms), "right": dataset(rings), "predicate": "intersects", "ties": "all"},
    )
    ranked = yield from sql(
        "SELECT name, feature_id, count FROM c ORDER BY count, name LIMIT 5", c=dataset(joined, 1)
    )
    towns = yield (
        "search_places",
        {"region": [country], "types": ["city"], "min_population": 100_000, "limit": 1000},
    )
    around = yield "compute_distances", {"a": [here], "b": dataset(towns), "k": 0, "max_m": 250_000}
    wanted = yield from ids("SELECT b_id AS id FROM d", d=dataset(around))
    hubs = [r["feature_id"] for r in ranked]
    served = yield "compute_distances", {"a": wanted, "b": hubs, "k": 1}
    towns_of = yield from sql(
        "SELECT b_name, string_agg(a_name, ', ' ORDER BY distance_km) AS towns FROM d GROUP BY b_name ORDER BY b_name",
        d=dataset(served),
    )
    calm = listed(f"{r['name']} ({r['count']})" for r in ranked)
    closest = "; ".join(f"{r['b_name']}: {r['towns']}" for r in towns_of)
    return report(
        f"{len(airfields)} airports with an IATA code lie within 250 km of Tacloban. Least often within 100 km of an intense typhoon since "
        f"{FIRST}: {calm}. Towns of more than 100,000 people closest to each: {closest}.",
        data=["airportsdata", "GeoNames", TRACKS],
        proxies=[
            "an IATA code stands in for a runway that suits relief aircraft",
            "straight lines stand in for roads and ferries",
        ],
        limits=[
            "a typhoon counts when it was intense within 350 km of Tacloban and its track passed the airport within 100 km"
        ],
    )


def louisiana_low_ground() -> ReferenceTrajectory:
    state_id, shapes = yield from counties("Louisiana")
    height = yield "compute_elevation_stats", {"regions": shapes, "stats": ["p10", "mean"]}
    counts, _ = yield from hurricanes_by_county(state_id, shapes, 50)
    people = yield from labour_force(state_id)
    rows = yield from sql(
        f'WITH j AS (SELECT h.name, h.elevation_p10_m AS low, c.count AS storms, p."{FORCE}" AS people FROM h '
        "JOIN c ON h.feature_id = c.feature_id JOIN p ON h.feature_id = p.region_id WHERE h.elevation_p10_m IS NOT NULL), "
        "s AS (SELECT *, (percent_rank() OVER (ORDER BY low DESC) + percent_rank() OVER (ORDER BY storms) + "
        "percent_rank() OVER (ORDER BY people)) / 3 AS score FROM j) SELECT * FROM s ORDER BY score DESC, name LIMIT 8",
        h=dataset(height), c=counts, p=people,
    )  # fmt: skip
    first = listed(
        f"{r['name']} (lowest tenth below {r['low']:.0f} m, {r['storms']} hurricanes, {r['people']:,.0f} people)"
        for r in rows
    )
    return report(
        f"Parishes to review first, by the mean rank in low ground, hurricanes within 50 km and people: {first}.",
        data=["global elevation grid of 5 arc-minutes", "Census boundaries", TRACKS, LABOUR],
        proxies=["the labour force stands in for population"],
        limits=["the elevation grid is coarse and knows no levees", "equal weights of the three ranks"],
    )


REFERENCES = [
    Reference(
        id="own-florida-shelters",
        play=florida_shelters,
        skills=("admin-boundaries", "geometry", "tropical-cyclones", "data-commons", "scratch-datasets"),
    ),
    Reference(
        id="own-yucatan-trend",
        play=yucatan_trend,
        skills=("places", "tropical-cyclones", "scratch-datasets", "time-series-forecast"),
    ),
    Reference(
        id="own-tacloban-hubs",
        play=tacloban_hubs,
        skills=("places", "admin-boundaries", "geometry", "tropical-cyclones", "scratch-datasets"),
    ),
    Reference(
        id="own-louisiana-low-ground",
        play=louisiana_low_ground,
        skills=(
            "admin-boundaries",
            "terrain-slope",
            "geometry",
            "tropical-cyclones",
            "data-commons",
            "scratch-datasets",
        ),
    ),
]
