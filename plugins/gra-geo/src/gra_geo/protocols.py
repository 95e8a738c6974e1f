"""What sources of the geospatial kinds offer. Light: nothing heavy is imported here.

All operations take keyword arguments that are JSON-ready (geometries as GeoJSON mappings in EPSG:4326,
boxes as ``[west, south, east, north]`` where west > east means across the antimeridian) and return JSON-ready
data or a pandas / geopandas table, so that calls can be recorded and replayed. They raise `gra_core.ToolError`.

Region ids are Data Commons ids where they exist: ``country/USA``, ``geoId/31`` (FIPS), ``geoId/31147``; admin-1
regions elsewhere are ``iso3166-2/BR-SP``. Places are ``geonames/…``, ``iata/…``, ``landmark/…``, ``osm/node/…``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd

Level = str  # country, state (any first-level unit), county, tract, postcode, city, …
REGION_COLUMNS = ("region_id", "name", "level", "country", "parent_id", "parent_name")
PLACE_COLUMNS = ("place_id", "name", "type", "lon", "lat", "country", "admin1", "population")
FIX_COLUMNS = (
    "storm_id",
    "name",
    "season",
    "basin",
    "time",
    "lon",
    "lat",
    "wind_kt",
    "pressure_hpa",
    "status",
    "category",
)


class BoundarySource(Protocol):
    """Kind ``boundaries``: administrative regions."""

    def levels(self) -> dict[str, int]:
        """Level to number of regions, largest level first (country, state, county, …)."""
        ...

    def find(
        self, *, name: str = "", level: str = "", country: str = "", parent: str = "", limit: int = 20
    ) -> pd.DataFrame:
        """Candidates for a name, best match first, columns `REGION_COLUMNS` plus `match` (exact, alias, prefix, part).

        `country` is ISO alpha-3, `parent` a region id (any ancestor). Never a guess: all equally good ones are given.
        """
        ...

    def get(self, *, region_ids: list[str]) -> gpd.GeoDataFrame:
        """Regions in the order asked, columns `REGION_COLUMNS` + geometry, EPSG:4326; ``not_found`` names the missing."""
        ...

    def children(self, *, parent_id: str, level: str = "") -> gpd.GeoDataFrame:
        """The regions of a level inside a parent (default: the next level), by id, with geometry."""
        ...

    def containing(self, *, points: list[list[float]], levels: list[str]) -> pd.DataFrame:
        """For lon/lat points: columns point (index into `points`), then `REGION_COLUMNS`; a point in no region has no row."""
        ...


class PlaceSource(Protocol):
    """Kind ``places``: points of interest, settlements, landmarks."""

    def types(self) -> dict[str, int]:
        """Type to number of places."""
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
        """Places matching a text and types inside an area (GeoJSON geometry), columns `PLACE_COLUMNS` plus whatever
        the source knows (`timezone`, `elevation_m`, `rating`, `admin1_code`, `iata`…), best match first.

        With a text the columns `match` (exact, alias, prefix, part) is added; ``attrs["total"]`` is the number before `limit`.
        """
        ...  # fmt: skip

    def get(self, *, place_ids: list[str]) -> pd.DataFrame:
        """Places in the order asked; ``not_found`` names the missing."""
        ...


class StatisticsSource(Protocol):
    """Kind ``statistics``: values of variables for regions over time."""

    def variables(
        self, *, query: str = "", region_ids: list[str] | None = None, limit: int = 20
    ) -> pd.DataFrame:
        """Variables matching words, best first: variable, title, unit, quantity (count, rate, intensive), first, last,
        regions (number with data), source, licence."""
        ...

    def regions(self, *, names: list[str], within: str = "", place_type: str = "") -> pd.DataFrame:
        """Candidates for names: name, region_id, region_name, place_type, match."""
        ...

    def values(
        self,
        *,
        variables: list[str],
        region_ids: list[str] | None = None,
        parent: str = "",
        child_level: str = "",
        date: str = "latest",
        facet: str = "",
    ) -> pd.DataFrame:
        """One date: variable, region_id, region_name, date, value, unit, facet, source. `date` is ISO (a year, month or day) or
        ``latest``; regions without a value have no row. Regions are named, or are the children of a parent."""
        ...  # fmt: skip

    def series(
        self, *, variable: str, region_ids: list[str], start: str = "", end: str = "", facet: str = ""
    ) -> pd.DataFrame:
        """All dates from `start` to `end` (inclusive): the columns of `values`, one facet per series."""
        ...


class CycloneSource(Protocol):
    """Kind ``cyclones``: best tracks."""

    def coverage(self) -> dict[str, Any]:
        """first and last season, basins, storms, wind averaging period."""
        ...

    def fixes(
        self,
        *,
        seasons: list[int] | None = None,
        name: str = "",
        storm_ids: list[str] | None = None,
        basin: str = "",
        bbox: list[float] | None = None,
    ) -> pd.DataFrame:
        """Track fixes, columns `FIX_COLUMNS` (time UTC; wind in knots; category −5…5 on the Saffir-Simpson scale),
        whole storms only (a storm with one fix in the box is given whole), by storm and time."""
        ...  # fmt: skip


class ElevationSource(Protocol):
    """Kind ``elevation``: digital elevation models."""

    def rasters(self) -> list[dict[str, Any]]:
        """The rasters, finest first: name, path, crs, bounds (EPSG:4326), resolution_m, nodata, unit (m)."""
        ...


class WebSearchSource(Protocol):
    """Kind ``web-search``: the open web."""

    def search(self, *, query: str, limit: int = 10) -> dict[str, Any]:
        """``{"answer": text or "", "results": [{title, url, snippet}], "attribution": html or "", "queries": […]}``."""
        ...

    def read(self, *, url: str, question: str = "") -> dict[str, Any]:
        """``{"url", "title", "text"}`` of one page."""
        ...


class MapSearchSource(Protocol):
    """Kind ``map-search``: grounded look-ups of places and addresses."""

    def search(self, *, query: str, near: list[float] | None = None) -> dict[str, Any]:
        """``{"answer": text, "places": [{title, uri, place_id}]}``; `near` is ``[lon, lat]``."""
        ...
