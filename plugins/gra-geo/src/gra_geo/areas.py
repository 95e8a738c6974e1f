"""Statistics of the zones that have an area, worked on in parts: many zones, and large ones in pieces."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

import numpy as np
import rasterio
import shapely
from attrs import frozen

from gra_core import map_parts
from gra_geo.cells import CellAreas, Cells, Zones
from gra_geo.extraction import operations, result_of, run
from gra_geo.grid import ExactGrid
from gra_geo.parts import Files, shares
from gra_geo.pieces import STATS as PIECED
from gra_geo.pieces import Band, bands_of, combined, piece_of, piece_operations
from gra_geo.raster import Raster

CACHE_MB = 128
# What a zone costs beside its cells, in cells (measured).
ZONE_CELLS = 20_000


@frozen(kw_only=True)
class _Part:
    """Zones with an area and pieces of such, neighbours together, and what is asked about them."""

    raster: Raster
    stats: list[str]
    weighting: Raster | str
    shapes: np.ndarray
    bands: list[Band]
    odd: np.ndarray
    files: Files


def statistics_of_areas(
    raster: Raster, shapes: np.ndarray, stats: list[str], weighting: Raster | str, odd: np.ndarray
) -> tuple[list[int], np.ndarray]:
    """Statistics of the shapes (on the raster's grid) that have an area: their rows, and an array of a row a shape.

    Its columns are `stats` (NaN where there are none) and the number of valid cells. `weighting` is a coverage weight of
    exactextract or a raster of weights; the cells of `odd` shapes are weighted by their true area.
    """
    bounds = shapely.bounds(shapes)
    divisible = isinstance(weighting, str) and set(stats) <= set(PIECED)
    whole = [(0, raster.height)]
    pieces = {
        int(row): bands_of(raster, bounds[row]) if divisible and not odd[row] else whole
        for row in _tour(raster, shapes)
    }
    if not pieces:
        return [], np.empty((0, len(stats) + 1))
    rows = np.repeat(list(pieces), [len(bands) for bands in pieces.values()])
    bands = list(chain.from_iterable(pieces.values()))
    files = Files.of(raster, *([weighting] if isinstance(weighting, Raster) else []))
    parts = [
        _Part(
            raster=raster, stats=stats, weighting=weighting, files=files, shapes=shapes[rows[share]], bands=bands[share],
            odd=odd[rows[share]],
        )
        for share in shares(_work(raster, bounds[rows], np.array(bands)))
    ]  # fmt: skip
    results = chain.from_iterable(map_parts(_areas, parts))
    found = np.array([_joined(list(islice(results, len(bands))), stats) for bands in pieces.values()])
    return list(pieces), found


def _joined(results: list[np.ndarray], stats: list[str]) -> np.ndarray:
    return results[0] if len(results) == 1 else combined(results, stats)


def _areas(part: _Part) -> list[np.ndarray]:
    """Of each zone the statistics (NaN where there are none) and the number of valid cells; see `piece_of` for pieces."""
    part.files.check()
    grid = ExactGrid.of(part.raster)
    shapes, rows = grid.shapes(part.shapes), np.arange(len(part.shapes))
    whole = np.array([band == (0, part.raster.height) for band in part.bands])
    found: dict[int, dict[str, Any]] = {}
    with rasterio.Env(GDAL_CACHEMAX=CACHE_MB), part.raster.reading() as reader:
        values = Cells(reader, grid)
        if isinstance(part.weighting, Raster):
            with part.weighting.reading() as other:
                ops = operations(part.stats, "fraction", weighted=True)
                found = run(values, Cells(other, grid, "weight"), Zones(shapes, rows), ops)
        else:
            ops = operations(part.stats, part.weighting)
            found = run(values, None, Zones(shapes, rows[whole & ~part.odd]), ops)
            if part.odd.any():
                ops = operations(part.stats, part.weighting, weighted=True)
                found |= run(values, CellAreas(grid), Zones(shapes, rows[part.odd]), ops)
            for row in rows[~whole]:
                cells = Cells(reader, grid, rows=part.bands[row])
                found |= run(cells, None, Zones(shapes, np.array([row])), piece_operations(part.weighting))
    return [
        _statistics(found[row], part.stats) if whole[row] else piece_of(found[row])
        for row in range(len(rows))
    ]


def _statistics(result: dict[str, Any], stats: list[str]) -> np.ndarray:
    cells = float(result.get("cells") or 0.0)
    return np.array([*((result_of(result, s) if cells > 0 else np.nan) for s in stats), cells])


def _work(raster: Raster, bounds: np.ndarray, bands: np.ndarray) -> np.ndarray:
    """About how much work each zone or piece is, in cells: those of its bounds, and a cost of its own."""
    west, south, east, north = bounds.T
    top, bottom = raster.bounds[3] - bands.T * raster.dy
    width = np.clip(np.minimum(east, raster.bounds[2]) - np.maximum(west, raster.bounds[0]), 0.0, None)
    height = np.clip(np.minimum(north, top) - np.maximum(south, bottom), 0.0, None)
    return width * height / (raster.dx * raster.dy) + ZONE_CELLS


def _tour(raster: Raster, shapes: np.ndarray, side: int = 512) -> np.ndarray:
    """Rows of the zones with an area, neighbours together: along rows of tiles of the raster, back and forth."""
    rows = np.nonzero((shapely.get_dimensions(shapes) == 2) & (shapely.area(shapes) > 0))[0]
    bounds = shapely.bounds(shapes[rows])
    row = np.floor((raster.bounds[3] - bounds[:, 3]) / raster.dy / side)
    col = (bounds[:, 0] - raster.bounds[0]) / raster.dx
    return rows[np.lexsort((np.where(row % 2 == 0, col, -col), row))]
