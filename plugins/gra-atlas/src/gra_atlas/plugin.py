"""Registers the embedded data as sources."""

from __future__ import annotations

from gra_atlas.files import joined, snapshot
from gra_core import Source, hookimpl

REGIONS = ("regions_us.parquet", "regions_world.parquet")
PLACES = ("cities.parquet", "airports.parquet", "landmarks.csv")
STATISTICS = ("statistics.parquet", "variables.parquet")
ELEVATION = ("dem_jacksboro.tif", "dem_alps.tif", "dem_himalaya.tif", "elevation.tif")


@hookimpl
def gra_sources() -> list[Source]:
    """Boundaries, places, statistics, cyclones and elevation."""
    return [
        _source(
            "boundaries", "atlas", "gra_atlas.boundaries:AtlasBoundaries", REGIONS,
            title="US states and counties, countries, states of Australia, Brazil and Canada (Census 2017, Natural Earth)",
            coverage="World: countries; USA: states and counties; Australia, Brazil, Canada: states",
            resolution="generalised outlines, 1:10,000,000 (US) and 1:50,000,000", period="2017-2018",
            url="https://www.naturalearthdata.com/",
        ),
        _source(
            "places", "atlas", "gra_atlas.places:AtlasPlaces", PLACES,
            title="Cities (GeoNames), airports (airportsdata) and landmarks",
            coverage="World: 69,000 places of 5,000 people and more, 28,000 airports, 73 landmarks",
            resolution="points", period="2026", url="https://www.geonames.org/",
        ),
        _source(
            "places", "osm-helsinki", "gra_atlas.helsinki:HelsinkiPlaces", ("helsinki_pois.parquet",),
            title="Points of interest of central Helsinki (OpenStreetMap)", coverage="Helsinki: 24.935-24.953 E, 60.164-60.179 N",
            resolution="points", period="2019", url="https://www.openstreetmap.org/copyright", priority=-50,
        ),
        _source(
            "statistics", "atlas", "gra_atlas.statistics:AtlasStatistics", STATISTICS,
            title="World Bank, UN, Gapminder, US census 1990 (Midwest), BLS 2009 and other open statistics",
            coverage="Countries 1950-2100; US states 2009; US counties 2009 (unemployment), 1990 (Midwest)",
            resolution="country, state, county", period="1950-2100 (2025 and later are projections)",
            url="https://datacommons.org/",
        ),
        _source(
            "cyclones", "atlas", "gra_atlas.cyclones:AtlasCyclones", ("cyclones.parquet",),
            title="IBTrACS best tracks", coverage="All basins; names of Atlantic storms only",
            resolution="6-hourly", period="1980-2024",
            url="https://www.ncei.noaa.gov/products/international-best-track-archive",
        ),
        _source(
            "elevation", "atlas", "gra_atlas.elevation:AtlasElevation", ELEVATION,
            title="Land elevation: world, Alps, Nepal, and one local model",
            coverage="Land without Antarctica and Greenland; Alps, Nepal and Jacksboro (Tennessee) in more detail",
            resolution="9 km; Alps and Nepal 0.9 km; Jacksboro 90 m", period="1999-2017",
            url="https://github.com/tilezen/joerd/blob/master/docs/attribution.md",
        ),
    ]  # fmt: skip


def _source(
    kind: str,
    name: str,
    factory: str,
    data: tuple[str, ...],
    *,
    title: str,
    coverage: str,
    resolution: str,
    period: str,
    url: str,
    priority: int = 0,
) -> Source:
    return Source(
        kind=kind, name=name, factory=factory, title=title, coverage=coverage, resolution=resolution, period=period,
        licence=joined("licence", *data), attribution=joined("attribution", *data), url=url, priority=priority,
        snapshot=snapshot(*data),
    )  # fmt: skip
