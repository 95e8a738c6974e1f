"""Grids on which corners of zones and edges of cells meet exactly.

exactextract 0.3 finds where an edge enters and leaves a cell by comparing coordinates. Where a corner of a zone lies on a
corner of a cell but for rounding, it may find them in the wrong order, and count the whole cell instead of none of it, or
none instead of the whole. Zones drawn along cells (blocks, tiles, polygonized rasters, round coordinates) have many such
corners. On these grids a corner is on an edge of a cell, to the last bit, or well away from it.
"""

from __future__ import annotations

import math

import numpy as np
import shapely
from attrs import frozen

from gra_geo.raster import Box, Raster
from gra_geo.validity import polygons_of

# Corners closer than this to an edge of a cell, in cells, are on it: more than rounding, less than single precision shows.
ON_EDGE = 1e-7


@frozen(kw_only=True)
class ExactGrid:
    """A raster's grid, moved by rounding so that the coordinates of all edges of its cells are exact numbers.

    Zones are moved with it, so that they cover the same shares of the same cells.
    """

    raster: Raster
    west: float
    north: float
    dx: float
    dy: float

    @classmethod
    def of(cls, raster: Raster) -> ExactGrid:
        # Sums and differences of multiples of the unit are exact below 2⁵³ units; a grid is at most twice as wide as its reach.
        unit = 2.0 ** (math.frexp(max(map(abs, raster.bounds)))[1] - 51)
        west, north, dx, dy = (
            round(v / unit) * unit for v in (raster.bounds[0], raster.bounds[3], raster.dx, raster.dy)
        )
        return cls(raster=raster, west=west, north=north, dx=dx, dy=dy)

    def bounds(self, raster: Raster, first: int, last: int) -> Box:
        """West, south, east and north on this grid of rows `first` to `last` of a raster that has the same cells."""
        west, north = self._moved(np.array([[raster.bounds[0], raster.bounds[3]]]))[0][0].tolist()
        return west, north - last * self.dy, west + raster.width * self.dx, north - first * self.dy

    def shapes(self, shapes: np.ndarray) -> np.ndarray:
        """Polygons in the raster's CRS, on this grid; gaps and spikes that are no wider than rounding are closed."""
        xy, owner = shapely.get_coordinates(shapes, return_index=True)
        places, changed = self._moved(xy)
        moved = shapely.set_coordinates(shapes.copy(), places)
        rows = np.unique(owner[changed])
        for row in rows[~shapely.is_valid(moved[rows])]:
            mended = polygons_of(shapely.make_valid(moved[row]))
            # A zone so small that nothing is left of it stays as it was.
            moved[row] = (
                shapely.transform(shapes[row], lambda xy: self._at(self._cells(xy)))
                if mended.is_empty
                else mended
            )
        return moved

    def _moved(self, xy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates (an array of two columns) in the raster's CRS, on this grid; and which were put on an edge."""
        cells = self._cells(xy)
        edges = np.rint(cells)
        near = np.abs(cells - edges) < ON_EDGE
        return self._at(np.where(near, edges, cells)), near.any(axis=1)

    def _cells(self, xy: np.ndarray) -> np.ndarray:
        return (xy - (self.raster.bounds[0], self.raster.bounds[3])) / (self.raster.dx, -self.raster.dy)

    def _at(self, cells: np.ndarray) -> np.ndarray:
        return cells * (self.dx, -self.dy) + (self.west, self.north)
