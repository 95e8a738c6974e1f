"""Zones of very many cells in pieces: bands of the raster's rows, whose statistics are put together again.

Pieces depend on the raster and the zone alone, so that results do not depend on where and in how many parts they are
computed. They have about as many cells as exactextract itself takes at a time. Only some statistics can be put together.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from gra_geo.extraction import WINDOW_CELLS, operations, result_of
from gra_geo.raster import Raster

STATS = ("mean", "sum", "min", "max", "stdev", "variance")
# Bands begin with the rows of blocks: of tiles, that is, since strips are lower.
BLOCK_ROWS = 256

Band = tuple[int, int]


def bands_of(raster: Raster, bounds: np.ndarray) -> list[Band]:
    """First and past-the-last rows of the pieces of a zone with `bounds` on the grid; all rows when it stays whole."""
    west, south, east, north = np.clip(bounds, np.tile(raster.bounds[:2], 2), np.tile(raster.bounds[2:], 2))
    cols = max(1.0, (east - west) / raster.dx)
    step = max(1, int(WINDOW_CELLS / cols / BLOCK_ROWS)) * BLOCK_ROWS
    first, last = ((raster.bounds[3] - y) / raster.dy for y in (north, south))
    edges = np.arange(step * (int(first) // step + 1), last, step, dtype=int)
    if not len(edges) or (last - first) * cols <= WINDOW_CELLS:
        return [(0, raster.height)]
    return list(pairwise([0, *edges.tolist(), raster.height]))


def piece_operations(weighting: str) -> list[str]:
    """What is asked about a piece, in exactextract's words."""
    weight = "count" if weighting == "fraction" else f"count(coverage_weight={weighting})"
    return [*operations([s for s in STATS if s != "stdev"], weighting), f"weight={weight}"]


def piece_of(result: dict[str, Any]) -> np.ndarray:
    """Cells, weight, mean, variance, sum, lowest and highest of a piece."""
    sizes = [float(result.get(name) or 0.0) for name in ("cells", "weight")]
    return np.array([*sizes, *(result_of(result, s) for s in ("mean", "variance", "sum", "min", "max"))])


def combined(pieces: list[np.ndarray], stats: list[str]) -> np.ndarray:
    """The statistics of a zone (NaN where there are none) and its number of cells.

    Means and variances after Chan, Golub and LeVeque 1979, Updating formulae and a pairwise algorithm for computing sample
    variances, Stanford CS-79-773.
    """
    table = np.array(pieces)
    table = table[table[:, 0] > 0]
    if not len(table):
        return np.array([*[np.nan] * len(stats), 0.0])
    cells, weight, means, variances, sums, low, high = table.T
    mean = (weight @ means) / weight.sum()
    variance = (weight @ (variances + (means - mean) ** 2)) / weight.sum()
    found = {
        "mean": mean, "sum": sums.sum(), "min": low.min(), "max": high.max(), "variance": variance, "stdev": np.sqrt(variance)
    }  # fmt: skip
    return np.array([*(found[s] for s in stats), cells.sum()])
