"""Size and centre of regions."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import shapely

from gra_core import Column
from gra_geo.geodesy import area_m2, centroids

COLUMNS = {
    "area_km2": Column(
        unit="km²",
        quantity="count",
        description="geodesic area on the WGS 84 ellipsoid, inland water included",
    ),
    "centroid_lon": Column(unit="degrees east", description="centre of area"),
    "centroid_lat": Column(unit="degrees north", description="centre of area"),
}


def measured(regions: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """The regions (EPSG:4326) with their geodesic area in km² and the longitude and latitude of their centre of area."""
    centres = centroids(regions.geometry)
    return regions.assign(
        area_km2=area_m2(regions.geometry) / 1e6,
        centroid_lon=shapely.get_x(centres),
        centroid_lat=shapely.get_y(centres),
    )


def summary_rows(regions: gpd.GeoDataFrame, limit: int) -> list[dict[str, Any]]:
    """The first measured regions as small rows: id, name, level, parent, area and centre."""
    return [
        {
            "region_id": r.region_id, "name": r.name, "level": r.level, "parent_name": r.parent_name, "area_km2": round(float(r.area_km2), 3),
            "centroid": [round(float(r.centroid_lon), 6), round(float(r.centroid_lat), 6)],
        }
        for r in regions.head(limit).itertuples(index=False)
    ]  # fmt: skip
