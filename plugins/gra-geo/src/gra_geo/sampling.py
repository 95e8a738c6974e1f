"""Values of a raster at points and in boxes of longitude and latitude."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from gra_geo.crs import name_of

if TYPE_CHECKING:
    from gra_geo.antimeridian import Box
    from gra_geo.raster import Raster, Reader


def sample(raster: Raster, lon: Any, lat: Any, *, bilinear: bool = False) -> np.ndarray:
    """See `Raster.sample`."""
    col, row = raster.to_grid(np.atleast_1d(lon), np.atleast_1d(lat))
    values = np.full(col.shape, np.nan)
    inside = (col >= 0) & (col <= raster.width) & (row >= 0) & (row <= raster.height)
    if not inside.any():
        return values
    with raster.reading() as reader:
        for index, window in _groups(col, row, inside):
            values[index] = _pick(raster, reader, col[index], row[index], window, bilinear)
    return values


def select(raster: Raster, bounds: Box) -> xr.DataArray:
    """See `Raster.select`."""
    west, south, east, north = bounds
    cols, lon = _columns(raster, west, east if east >= west else east + 360.0)
    lat = raster.bounds[3] - (np.arange(raster.height) + 0.5) * raster.dy
    rows = np.nonzero((lat >= south - 1e-9) & (lat <= north + 1e-9))[0]
    values = np.full((len(rows), len(cols)), np.nan)
    if values.size:
        with raster.reading() as reader:
            for target, first, count in _spans(cols):
                values[:, target : target + count] = reader.read(int(rows[0]), first, len(rows), count)
    return xr.DataArray(
        values,
        dims=("y", "x"),
        coords={"y": lat[rows], "x": lon},
        attrs={"crs": name_of(raster.crs), "nodata": math.nan},
    )


def _columns(raster: Raster, west: float, east: float) -> tuple[np.ndarray, np.ndarray]:
    """Columns with centres from west to east, in that order, and their longitudes in that range."""
    centres = raster.bounds[0] + (np.arange(raster.width) + 0.5) * raster.dx
    lon = west + (centres - west + 1e-9) % 360.0 - 1e-9
    keep = np.nonzero(lon <= east + 1e-9)[0]
    order = keep[np.argsort(lon[keep], kind="stable")]
    return order, np.round(lon[order], 10)


def _groups(
    col: np.ndarray, row: np.ndarray, inside: np.ndarray, side: int = 1024
) -> Iterator[tuple[np.ndarray, tuple[int, int]]]:
    """Points by tile of the raster, so that scattered points read small windows."""
    index = np.nonzero(inside)[0]
    tiles = np.column_stack([row[index] // side, col[index] // side]).astype(int)
    keys, owner = np.unique(tiles, axis=0, return_inverse=True)
    for number, key in enumerate(keys):
        yield index[owner.ravel() == number], (int(key[0]) * side, int(key[1]) * side)


def _pick(
    raster: Raster, reader: Reader, col: np.ndarray, row: np.ndarray, window: tuple[int, int], bilinear: bool
) -> np.ndarray:
    top = max(0, int(np.floor(row.min() - 0.5)))
    bottom = min(raster.height, int(np.floor(row.max() + 0.5)) + 1)
    turn = bilinear and raster.around_the_world
    left = 0 if turn else max(0, int(np.floor(col.min() - 0.5)))
    right = raster.width if turn else min(raster.width, int(np.floor(col.max() + 0.5)) + 1)
    cells = reader.read(top, left, bottom - top, right - left)
    i = np.clip(np.floor(row).astype(int), 0, raster.height - 1) - top
    j = np.clip(np.floor(col).astype(int), 0, raster.width - 1) - left
    nearest = cells[i, j]
    if not bilinear:
        return nearest
    y, x = row - 0.5 - top, col - 0.5 - left
    rows = [np.clip(np.floor(y).astype(int) + d, 0, cells.shape[0] - 1) for d in (0, 1)]
    cols = [np.floor(x).astype(int) + d for d in (0, 1)]
    cols = [c % raster.width if turn else np.clip(c, 0, cells.shape[1] - 1) for c in cols]
    fy, fx = y - np.floor(y), x - np.floor(x)
    top_row = cells[rows[0], cols[0]] * (1 - fx) + cells[rows[0], cols[1]] * fx
    low_row = cells[rows[1], cols[0]] * (1 - fx) + cells[rows[1], cols[1]] * fx
    mixed = top_row * (1 - fy) + low_row * fy
    return np.where(np.isnan(mixed), nearest, mixed)


def _spans(cols: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Runs of neighbouring columns: position in the result, first column, number."""
    if len(cols):
        breaks = np.nonzero(np.diff(cols) != 1)[0] + 1
        for start, stop in zip([0, *breaks], [*breaks, len(cols)], strict=True):
            yield int(start), int(cols[start]), int(stop - start)
