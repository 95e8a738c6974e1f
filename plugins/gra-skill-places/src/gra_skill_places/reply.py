"""Places in a reply: few columns, units, nothing that is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from gra_core import Column
from gra_geo.frames import rows_of

COLUMNS = (
    "place_id", "name", "type", "lon", "lat", "country", "admin1", "population", "elevation_m", "rating", "ratings", "address",
    "match", "distance_km",
)  # fmt: skip
UNITS = {
    "lon": Column(unit="degrees east"),
    "lat": Column(unit="degrees north"),
    "population": Column(unit="people", quantity="count"),
    "elevation_m": Column(unit="m", quantity="intensive"),
    "rating": Column(unit="stars, 1 to 5", quantity="intensive"),
    "ratings": Column(unit="ratings", quantity="count"),
}


def compact_rows(frame: pd.DataFrame, limit: int, columns: Iterable[str] = COLUMNS) -> list[dict[str, Any]]:
    """The first rows, without what is unknown."""
    return [
        {key: value for key, value in row.items() if value not in (None, "")}
        for row in rows_of(frame, limit, columns)
    ]


def credit(source: Any) -> list[str]:
    """The note that names a live source, whose terms ask for it to be shown with what came from it."""
    declared = source.declaration
    return [f"from {declared.title}: credit {declared.attribution}"] if declared.live else []
