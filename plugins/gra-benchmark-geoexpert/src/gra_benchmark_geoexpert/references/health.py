"""Reference trajectories of the queries on public health."""

from __future__ import annotations

from typing import Any

from gra_benchmark_geoexpert.references.steps import Reference, dataset, ids, listed, region, report, sql
from gra_core.benchmark import ReferenceTrajectory

SOUTHERN = ("Botswana", "Eswatini", "Lesotho", "Namibia", "South Africa", "Zimbabwe", "Zambia", "Mozambique")
MIDWEST = ("Illinois", "Indiana", "Michigan", "Ohio", "Wisconsin")
AGEING = ("Germany", "Italy", "Japan", "South Korea")
LIFE = "LifeExpectancy_Person"
POVERTY = "Percent_Elderly_BelowPovertyLevel"


def life_expectancy_loss() -> ReferenceTrajectory:
    world = yield "list_subregions", {"parent_id": "Earth", "level": "country"}
    africa = yield from ids("SELECT region_id AS id FROM w WHERE continent = 'Africa'", w=dataset(world))
    ours = []
    for name in SOUTHERN:
        ours.append((yield from region(name, "country")))
    asked = {"variable": LIFE, "places": africa, "start": "1990", "end": "2013", "facet": "gapminder-annual"}
    series = yield "get_stat_series", asked
    rows = yield from sql(
        "WITH s AS (SELECT region_id, region_name, CAST(date AS INTEGER) AS year, value FROM t), "
        "b AS (SELECT region_id, region_name, value AS start FROM s WHERE year = 1990), "
        "l AS (SELECT region_id, min(value) AS low, arg_min(year, value) AS low_year FROM s WHERE year <= 2010 GROUP BY region_id) "
        "SELECT b.region_id, b.region_name AS name, b.start, l.low, l.low_year, b.start - l.low AS loss, "
        "(SELECT min(year) FROM s WHERE s.region_id = b.region_id AND s.year > l.low_year AND s.value >= b.start) AS back "
        "FROM b JOIN l ON b.region_id = l.region_id WHERE b.start - l.low > 1 ORDER BY loss DESC, b.region_id LIMIT 50",
        t=dataset(series),
    )  # fmt: skip
    lost = [r for r in rows if r["region_id"] in ours]
    others = [r for r in rows if r["region_id"] not in ours]

    def told(r: dict[str, Any]) -> str:
        back = f"back in {r['back']:.0f}" if r["back"] else "not back by 2013"
        return f"{r['name']} ({r['loss']:.1f} years by {r['low_year']:.0f}, {back})"

    return report(
        f"Losses of life expectancy after 1990: {listed(map(told, lost))}. Elsewhere in Africa {len(others)} of "
        f"{len(africa) - len(ours)} countries lost more than a year: {listed(map(told, others[:6]))}.",
        data=["life expectancy at birth, Gapminder yearly series"],
        limits=[
            f"southern Africa is taken as {listed(SOUTHERN)}",
            "the values are estimates from models",
            "the series ends in 2013",
        ],
    )


