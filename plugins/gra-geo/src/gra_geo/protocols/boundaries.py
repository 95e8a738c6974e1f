"""Kind ``boundaries``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd

Level = str  # country, state (any first-level unit), county, tract, postcode, city, …
REGION_COLUMNS = ("region_id", "name", "level", "country", "parent_id", "parent_name")


class BoundarySource(Protocol):
    """Administrative regions."""

    def levels(self) -> dict[str, int]:
        """Level to number of regions, largest level first (country, state, county, …)."""
        ...

    def find(
        self, *, name: str = "", level: str = "", country: str = "", parent: str = "", limit: int = 20
    ) -> pd.DataFrame:
        """Candidates for a name, best match first, columns `REGION_COLUMNS` plus `match` (exact, alias, prefix, part);
        without a name all regions that fit. ``attrs["total"]`` is the number before `limit` where it is known.

        `country` is ISO alpha-3, `parent` a region id (any ancestor). Never a guess: all equally good ones are given.
        """
        ...

    def get(self, *, region_ids: list[str]) -> gpd.GeoDataFrame:
        """Regions in the order asked, columns `REGION_COLUMNS` + geometry, EPSG:4326; ``not_found`` names the missing."""
        ...

    def children(self, *, parent_id: str, level: str = "") -> gpd.GeoDataFrame:
        """The regions of a level inside a parent (default: the next level), by id, with geometry; ``Earth`` has the
        countries. ``attrs["notes"]`` says what was left out, and how regions that cross the parent's border are counted."""
        ...

    def containing(self, *, points: list[list[float]], levels: list[str]) -> pd.DataFrame:
        """For lon/lat points: columns point (index into `points`), then `REGION_COLUMNS`; a point in no region has no
        row, a point on a border one for each region that shares it."""
        ...
