"""Source ``places``/``osm-helsinki``: points of interest of central Helsinki."""

from __future__ import annotations

from typing import Any

import pandas as pd

from gra_atlas.files import Once, data_file
from gra_atlas.placetable import PlaceTable


def _load() -> PlaceTable:
    pois = pd.read_parquet(data_file("helsinki_pois.parquet")).drop(columns=["geometry", "bbox"])
    pois = pois.assign(country="FIN", admin1="Uusimaa", timezone="Europe/Helsinki", aliases="")
    pois["population"] = pd.array([pd.NA] * len(pois), dtype="Int64")
    first = ["place_id", "name", "type", "lon", "lat", "country", "admin1", "population"]
    ordered = pois.sort_values(["name", "place_id"])
    return PlaceTable(ordered[[*first, *(c for c in pois.columns if c not in first)]])


table = Once(_load)


class HelsinkiPlaces:
    """Types are OpenStreetMap's (``restaurant``, ``museum``…), `key` is the tag that they come from; see
    `gra_geo.protocols`. Beside the protocol's columns: `address`, `opening_hours`, `website`, `phone`, `timezone`."""

    def __init__(self, settings: Any = None) -> None:
        """`settings` (`gra_core.SourceSettings`) has nothing to set."""

    def types(self) -> dict[str, int]:
        """Type to number of places."""
        return table().types()

    def search(
        self,
        *,
        text: str = "",
        types: list[str] | None = None,
        area: dict[str, Any] | None = None,
        country: str = "",
        min_population: int = 0,
        limit: int = 100,
    ) -> pd.DataFrame:
        """Places that fit, best match first."""
        return table().search(
            text=text, types=types, area=area, country=country, min_population=min_population, limit=limit
        )  # fmt: skip

    def get(self, *, place_ids: list[str]) -> pd.DataFrame:
        """Places in the order asked."""
        return table().get(place_ids=place_ids)
