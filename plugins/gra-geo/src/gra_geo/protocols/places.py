"""Kind ``places``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pandas as pd

PLACE_COLUMNS = ("place_id", "name", "type", "lon", "lat", "country", "admin1", "population")


class PlaceSource(Protocol):
    """Points of interest, settlements, landmarks."""

    def types(self) -> dict[str, int]:
        """Type to number of places. Empty means that the vocabulary is open: any word may be a type."""
        ...

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
        """Places matching a text and types inside an area (GeoJSON geometry) or a country (ISO alpha-3), columns
        `PLACE_COLUMNS` plus whatever the source knows (`timezone`, `elevation_m`, `rating`, `admin1_code`, `iata`…), best
        match first. `state_id` and `county_id` say which regions of kind ``boundaries`` a place belongs to.

        With a text the column `match` (exact, alias, prefix, part) is added. ``attrs["total"]`` is the number before
        `limit`; ``attrs["notes"]`` says when there may be more places than were found.
        """
        ...  # fmt: skip

    def get(self, *, place_ids: list[str]) -> pd.DataFrame:
        """Places in the order asked, with all that the source knows of each; ``not_found`` names the missing."""
        ...