def midwest_elderly_access() -> ReferenceTrajectory:
    tables: dict[str, str] = {}
    for name in MIDWEST:
        state = yield from region(name, "state", "USA")
        asked = {
            "variables": [POVERTY],
            "parent": state,
            "child_type": "county",
            "date": "1990",
            "facet": "us-census-1990",
        }
        reply = yield "get_stat_table", asked
        tables[name.lower()] = dataset(reply)
    every = " UNION ALL ".join(
        f'SELECT region_id, region_name, "{POVERTY}" AS rate FROM {table}' for table in tables
    )
    poor = yield from sql(
        f"WITH e AS ({every}) SELECT region_id, region_name, rate FROM e "
        "WHERE rate >= (SELECT quantile_cont(rate, 0.9) FROM e) ORDER BY region_id LIMIT 50",
        **tables,
    )  # fmt: skip
    cities = yield (
        "search_places",
        {"region": ["country/USA"], "types": ["city"], "min_population": 100_000, "limit": 1000},
    )
    far = yield (
        "compute_distances",
        {"a": [r["region_id"] for r in poor], "b": dataset(cities), "k": 1, "anchor": "centroid"},
    )
    rows = yield from sql(
        "SELECT a_id, a_name, b_name, distance_km FROM d WHERE distance_km > 100 ORDER BY distance_km DESC",
        d=dataset(far),
    )
    rate = {r["region_id"]: r["rate"] for r in poor}
    chosen = listed(
        f"{r['a_name']} ({rate[r['a_id']]:.1f} %, {r['distance_km']:.0f} km from {r['b_name']})" for r in rows
    )
    threshold = min(rate.values())
    return report(
        f"{len(poor)} of the counties are in the highest tenth of elderly poverty in 1990 ({threshold:.1f} % and more). {len(rows)} of them "
        f"lie more than 100 km from a city of 100,000 people: {chosen}.",
        data=["US census of 1990", "Census county boundaries", "GeoNames"],
        proxies=["cities of more than 100,000 people today stand in for full-service hospitals of 1990"],
        limits=["straight-line distance from the county's centre", "the threshold of 100 km is a choice"],
    )


def long_term_care() -> ReferenceTrajectory:
    places = []
    for name in AGEING:
        places.append((yield from region(name, "country")))
    asked = {"places": places, "start": "1990", "end": "2020", "facet": "un-wpp-2024"}
    old = yield "get_stat_series", {"variable": "Count_Person_65OrMoreYears", **asked}
    people = yield "get_stat_series", {"variable": "Count_Person", **asked}
    shares = yield from sql(
        "SELECT o.region_id, o.region_name AS country, CAST(o.date AS INTEGER) AS year, 100 * o.value / p.value AS share "
        "FROM o JOIN p ON o.region_id = p.region_id AND o.date = p.date WHERE CAST(o.date AS INTEGER) % 5 = 0 ORDER BY 1, 3",
        o=dataset(old), p=dataset(people),
    )  # fmt: skip
    asked = {"table": shares, "time_col": "year", "value_col": "share", "group_col": "country"}
    forecast = yield "forecast_series", {**asked, "horizon": 6}
    ahead = {f["group"]: f["forecast"] for f in forecast["content"]["forecasts"]}
    check = yield "backtest_forecast", {**asked, "horizon": 2, "folds": 2, "metric": "mae"}
    told = []
    for name in dict.fromkeys(r["country"] for r in shares):
        known = [r for r in shares if r["country"] == name]
        told.append(
            f"{name} {known[0]['share']:.1f} % in 1990, {known[-1]['share']:.1f} % in 2020, {_passing(ahead[name])}"
        )
    errors = listed(f"{r['group']} {r['error']:.1f}" for r in check["content"]["results"])
    return report(
        f"Share of people of 65 and over: {'; '.join(told)}. Forecasts of ten years made in the past were off by (points): {errors}.",
        data=["UN World Population Prospects 2024, estimates 1990 to 2020"],
        limits=[
            "a purely statistical extrapolation of seven values a country: the age structure that is already there is not used",
            "care capacity is not considered",
        ],
    )


def _passing(forecast: list[dict[str, Any]]) -> str:
    """When a forecast of every fifth year passes 30 percent: in the median, and at either end of the 80 percent interval."""
    years = [
        next((r["time"] for r in forecast if r[quantile] >= 30), None)
        for quantile in ("q0.5", "q0.9", "q0.1")
    ]
    median, early, late = (f"by {year}" if year else "not by 2050" for year in years)
    return f"30 % {median} (80 % interval: {early} to {late})"


REFERENCES = [
    Reference(id="own-life-expectancy-loss", play=life_expectancy_loss, skills=("admin-boundaries", "data-commons", "scratch-datasets")),
    Reference(
        id="own-midwest-elderly-access", play=midwest_elderly_access,
        skills=("admin-boundaries", "data-commons", "places", "geometry", "scratch-datasets"),
    ),
    Reference(
        id="own-long-term-care", play=long_term_care,
        skills=("admin-boundaries", "data-commons", "scratch-datasets", "time-series-forecast"),
    ),
]  # fmt: skip
