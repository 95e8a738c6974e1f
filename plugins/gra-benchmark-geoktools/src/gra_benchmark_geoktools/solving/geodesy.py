"""Distances, centres and areas on the WGS84 ellipsoid."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from pyproj import Geod, Proj

GEOD = Geod(ellps="WGS84")
# Edges are straight in longitude and latitude; pieces this short stay so under any projection, within a few metres.
MAX_EDGE_DEG = 0.25


def distances_km(lon: float, lat: float, lons: Iterable[float], lats: Iterable[float]) -> np.ndarray:
    """Geodesic distances from one point to many."""
    lons, lats = np.asarray(list(lons), dtype=float), np.asarray(list(lats), dtype=float)
    _, _, metres = GEOD.inv(np.full_like(lons, lon), np.full_like(lats, lat), lons, lats)
    return metres / 1000


def distance_km(a: tuple[float, float], b: tuple[float, float]) -> float:
    """The geodesic distance between two points given as longitude and latitude."""
    return float(distances_km(*a, [b[0]], [b[1]])[0])


def centroids(frame: gpd.GeoDataFrame) -> pd.DataFrame:
    """Centres of area: a table of lon and lat by the frame's index, each found in an equal-area projection around it."""
    rows = [_centroid(geometry) for geometry in frame.geometry]
    return pd.DataFrame(rows, columns=["lon", "lat"], index=frame.index)


def areas_km2(frame: gpd.GeoDataFrame) -> pd.Series:
    """Areas by the frame's index, in an equal-area projection around each region."""
    return pd.Series(
        [_projected(g, _equal_area(g)).area / 1e6 for g in frame.geometry], index=frame.index, dtype=float
    )


def from_point(frame: gpd.GeoDataFrame, lon: float, lat: float) -> gpd.GeoDataFrame:
    """The regions with ``distance_km``, the geodesic distance of each centre of area from a point."""
    centres = centroids(frame)
    return frame.assign(distance_km=distances_km(lon, lat, centres["lon"], centres["lat"]))


def gap_km(frame: gpd.GeoDataFrame, lon: float, lat: float) -> pd.Series:
    """The distance of each region's nearest point from a point (0 inside), by the frame's index.

    Measured in an azimuthal equidistant projection around the point, where distances from the point are true.
    """
    shapes = _projected(frame.geometry.to_numpy(), Proj(proj="aeqd", lat_0=lat, lon_0=lon, ellps="WGS84"))
    return pd.Series(shapely.distance(shapes, shapely.Point(0, 0)) / 1000, index=frame.index)


def circle(lon: float, lat: float, radius_km: float) -> shapely.Polygon:
    """The polygon of points at a distance from a point (away from poles and date line)."""
    azimuths = np.linspace(0, 360, 361)[:-1]
    n = len(azimuths)
    lons, lats, _ = GEOD.fwd(np.full(n, lon), np.full(n, lat), azimuths, np.full(n, radius_km * 1000))
    return shapely.Polygon(np.column_stack([lons, lats]))


def _centroid(geometry: shapely.Geometry) -> tuple[float, float]:
    local = _equal_area(geometry)
    centre = _projected(geometry, local).centroid
    lon, lat = local(centre.x, centre.y, inverse=True)
    return float(lon), float(lat)


def _equal_area(geometry: shapely.Geometry) -> Proj:
    """An equal-area projection around the middle of a geometry."""
    lon, lat = middle(geometry)
    return Proj(proj="laea", lat_0=lat, lon_0=lon, ellps="WGS84")


def _projected(shapes: Any, local: Proj) -> Any:
    """Geometries in a projection, their edges cut so short that they stay straight in longitude and latitude."""
    pieces = shapely.segmentize(shapes, MAX_EDGE_DEG)
    return shapely.transform(pieces, lambda xy: np.column_stack(local(xy[:, 0], xy[:, 1])))


def middle(geometry: shapely.Geometry) -> tuple[float, float]:
    """A point near the middle: the mean direction of the corners, which knows no date line."""
    lon, lat = np.radians(shapely.get_coordinates(geometry)).T
    x, y, z = (np.cos(lat) * np.cos(lon)).mean(), (np.cos(lat) * np.sin(lon)).mean(), np.sin(lat).mean()
    return float(np.degrees(np.arctan2(y, x))), float(np.degrees(np.arctan2(z, np.hypot(x, y))))
