"""Reference trajectories of the queries on site selection."""

from __future__ import annotations

from gra_benchmark_geoexpert.references.steps import Reference, dataset, ids, listed, region, report, sql
from gra_core.benchmark import ReferenceTrajectory

# Without accents, as the comparison strips them.
NORTHEAST = (
    "Alagoas",
    "Bahia",
    "Ceara",
    "Maranhao",
    "Paraiba",
    "Pernambuco",
    "Piaui",
    "Rio Grande do Norte",
    "Sergipe",
)
PLAINS = ("Iowa", "Kansas", "Missouri", "Nebraska")
NORTH_ITALY = (
    "Piedmont", "Aosta Valley", "Lombardy", "Trentino-Alto Adige", "Veneto", "Friuli Venezia Giulia", "Liguria", "Emilia-Romagna",
)  # fmt: skip
UNEMPLOYED = "Count_Person_Unemployed"


def brazil_warehouse() -> ReferenceTrajectory:
    country = yield from region("Brazil", "country")
    cities = yield "search_places", {"region": [country], "types": ["city"], "limit": 10_000}
    states = listed(f"'{name}'" for name in NORTHEAST)
    candidates = yield from ids(
        f"SELECT place_id AS id FROM c WHERE strip_accents(admin1) IN ({states}) AND population >= 200000",
        c=dataset(cities),
    )
    reach = yield "compute_distances", {"a": candidates, "b": dataset(cities), "k": 0, "max_m": 300_000}
    # A candidate reaches its own people whether or not the distances pair it with itself.
    rows = yield from sql(
        "SELECT k.name, k.admin1, k.population + sum(c.population) AS people FROM d JOIN c ON d.b_id = c.place_id "
        "JOIN c k ON d.a_id = k.place_id WHERE d.a_id <> d.b_id GROUP BY k.place_id, k.name, k.admin1, k.population "
        "ORDER BY people DESC LIMIT 5",
        d=dataset(reach), c=dataset(cities),
    )  # fmt: skip
    best, second = rows[0], rows[1]
    then = listed(f"{r['name']} {r['people'] / 1e6:.1f} million" for r in rows[2:])
    return report(
        f"{best['name']} ({best['admin1']}) reaches {best['people'] / 1e6:.1f} million people in cities within 300 km, the runner-up "
        f"{second['name']} ({second['admin1']}) {second['people'] / 1e6:.1f} million. Then: {then}.",
        data=["GeoNames cities of 5,000 people and more"],
        proxies=["straight lines stand in for roads", "cities stand in for all people"],
        limits=["land prices, existing centres and traffic are not considered"],
    )


def plains_cargo_hub() -> ReferenceTrajectory:
    states = []
    for name in PLAINS:
        states.append((yield from region(name, "state", "USA")))
    airports = yield "search_places", {"region": states, "types": ["airport"], "limit": 5000}
    served = yield from ids("SELECT place_id AS id FROM a WHERE place_id LIKE 'iata/%'", a=dataset(airports))
    found = yield (
        "search_places",
        {"region": ["country/USA"], "types": ["city"], "min_population": 200_000, "limit": 1000},
    )
    cities = yield from ids(
        "SELECT place_id AS id FROM c WHERE admin1 NOT IN ('Alaska', 'Hawaii')", c=dataset(found)
    )
    asked = {"a": served, "b": cities, "k": 0}
    reply = yield "compute_distances", asked
    rows = yield from sql(
        "SELECT d.a_name AS airport, sum(d.distance_km * c.population) / sum(c.population) AS km FROM d "
        "JOIN c ON d.b_id = c.place_id GROUP BY d.a_id, d.a_name ORDER BY km LIMIT 5",
        d=dataset(reply), c=dataset(found),
    )  # fmt: skip
    gain = rows[1]["km"] - rows[0]["km"]
    then = listed(f"{r['airport']} {r['km']:.0f} km" for r in rows[2:])
    return report(
        f"{rows[0]['airport']} is closest: {rows[0]['km']:.0f} km on average, weighted by the people of {len(cities)} cities. It gains "
        f"{gain:.1f} km over {rows[1]['airport']}. Then: {then}.",
        data=["airportsdata", "GeoNames"],
        proxies=["an IATA code stands in for scheduled service", "population stands in for parcels"],
        limits=[
            "runways, night-time restrictions and weather are not considered; small fields are among the airports"
        ],
    )


