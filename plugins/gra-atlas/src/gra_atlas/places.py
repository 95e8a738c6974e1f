"""Source ``places``/``atlas``: cities, airports and landmarks."""

from __future__ import annotations

import pandas as pd

from gra_atlas.files import Once, data_file
from gra_atlas.placetable import PlaceTable, PlaceTableSource

COLUMNS = [
    "place_id", "name", "type", "lon", "lat", "country", "admin1", "population", "timezone", "elevation_m", "category",
    "iata", "icao", "city", "admin1_code", "state_id", "county_id", "county_fips", "aliases",
]  # fmt: skip
NUMBERS = ("lon", "lat", "population", "elevation_m")


def _load() -> PlaceTable:
    """Cities by population, then landmarks and airports by name: the files are in that order."""
    cities = pd.read_parquet(data_file("cities.parquet")).rename(columns={"alternate_names": "aliases"})
    airports = pd.read_parquet(data_file("airports.parquet"))
    airports["aliases"] = (airports["iata"] + "|" + airports["icao"]).str.strip("|")
    landmarks = pd.read_csv(data_file("landmarks.csv"), comment="#", keep_default_na=False)
    parts = {"city": cities, "landmark": landmarks.sort_values(["name", "place_id"]), "airport": airports}
    table = pd.concat([part.assign(type=kind) for kind, part in parts.items()], ignore_index=True)[COLUMNS]
    table["county_fips"] = table["county_id"].fillna("").str.removeprefix("geoId/")
    texts = [column for column in COLUMNS if column not in NUMBERS]
    table[texts] = table[texts].astype(object).fillna("")
    return PlaceTable(table.astype({"population": "Int64"}))


table = Once(_load)


class AtlasPlaces(PlaceTableSource):
    """Types ``city``, ``airport`` and ``landmark``; see `gra_geo.protocols`.

    Beside the protocol's columns: `timezone`, `elevation_m` (airports), `category` (landmarks), `iata`, `icao`, `city`
    (that an airport serves), `admin1_code`, `state_id` and `county_id` (regions of `boundaries`), `county_fips`.
    """

    table = table
