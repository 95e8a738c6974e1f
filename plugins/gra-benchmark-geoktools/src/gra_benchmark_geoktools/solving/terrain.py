"""Elevation and slope of rasters in longitude and latitude, inside polygons and along lines."""

from __future__ import annotations

import numpy as np
import pandas as pd
import rasterio
import shapely
from attrs import frozen
from pyproj import Geod
from rasterio.windows import Window

from gra_core import IllPosed

GEOD = Geod(ellps="WGS84")
# More than this share of a region without data leaves its mean unclear.
MAX_MISSING = 0.1


@frozen(eq=False)
class Patch:
    """A part of a raster: values (rows from north to south, NaN for nodata) and the edges of its cells in degrees."""

    values: np.ndarray
    lons: np.ndarray
    lats: np.ndarray

    @property
    def centres(self) -> tuple[np.ndarray, np.ndarray]:
        return (self.lons[:-1] + self.lons[1:]) / 2, (self.lats[:-1] + self.lats[1:]) / 2


def read_patch(path: str, bounds: tuple[float, float, float, float], border: int = 0) -> Patch:
    """The cells of a raster that a box touches, and `border` more on each side; `IllPosed` when the box leaves it."""
    west, south, east, north = bounds
    with rasterio.open(path) as raster:
        left, top = ~raster.transform @ (west, north)
        right, bottom = ~raster.transform @ (east, south)
        first_col, first_row = int(np.floor(left)) - border, int(np.floor(top)) - border
        last_col, last_row = int(np.ceil(right)) + border, int(np.ceil(bottom)) + border
        if first_col < 0 or first_row < 0 or last_col > raster.width or last_row > raster.height:
            raise IllPosed("the region reaches beyond the elevation raster")
        window = Window(first_col, first_row, last_col - first_col, last_row - first_row)
        values = raster.read(1, window=window, masked=True).astype(float).filled(np.nan)
        step_x, step_y = raster.transform.a, raster.transform.e
        lons = raster.transform.c + step_x * np.arange(first_col, last_col + 1)
        lats = raster.transform.f + step_y * np.arange(first_row, last_row + 1)
    return Patch(values, lons, lats)


def coverage_km2(patch: Patch, geometry: shapely.Geometry) -> np.ndarray:
    """The area of each cell inside a geometry: covered share times the cell's size at its latitude."""
    boxes = shapely.box(
        patch.lons[None, :-1], patch.lats[1:, None], patch.lons[None, 1:], patch.lats[:-1, None]
    )
    shapely.prepare(geometry)
    share = shapely.contains_properly(geometry, boxes).astype(float)
    edge = (share == 0) & shapely.intersects(geometry, boxes)
    share[edge] = shapely.area(shapely.intersection(boxes[edge], geometry)) / shapely.area(boxes[edge])
    return share * cell_heights_km(patch)[:, None] * cell_widths_km(patch)[:, None]


def cell_widths_km(patch: Patch) -> np.ndarray:
    """East-west size of the cells of each row."""
    lats = patch.centres[1]
    _, _, metres = GEOD.inv(np.full_like(lats, patch.lons[0]), lats, np.full_like(lats, patch.lons[1]), lats)
    return metres / 1000


def cell_heights_km(patch: Patch) -> np.ndarray:
    """North-south size of the cells of each row."""
    north, south = patch.lats[:-1], patch.lats[1:]
    lon = np.full_like(north, patch.lons[0])
    return GEOD.inv(lon, north, lon, south)[2] / 1000


def zonal_mean(values: np.ndarray, weights: np.ndarray) -> float:
    """Mean of a patch weighted by covered area, over the cells with data; `IllPosed` when too many have none."""
    known = np.isfinite(values)
    total, covered = weights.sum(), weights[known].sum()
    if total <= 0 or covered < (1 - MAX_MISSING) * total:
        raise IllPosed("the elevation of a part of the region is not known")
    return float((values[known] * weights[known]).sum() / covered)


def mean_elevation(path: str, geometry: shapely.Geometry) -> float:
    """Area-weighted mean elevation of a region in metres."""
    patch = read_patch(path, geometry.bounds)
    return zonal_mean(patch.values, coverage_km2(patch, geometry))


def slopes_deg(patch: Patch) -> np.ndarray:
    """Slope of the inner cells by Horn's third-order differences (Horn 1981); NaN beside nodata and in the border."""
    z = patch.values
    slope = np.full_like(z, np.nan)
    width, height = cell_widths_km(patch)[1:-1, None] * 1000, cell_heights_km(patch)[1:-1, None] * 1000
    west = z[:-2, :-2] + 2 * z[1:-1, :-2] + z[2:, :-2]
    east = z[:-2, 2:] + 2 * z[1:-1, 2:] + z[2:, 2:]
    north = z[:-2, :-2] + 2 * z[:-2, 1:-1] + z[:-2, 2:]
    south = z[2:, :-2] + 2 * z[2:, 1:-1] + z[2:, 2:]
    slope[1:-1, 1:-1] = np.degrees(
        np.arctan(np.hypot((east - west) / (8 * width), (north - south) / (8 * height)))
    )
    return slope


def mean_slope(path: str, geometry: shapely.Geometry) -> float:
    """Area-weighted mean slope of a region in degrees."""
    patch = read_patch(path, geometry.bounds, border=1)
    return zonal_mean(slopes_deg(patch), coverage_km2(patch, geometry))


def profile(
    path: str, start: tuple[float, float], end: tuple[float, float], spacing_m: float
) -> pd.DataFrame:
    """Elevations every `spacing_m` along the geodesic from one point to another, the end included: distance_km and
    elevation_m, bilinear between the centres of cells; `IllPosed` where data is missing."""
    azimuth, _, length = GEOD.inv(*start, *end)
    along = np.append(np.arange(0.0, length, spacing_m), length)
    n = len(along)
    lons, lats, _ = GEOD.fwd(np.full(n, start[0]), np.full(n, start[1]), np.full(n, azimuth), along)
    lons, lats = np.asarray(lons), np.asarray(lats)
    patch = read_patch(path, (lons.min(), lats.min(), lons.max(), lats.max()), border=1)
    values = bilinear(patch, lons, lats)
    if not np.isfinite(values).all():
        raise IllPosed("the elevation of a part of the line is not known")
    return pd.DataFrame({"distance_km": along / 1000, "elevation_m": values})


def bilinear(patch: Patch, lons: np.ndarray, lats: np.ndarray) -> np.ndarray:
    """Values between the centres of cells."""
    x, y = patch.centres
    col = np.clip(np.searchsorted(x, lons) - 1, 0, len(x) - 2)
    row = np.clip(np.searchsorted(-y, -lats) - 1, 0, len(y) - 2)
    u, v = (lons - x[col]) / (x[col + 1] - x[col]), (lats - y[row]) / (y[row + 1] - y[row])
    z = patch.values
    upper, lower = (z[r, col] * (1 - u) + z[r, col + 1] * u for r in (row, row + 1))
    return upper * (1 - v) + lower * v