def job_centres() -> ReferenceTrajectory:
    tables: dict[str, str] = {}
    for name in ("Michigan", "Ohio"):
        state = yield from region(name, "state", "USA")
        reply = yield (
            "get_stat_table",
            {"variables": [UNEMPLOYED], "parent": state, "child_type": "county", "date": "2009"},
        )
        tables[name.lower()] = dataset(reply)
    every = " UNION ALL ".join(
        f'SELECT region_id, region_name, "{UNEMPLOYED}" AS people FROM {table}' for table in tables
    )
    total = yield from sql(
        f"WITH e AS ({every}) SELECT count(*) AS counties, sum(people) AS people FROM e", **tables
    )
    counties = yield from ids(f"WITH e AS ({every}) SELECT region_id AS id FROM e", **tables)
    reach = yield (
        "compute_distances",
        {"a": counties, "b": counties, "k": 0, "max_m": 60_000, "anchor": "centroid"},
    )
    hosts: list[str] = []
    told, reached = [], 0.0
    for _ in range(3):
        taken = listed(f"'{h}'" for h in hosts) or "''"
        rows = yield from sql(
            f"WITH e AS ({every}), r AS (SELECT a_id, b_id FROM d UNION SELECT region_id, region_id FROM e), "
            f"done AS (SELECT b_id FROM r WHERE a_id IN ({taken})) "
            "SELECT r.a_id, h.region_name, sum(e.people) AS people FROM r JOIN e ON r.b_id = e.region_id "
            "JOIN e h ON r.a_id = h.region_id WHERE r.b_id NOT IN (SELECT b_id FROM done) "
            "GROUP BY r.a_id, h.region_name ORDER BY people DESC, r.a_id LIMIT 1",
            d=dataset(reach), **tables,
        )  # fmt: skip
        hosts.append(rows[0]["a_id"])
        told.append(f"{rows[0]['region_name']} ({rows[0]['people']:,.0f} more)")
        reached += rows[0]["people"]
    return report(
        f"Hosts: {listed(told)}. Together they reach {reached:,.0f} of {total[0]['people']:,.0f} unemployed people "
        f"({100 * reached / total[0]['people']:.0f} %) in counties whose centre lies within 60 km.",
        data=["BLS local area unemployment statistics of 2009", "Census county boundaries"],
        proxies=["straight lines between centres stand in for roads"],
        limits=[
            "the hosts were chosen one after the other (greedy), which need not be the best three",
            "one month of 2009",
        ],
    )


def alpine_training() -> ReferenceTrajectory:
    countries = []
    for name in ("Austria", "Switzerland", "Italy"):
        countries.append((yield from region(name, "country")))
    towns = yield (
        "search_places",
        {"region": countries, "types": ["city"], "min_population": 5000, "limit": 10_000},
    )
    cells = yield "compute_elevation_stats", {"regions": dataset(towns), "stats": ["mean"]}
    north = listed(f"'{name}'" for name in NORTH_ITALY)
    # The cell of a valley town may be a mountainside, so the lowest ground close by stands for the town.
    maybe = yield from ids(
        "SELECT t.place_id AS id FROM t JOIN h ON t.place_id = h.feature_id "
        f"WHERE h.elevation_mean_m >= 1000 AND (t.country <> 'ITA' OR t.admin1 IN ({north}))",
        t=dataset(towns), h=dataset(cells),
    )  # fmt: skip
    close = yield "buffer_features", {"features": maybe, "distance_m": 1500}
    floors = yield "compute_elevation_stats", {"regions": dataset(close), "stats": ["p10"]}
    high = yield from ids("SELECT feature_id AS id FROM f WHERE elevation_p10_m >= 1000", f=dataset(floors))
    around = [*countries]
    for name in ("Germany", "France", "Slovenia", "Liechtenstein"):
        around.append((yield from region(name, "country")))
    airports = yield "search_places", {"region": around, "types": ["airport"], "limit": 10_000}
    served = yield from ids(
        "SELECT place_id AS id FROM a WHERE place_id LIKE 'iata/%' AND lat > 43", a=dataset(airports)
    )
    reply = yield "compute_distances", {"a": high, "b": served, "k": 1, "max_m": 100_000}
    rings = yield "buffer_features", {"features": high, "distance_m": 5000}
    slopes = yield "compute_slope_stats", {"regions": dataset(rings), "units": "percent", "stats": ["p90"]}
    rows = yield from sql(
        "SELECT t.name, t.population, f.elevation_p10_m AS height, d.b_name AS airport, d.distance_km AS km, "
        "s.slope_p90_percent AS steep FROM d JOIN s ON d.a_id = s.feature_id JOIN f ON d.a_id = f.feature_id "
        "JOIN t ON d.a_id = t.place_id ORDER BY steep DESC, t.name LIMIT 10",
        d=dataset(reply), s=dataset(slopes), f=dataset(floors), t=dataset(towns),
    )  # fmt: skip
    told = listed(
        f"{r['name']} ({r['height']:.0f} m, {r['population']:,.0f} people, {r['km']:.0f} km to {r['airport']}, steepest tenth above "
        f"{r['steep']:.0f} %)"
        for r in rows
    )
    return report(
        f"{len(high)} towns lie above 1,000 m. Within 100 km of an airport with an IATA code, steepest surroundings first: {told}.",
        data=["GeoNames", "airportsdata", slopes["content"]["dem"]["title"]],
        proxies=["an IATA code stands in for airline service"],
        limits=[
            "heights (lowest tenth within 1.5 km) and slopes come from a grid of 1 km",
            "facilities and travel times are not considered",
        ],
    )


REFERENCES = [
    Reference(id="own-brazil-warehouse", play=brazil_warehouse, skills=("admin-boundaries", "places", "geometry", "scratch-datasets")),
    Reference(id="own-plains-cargo-hub", play=plains_cargo_hub, skills=("admin-boundaries", "places", "geometry", "scratch-datasets")),
    Reference(id="own-job-centres", play=job_centres, skills=("admin-boundaries", "data-commons", "geometry", "scratch-datasets")),
    Reference(
        id="own-alpine-training", play=alpine_training,
        skills=("admin-boundaries", "places", "terrain-slope", "geometry", "scratch-datasets"),
    ),
]  # fmt: skip
