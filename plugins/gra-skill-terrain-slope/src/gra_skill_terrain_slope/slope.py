"""Slope of an elevation model, computed window by window as cells are read.

Horn's formula (Horn 1981, Hill shading and the reflectance map, Proceedings of the IEEE 69): gradients from the eight
neighbours, weighted 1-2-1. Distances between cells are true ones: on longitude/latitude grids they follow the ellipsoid,
in projections the scale is taken out. A missing neighbour is given the cell's own height.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyproj
from attrs import asdict, frozen

from gra_geo.ellipsoid import E2, GEOD, A
from gra_geo.raster import Raster, Reader


@frozen(kw_only=True, slots=False)
class Slope(Raster):
    """The slope of an elevation raster (heights in metres) in `units`: ``percent`` (100 × rise / run) or ``degrees``."""

    source: Raster
    units: str = "percent"

    @classmethod
    def of(cls, raster: Raster, units: str) -> Slope:
        """The slope raster of an elevation raster."""
        grid = asdict(raster, recurse=False) | {
            "dtype": "float64",
            "nodata": None,
            "unit": units,
            "scale": 1.0,
            "offset": 0.0,
            "masked": False,
        }
        return cls(**grid, source=raster, units=units)

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        with self.source.reading() as reader:
            yield _SlopeReader(self, reader)


class _SlopeReader(Reader):
    def __init__(self, slope: Slope, heights: Reader) -> None:
        super().__init__(slope, heights.data)
        self.slope, self.heights = slope, heights

    def raw(self, row: int, col: int, rows: int, cols: int) -> np.ndarray:
        block = with_margin(self.heights, self.slope.source, row, col, rows, cols)
        dx, dy = cell_sizes(self.slope.source, row, col, rows, cols)
        rise = horn(block, dx, dy)
        return 100.0 * rise if self.slope.units == "percent" else np.degrees(np.arctan(rise))


def with_margin(reader: Reader, raster: Raster, row: int, col: int, rows: int, cols: int) -> np.ndarray:
    """Heights of a window and of one cell around it; NaN outside the raster, round the Earth where the grid closes."""
    block = np.full((rows + 2, cols + 2), np.nan)
    top, bottom = max(0, row - 1), min(raster.height, row + rows + 1)
    left, right = max(0, col - 1), min(raster.width, col + cols + 1)
    first = top - (row - 1)
    block[first : first + bottom - top, left - (col - 1) : right - (col - 1)] = reader.read(
        top, left, bottom - top, right - left
    )
    if raster.around_the_world:
        if col == 0:
            block[first : first + bottom - top, :1] = reader.read(top, raster.width - 1, bottom - top, 1)
        if col + cols == raster.width:
            block[first : first + bottom - top, -1:] = reader.read(top, 0, bottom - top, 1)
    return block


def horn(block: np.ndarray, dx: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """Rise over run of the inner cells of a block of heights; `dx` and `dy` are cell sizes in metres (broadcast)."""
    centre = block[1:-1, 1:-1]

    def at(down: int, right: int) -> np.ndarray:
        part = block[1 + down : block.shape[0] - 1 + down, 1 + right : block.shape[1] - 1 + right]
        return np.where(np.isnan(part), centre, part)

    east = at(-1, 1) + 2 * at(0, 1) + at(1, 1)
    west = at(-1, -1) + 2 * at(0, -1) + at(1, -1)
    south = at(1, -1) + 2 * at(1, 0) + at(1, 1)
    north = at(-1, -1) + 2 * at(-1, 0) + at(-1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        across = np.where(dx > 1e-6, (east - west) / (8.0 * dx), 0.0)
        rise = np.hypot(across, (south - north) / (8.0 * dy))
    # The formula does not look at the cell itself.
    return np.where(np.isnan(centre), np.nan, rise)


def cell_sizes(raster: Raster, row: int, col: int, rows: int, cols: int) -> tuple[np.ndarray, np.ndarray]:
    """True width and height of cells in metres, to be broadcast over a window."""
    if raster.geographic:
        lat = np.radians(raster.bounds[3] - (row + np.arange(rows) + 0.5) * raster.dy)
        w = np.sqrt(1.0 - E2 * np.sin(lat) ** 2)
        dx = A / w * np.cos(lat) * np.radians(raster.dx)
        dy = A * (1.0 - E2) / w**3 * np.radians(raster.dy)
        return np.abs(dx)[:, None], dy[:, None]
    return _projected_sizes(raster, row, col, rows, cols)


def _projected_sizes(
    raster: Raster, row: int, col: int, rows: int, cols: int
) -> tuple[np.ndarray, np.ndarray]:
    """Cell sizes at a few rows and columns from geodesics between neighbouring centres, interpolated."""
    at_rows = (
        np.linspace(row, row + rows - 1, max(2, rows // 128 + 2)) if rows > 1 else np.array([row, row + 1.0])
    )
    at_cols = (
        np.linspace(col, col + cols - 1, max(2, cols // 128 + 2)) if cols > 1 else np.array([col, col + 1.0])
    )
    x, y = np.meshgrid(
        raster.bounds[0] + (at_cols + 0.5) * raster.dx, raster.bounds[3] - (at_rows + 0.5) * raster.dy
    )
    back = pyproj.Transformer.from_crs(raster.known_crs, "EPSG:4326", always_xy=True)
    widths = _apart(back, x - raster.dx / 2, y, x + raster.dx / 2, y)
    heights = _apart(back, x, y - raster.dy / 2, x, y + raster.dy / 2)
    return tuple(_spread(v, at_rows, at_cols, row, col, rows, cols) for v in (widths, heights))  # type: ignore[return-value]


def _apart(back: Any, x1: np.ndarray, y1: np.ndarray, x2: np.ndarray, y2: np.ndarray) -> np.ndarray:
    return np.asarray(GEOD.inv(*back.transform(x1, y1), *back.transform(x2, y2))[2], float)


def _spread(
    coarse: np.ndarray, at_rows: np.ndarray, at_cols: np.ndarray, row: int, col: int, rows: int, cols: int
) -> np.ndarray:
    wide = np.stack([np.interp(col + np.arange(cols), at_cols, line) for line in coarse])
    return np.stack([np.interp(row + np.arange(rows), at_rows, line) for line in wide.T]).T
