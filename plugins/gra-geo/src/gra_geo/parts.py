"""Raster work in parts: how it is shared out, and whether a part has the files it was made for.

Work in parts may run in other processes and on other machines (`gra_core.map_parts`); every part opens its rasters itself.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from attrs import frozen

from gra_core import part_count
from gra_geo.raster import Raster

# Work that is worth a part of its own, in cells: half a tenth of a second of reading and averaging.
WORTH_CELLS = 2_000_000


@frozen
class Files:
    """Files with their sizes: another machine may have another file by the same name."""

    sizes: tuple[tuple[Path, int], ...]

    @classmethod
    def of(cls, *rasters: Raster) -> Files:
        return cls(tuple((r.path, _size(r.path)) for r in rasters))

    def check(self) -> None:
        """`FileNotFoundError` where the files are missing or are other ones, so that the part is done where they are."""
        for path, size in self.sizes:
            if _size(path) != size:
                raise FileNotFoundError(f"{path.name} is not the file of {size} bytes that this part reads")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else -1


def shares(work: np.ndarray) -> list[slice]:
    """Neighbouring items in as many parts as are worth it, about equal in `work` (in cells)."""
    total = float(work.sum())
    most = min(int(total // WORTH_CELLS), len(work))
    if most < 2 or (count := min(most, part_count())) < 2:
        return [slice(0, len(work))]
    cuts = np.searchsorted(np.cumsum(work), total * np.arange(1, count) / count)
    ends = np.unique([0, *cuts, len(work)]).tolist()
    return [slice(a, b) for a, b in pairwise(ends)]
