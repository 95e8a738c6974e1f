"""Source ``places``/``osm-helsinki``: points of interest of central Helsinki."""

from __future__ import annotations

import pandas as pd

from gra_atlas.files import Once, data_file
from gra_atlas.placetable import PlaceTable, PlaceTableSource


def _load() -> PlaceTable:
    pois = pd.read_parquet(data_file("helsinki_pois.parquet")).drop(columns=["geometry", "bbox"])
    pois = pois.assign(country="FIN", admin1="Uusimaa", timezone="Europe/Helsinki", aliases="")
    pois["population"] = pd.array([pd.NA] * len(pois), dtype="Int64")
    first = ["place_id", "name", "type", "lon", "lat", "country", "admin1", "population"]
    ordered = pois.sort_values(["name", "place_id"])
    return PlaceTable(ordered[[*first, *(c for c in pois.columns if c not in first)]])


table = Once(_load)


class HelsinkiPlaces(PlaceTableSource):
    """Types are OpenStreetMap's (``restaurant``, ``museum``…), `key` is the tag that they come from; see
    `gra_geo.protocols`. Beside the protocol's columns: `address`, `opening_hours`, `website`, `phone`, `timezone`."""

    table = table
