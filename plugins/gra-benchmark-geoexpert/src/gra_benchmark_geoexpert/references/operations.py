"""Reference trajectory of the query on operations."""

from __future__ import annotations

from gra_benchmark_geoexpert.references.steps import Reference, dataset, listed, report, sql
from gra_core.benchmark import ReferenceTrajectory

HUBS = ("MIA", "IAH")
ALTERNATES = ("ATL", "CLT", "DFW", "BNA")
FIRST, LAST = 2000, 2024


def hurricane_alternates() -> ReferenceTrajectory:
    codes = [*HUBS, *ALTERNATES]
    tables: dict[str, str] = {}
    for code in codes:
        known = yield "get_place_details", {"place_ids": [f"iata/{code}"], "fields": ["lon", "lat"]}
        place = known["content"]["places"][0]
        asked = {
            "region": [place["lon"], place["lat"]],
            "years": [FIRST, LAST],
            "min_category": 0,
            "within_km": 150,
            "strength": "near",
        }
        reply = yield "find_historical_storms", asked
        if reply["status"] == "ok" and reply.get("datasets"):
            tables[code.lower()] = dataset(reply)
    every = " UNION ALL ".join(
        f"SELECT '{code.upper()}' AS code, storm_id, year(time) AS season FROM {code}" for code in tables
    )
    counts = yield from sql(
        f"WITH e AS ({every}) SELECT code, count(*) AS storms, count(DISTINCT season) AS seasons FROM e GROUP BY code",
        **tables,
    )
    both = yield from sql(
        f"WITH e AS ({every}) SELECT season FROM e WHERE code IN ('MIA', 'IAH') GROUP BY season HAVING count(DISTINCT code) = 2 ORDER BY season",
        **tables,
    )
    shared = yield from sql(
        f"WITH e AS ({every}) SELECT code, count(*) AS storms FROM e WHERE code NOT IN ('MIA', 'IAH') AND storm_id IN "
        "(SELECT storm_id FROM e WHERE code IN ('MIA', 'IAH')) GROUP BY code",
        **tables,
    )
    away = yield (
        "compute_distances",
        {"a": [f"iata/{c}" for c in ALTERNATES], "b": [f"iata/{c}" for c in HUBS], "k": 0},
    )
    km = yield from sql("SELECT a_id, b_id, distance_km FROM d ORDER BY a_id, b_id", d=dataset(away))
    storms = {r["code"]: r for r in counts}
    too = {r["code"]: r["storms"] for r in shared}

    def told(code: str) -> str:
        distances = listed(
            f"{r['distance_km']:.0f} km to {r['b_id'][5:]}" for r in km if r["a_id"] == f"iata/{code}"
        )
        return f"{code} {storms.get(code, {}).get('storms', 0)} storms, {too.get(code, 0)} of them also near a hub, {distances}"

    number = {code: storms.get(code, {}).get("storms", 0) for code in ALTERNATES}
    ranked = sorted(ALTERNATES, key=lambda code: (number[code], too.get(code, 0), code))
    calmest = " and ".join(code for code in ranked if number[code] == number[ranked[0]])
    hubs = listed(
        f"{c} {storms.get(c, {}).get('storms', 0)} in {storms.get(c, {}).get('seasons', 0)} seasons"
        for c in HUBS
    )
    return report(
        f"Storms of tropical-storm strength within 150 km from {FIRST} to {LAST}: {hubs}. Seasons with both hubs affected: {len(both)} ({listed(r['season'] for r in both)}). Alternates, safest first: "
        f"{'; '.join(map(told, ranked))}. Fewest storms: {calmest}; between equals the distance to the hub that is evacuated decides.",
        data=[f"IBTrACS best tracks {FIRST} to {LAST}", "airportsdata"],
        limits=[
            "stands, runways and lead time are not considered",
            "weak remnants inland may be missing from the tracks",
        ],
    )


REFERENCES = [
    Reference(
        id="own-hurricane-alternates",
        play=hurricane_alternates,
        skills=("places", "tropical-cyclones", "geometry", "scratch-datasets"),
    ),
]
