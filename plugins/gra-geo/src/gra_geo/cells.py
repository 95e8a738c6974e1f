"""Rasters, zones and weights in the form that exactextract reads them: windows, WKB, true cell areas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyproj
import shapely
from exactextract.feature import Feature, FeatureSource
from exactextract.raster import RasterSource

from gra_geo.grid import ExactGrid
from gra_geo.raster import Raster, Reader

# Cell areas of one projection that differ by less than this are taken as equal.
EVEN = 0.005


class Cells(RasterSource):
    """A raster, or rows `first` to `last` of it, read in windows and placed on a grid; missing cells are masked."""

    def __init__(
        self, reader: Reader, grid: ExactGrid, name: str = "", rows: tuple[int, int] | None = None
    ) -> None:
        super().__init__()
        self.reader, self.raster, self.grid = reader, reader.raster, grid
        self.first, self.last = rows or (0, self.raster.height)
        if name:
            self.set_name(name)

    def res(self) -> tuple[float, float]:
        return self.grid.dx, self.grid.dy

    def extent(self) -> tuple[float, float, float, float]:
        return self.grid.bounds(self.raster, self.first, self.last)

    def srs_wkt(self) -> str | None:
        return None

    def nodata_value(self) -> Any:
        r = self.raster
        if r.nodata is None or r.scaled or np.isnan(r.nodata):
            return None
        return r.nodata if r.dtype.startswith("float") else int(r.nodata)

    def read_window(self, x0: int, y0: int, nx: int, ny: int) -> np.ndarray:
        if nx == 0 or ny == 0:
            return np.empty((ny, nx), dtype=float if self.raster.scaled else self.raster.dtype)
        values = self.reader.raw(self.first + y0, x0, ny, nx)
        if np.ma.isMaskedArray(values) and not np.ma.is_masked(values):
            values = np.ma.getdata(values)
        return values


class CellAreas(RasterSource):
    """The true area of each cell of a projected grid whose cells are not equal, in nominal cells."""

    def __init__(self, grid: ExactGrid) -> None:
        super().__init__()
        self.grid, self.raster = grid, grid.raster
        crs = self.raster.known_crs
        self.proj = pyproj.Proj(crs)
        self.back = pyproj.Transformer.from_crs(crs, crs.geodetic_crs, always_xy=True)

    def res(self) -> tuple[float, float]:
        return self.grid.dx, self.grid.dy

    def extent(self) -> tuple[float, float, float, float]:
        return self.grid.bounds(self.raster, 0, self.raster.height)

    def srs_wkt(self) -> str | None:
        return None

    def nodata_value(self) -> None:
        return None

    def read_window(self, x0: int, y0: int, nx: int, ny: int) -> np.ndarray:
        cols, rows = _knots(x0, nx), _knots(y0, ny)
        west, _, _, north = self.raster.bounds
        x, y = np.meshgrid(west + cols * self.raster.dx, north - rows * self.raster.dy)
        coarse = 1.0 / self.scale(x, y)
        at_cols = np.stack([np.interp(x0 + np.arange(nx) + 0.5, cols, line) for line in coarse])
        at_rows = np.stack([np.interp(y0 + np.arange(ny) + 0.5, rows, line) for line in at_cols.T]).T
        return np.ascontiguousarray(at_rows)

    def scale(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Areal scale of the projection (map area over true area) at projected coordinates."""
        lon, lat = self.back.transform(x, y)
        return np.asarray(self.proj.get_factors(lon, lat).areal_scale)


def _knots(start: int, count: int) -> np.ndarray:
    """Positions (in cells) at which the slowly changing scale is computed: each centre of few cells, 65 of many."""
    return np.linspace(start + 0.5, start + max(count, 2) - 0.5, min(max(count, 2), 65))


def uneven(raster: Raster, shapes: np.ndarray) -> np.ndarray:
    """Which shapes (in the raster's projected CRS) hold cells whose true areas differ by more than half a percent."""
    if not len(shapes):
        return np.zeros(0, bool)
    west, south, east, north = np.maximum(shapely.bounds(shapes), [*raster.bounds[:2], -np.inf, -np.inf]).T
    east, north = np.minimum(east, raster.bounds[2]), np.minimum(north, raster.bounds[3])
    middle = ((west + east) / 2, (south + north) / 2)
    x = np.stack([west, west, east, east, middle[0]])
    y = np.stack([south, north, south, north, middle[1]])
    scale = CellAreas(ExactGrid.of(raster)).scale(x, y)
    scale = np.where(np.isfinite(scale) & (scale > 0), scale, np.nan)
    with np.errstate(invalid="ignore"):
        spread = np.fmax.reduce(scale) / np.fmin.reduce(scale) - 1.0
    return (west < east) & (south < north) & (np.nan_to_num(spread) > EVEN)


class ZoneFeature(Feature):
    """One zone: its row and its geometry."""

    def __init__(self, row: int, wkb: bytes) -> None:
        super().__init__()
        self.row, self.wkb = row, wkb

    def geometry(self) -> bytes:
        return self.wkb

    def get(self, name: str) -> int:
        return self.row

    def fields(self) -> list[str]:
        return ["row"]


class Zones(FeatureSource):
    """Zones in an order that keeps neighbours together, so that blocks of the file are read once."""

    def __init__(self, shapes: np.ndarray, rows: np.ndarray) -> None:
        super().__init__()
        self.rows, self.wkb = rows, shapely.to_wkb(without_boxes(shapes[rows]))

    def count(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ZoneFeature]:
        for row, wkb in zip(self.rows, self.wkb, strict=True):
            yield ZoneFeature(int(row), bytes(wkb))

    def srs_wkt(self) -> str | None:
        return None


def without_boxes(shapes: np.ndarray) -> np.ndarray:
    """The same polygons, none of them empty; rings that are boxes, of polygons of several rings, have a corner more in a side.

    exactextract 0.3 takes a short way with rings that are boxes, and writes outside its memory when such a ring touches the
    raster (or the window of it in hand) from outside. It leaves out a zone whose only ring does.
    """
    several = (shapely.get_type_id(shapes) == 6) | (shapely.get_num_interior_rings(shapes) > 0)
    polygons, shape = shapely.get_parts(shapes[several], return_index=True)
    some = ~shapely.is_empty(polygons)
    polygons, shape = polygons[some], shape[some]
    rings, polygon = shapely.get_rings(polygons, return_index=True)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    starts = np.searchsorted(ring, np.nonzero(shapely.get_num_coordinates(rings) == 5)[0])
    # Sides of boxes are parallel to an axis, so that their middles are on them exactly.
    starts = starts[(xy[starts] == xy[starts + 1]).any(axis=1)]
    if not len(starts):
        return shapes
    xy = np.insert(xy, starts + 1, (xy[starts] + xy[starts + 1]) / 2, axis=0)
    ring = np.insert(ring, starts + 1, ring[starts])
    polygons = shapely.polygons(shapely.linearrings(xy, indices=ring), indices=polygon)
    out = shapes.copy()
    out[several] = shapely.multipolygons(polygons, indices=shape)
    return out
