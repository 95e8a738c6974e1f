"""Reference trajectories of the queries on landslides and earthquakes."""

from __future__ import annotations

from gra_benchmark_geoexpert.references.steps import Reference, dataset, ids, listed, region, report, sql
from gra_core.benchmark import ReferenceTrajectory


def nepal_slopes() -> ReferenceTrajectory:
    country = yield from region("Nepal", "country")
    towns = yield (
        "search_places",
        {"region": [country], "types": ["city"], "min_population": 50_000, "limit": 200},
    )
    rings = yield "buffer_features", {"features": dataset(towns), "distance_m": 5_000}
    slopes = yield (
        "compute_slope_stats",
        {"regions": dataset(rings), "units": "percent", "stats": ["p90", "mean"]},
    )
    rows = yield from sql(
        "SELECT name, slope_p90_percent AS steep, slope_mean_percent AS mean FROM s ORDER BY steep DESC, name LIMIT 8",
        s=dataset(slopes),
    )
    first = listed(f"{r['name']} (90th percentile {r['steep']:.0f} %, mean {r['mean']:.0f} %)" for r in rows)
    model = slopes["content"]["dem"]
    return report(
        f"Towns of more than 50,000 people with the steepest ground within 5 km: {first}.",
        data=["GeoNames", f"{model['title']} (cells of {model['cell_m']:.0f} m)"],
        proxies=["slope alone stands in for susceptibility to landslides"],
        limits=[
            "a grid of 1 km flattens slopes and misses single hillsides",
            "rainfall, rock, drainage, earthquakes, land cover and roads cut into slopes are not considered",
        ],
    )


def kahramanmaras_relief() -> ReferenceTrajectory:
    epicentre = [37.0, 37.2]
    point = {"type": "Point", "coordinates": epicentre}
    circle = yield "buffer_features", {"features": point, "distance_m": 150_000}
    towns = yield "search_places", {"region": dataset(circle), "types": ["city"], "limit": 1000}
    reach = yield "compute_distances", {"a": [epicentre], "b": dataset(towns), "k": 0}
    total = yield from sql("SELECT count(*) AS towns, sum(population) AS people FROM t", t=dataset(towns))
    largest = yield from sql(
        "SELECT t.place_id, t.name, t.population, d.distance_km FROM t JOIN d ON t.place_id = d.b_id "
        "ORDER BY t.population DESC LIMIT 8",
        t=dataset(towns), d=dataset(reach),
    )  # fmt: skip
    wider = yield "buffer_features", {"features": point, "distance_m": 250_000}
    airports = yield "search_places", {"region": dataset(wider), "types": ["airport"], "limit": 500}
    flown = yield "compute_distances", {"a": [epicentre], "b": dataset(airports), "k": 0}
    usable = yield from ids(
        "SELECT b_id AS id FROM d WHERE b_id LIKE 'iata/%' AND distance_km > 50", d=dataset(flown)
    )
    served = yield "compute_distances", {"a": [r["place_id"] for r in largest], "b": usable, "k": 1}
    pairs = yield from sql(
        "SELECT a_name, b_name, distance_km FROM d ORDER BY distance_km", d=dataset(served)
    )
    big = listed(f"{r['name']} ({r['population']:,.0f}, {r['distance_km']:.0f} km)" for r in largest)
    flown_to = listed(f"{r['a_name']} by {r['b_name']} ({r['distance_km']:.0f} km)" for r in pairs)
    return report(
        f"{total[0]['people']:,.0f} people lived in {total[0]['towns']} towns within 150 km of the epicentre. The largest: {big}. "
        f"Closest airports outside 50 km: {flown_to}.",
        data=["GeoNames", "airportsdata"],
        proxies=[
            "distance from the epicentre stands in for shaking",
            "towns of 5,000 people and more stand in for all people",
        ],
        limits=[
            "a rupture of some 300 km is not a point",
            "the state of runways and roads after the quake is not known",
            "population of today",
        ],
    )


REFERENCES = [
    Reference(id="own-nepal-slopes", play=nepal_slopes, skills=("admin-boundaries", "places", "geometry", "terrain-slope", "scratch-datasets")),
    Reference(id="own-kahramanmaras-relief", play=kahramanmaras_relief, skills=("geometry", "places", "scratch-datasets")),
]  # fmt: skip
