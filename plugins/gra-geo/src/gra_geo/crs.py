"""Coordinate reference systems. Everything here is in x, y (longitude, latitude) order, whatever the authority's is."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import geopandas as gpd
import numpy as np
import pyproj
from pyproj.exceptions import CRSError

from gra_core import ToolError

WGS84 = pyproj.CRS.from_epsg(4326)
# The UPS grids take over where the UTM zones end.
UTM_SOUTH, UTM_NORTH = -80.0, 84.0


def parse_crs(value: Any) -> pyproj.CRS:
    """A CRS from an EPSG code, authority string, WKT or PROJ text; `ToolError` ``bad_argument`` when it is none."""
    try:
        return pyproj.CRS.from_user_input(value)
    except (CRSError, TypeError, ValueError) as error:
        raise ToolError(
            "bad_argument",
            f"{str(value)[:80]!r} is not a coordinate reference system",
            hint="give an EPSG code such as EPSG:4326",
        ) from error


def name_of(crs: Any) -> str | None:
    """A short text for a CRS: ``EPSG:4326`` where there is a code, else its name, None when unknown."""
    if crs is None:
        return None
    crs = parse_crs(crs)
    authority = crs.to_authority(min_confidence=70)
    return ":".join(authority) if authority else crs.name


def coded(crs: pyproj.CRS) -> pyproj.CRS:
    """The same CRS by its authority's code where it has one: read from a file it prints as the whole definition, by its
    code as ``EPSG:4326``."""
    return _coded(crs.to_json())


@lru_cache(maxsize=64)
def _coded(definition: str) -> pyproj.CRS:
    crs = pyproj.CRS.from_json(definition)
    authority = crs.to_authority(min_confidence=100)
    named = pyproj.CRS.from_authority(*authority) if authority else crs
    return named if named == crs else crs


def is_wgs84(crs: Any) -> bool:
    """Whether coordinates of this CRS are WGS 84 longitude/latitude as they stand."""
    return _is_wgs84(parse_crs(crs).to_wkt())


@lru_cache(maxsize=64)
def _is_wgs84(wkt: str) -> bool:
    crs = pyproj.CRS.from_wkt(wkt)
    return (crs.is_geographic and crs.equals(WGS84, ignore_axis_order=True)) or crs.to_authority() == (
        "OGC",
        "CRS84",
    )


def to_wgs84(frame: gpd.GeoDataFrame, what: str = "the dataset") -> tuple[gpd.GeoDataFrame, list[str]]:
    """The frame in EPSG:4326 and notes on what was done; `ToolError` when its CRS is unknown."""
    if frame.crs is None:
        raise ToolError(
            "bad_argument",
            f"{what} has no known coordinate reference system, so its coordinates cannot be placed on Earth",
            hint="import it again with crs=… (for example EPSG:4326 when coordinates are longitude/latitude)",
        )
    if is_wgs84(frame.crs):
        return (frame if frame.crs == WGS84 else frame.set_crs(WGS84, allow_override=True)), []
    return frame.to_crs(WGS84), [f"{what}: coordinates converted from {name_of(frame.crs)} to EPSG:4326"]


def transform(x: Any, y: Any, source: Any, target: Any) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates from one CRS to another, x (east, longitude) first on both sides."""
    transformer = pyproj.Transformer.from_crs(parse_crs(source), parse_crs(target), always_xy=True)
    east, north = transformer.transform(np.asarray(x, float), np.asarray(y, float))
    return np.asarray(east), np.asarray(north)


def utm_crs(lon: float, lat: float) -> pyproj.CRS:
    """The WGS 84 UTM zone of a point (the UPS grid near the poles); zones of Norway and Svalbard are the standard ones.

    Longitude 180 belongs to zone 1, as −180 does.
    """
    if not UTM_SOUTH <= lat <= UTM_NORTH:
        return pyproj.CRS.from_epsg(32661 if lat > 0 else 32761)
    lon = (lon + 180.0) % 360.0 - 180.0
    zone = int((lon + 180.0) // 6.0) + 1
    if 56.0 <= lat < 64.0 and 3.0 <= lon < 12.0:
        zone = 32
    elif lat >= 72.0 and 0.0 <= lon < 42.0:
        zone = 31 + 2 * int((lon + 3.0) // 12.0)
    return pyproj.CRS.from_epsg((32600 if lat >= 0 else 32700) + zone)


def local_crs(lon: float, lat: float) -> pyproj.CRS:
    """Azimuthal equidistant projection in metres around a point: distances from the point are geodesic."""
    return pyproj.CRS.from_proj4(f"+proj=aeqd +lat_0={lat!r} +lon_0={lon!r} +datum=WGS84 +units=m +type=crs")


def equal_area_crs(lon: float, lat: float) -> pyproj.CRS:
    """Lambert azimuthal equal-area projection in metres around a point."""
    return pyproj.CRS.from_proj4(f"+proj=laea +lat_0={lat!r} +lon_0={lon!r} +datum=WGS84 +units=m +type=crs")
