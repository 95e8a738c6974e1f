"""What sources of the geospatial kinds offer, one module a kind. Light: nothing heavy is imported here.

All operations take keyword arguments that are JSON-ready (geometries as GeoJSON mappings in EPSG:4326,
boxes as ``[west, south, east, north]`` where west > east means across the antimeridian) and return JSON-ready
data or a pandas / geopandas table, so that calls can be recorded and replayed. They raise `gra_core.ToolError`.

Region ids are Data Commons ids where they exist: ``country/USA``, ``geoId/31`` (FIPS), ``geoId/31147``; admin-1
regions elsewhere are ``iso3166-2/BR-SP``. Places are ``geonames/…``, ``iata/…``, ``landmark/…``, ``osm/node/…``. Other
schemes are as good: whose an id is, is asked of the sources.

A table may have more columns than its kind promises, and tell more in ``attrs``, all JSON-ready:

- ``notes``: texts for the user, what was converted, left out or may be incomplete;
- ``total``: how many rows there were before `limit`;
- ``match`` is a column, with the values of `gra_geo.names.MATCHES`, wherever a name or text was looked up.

Operations marked *optional* are offered by some sources only: ask `SourceHandle.offers` first.
"""

from gra_geo.protocols.boundaries import REGION_COLUMNS, BoundarySource, Level
from gra_geo.protocols.cyclones import (
    ADVISORY_COLUMNS,
    FIX_COLUMNS,
    FORECAST_COLUMNS,
    QUADRANTS,
    RADII_COLUMNS,
    WINDS_KT,
    CycloneAdvisorySource,
    CycloneForecastSource,
    CycloneSource,
)
from gra_geo.protocols.elevation import ElevationSource
from gra_geo.protocols.places import PLACE_COLUMNS, PlaceSource
from gra_geo.protocols.statistics import FACET_COLUMNS, VALUE_COLUMNS, VARIABLE_COLUMNS, StatisticsSource
from gra_geo.protocols.web import MapSearchSource, WebPageSource, WebSearchSource

__all__ = [
    "ADVISORY_COLUMNS",
    "FACET_COLUMNS",
    "FIX_COLUMNS",
    "FORECAST_COLUMNS",
    "PLACE_COLUMNS",
    "QUADRANTS",
    "RADII_COLUMNS",
    "REGION_COLUMNS",
    "VALUE_COLUMNS",
    "VARIABLE_COLUMNS",
    "WINDS_KT",
    "BoundarySource",
    "CycloneAdvisorySource",
    "CycloneForecastSource",
    "CycloneSource",
    "ElevationSource",
    "Level",
    "MapSearchSource",
    "PlaceSource",
    "StatisticsSource",
    "WebPageSource",
    "WebSearchSource",
]
