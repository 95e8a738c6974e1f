"""A tool context on a temporary workspace, rasters written for a test, and synthetic shapes (marked as such)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio

from gra_core import Registry, Sources, ToolContext, Workspace
from gra_geo.raster import Raster


@pytest.fixture
def ctx(tmp_path: Path, gra_registry: Registry) -> ToolContext:
    workspace = Workspace(tmp_path / "workspace", gra_registry.formats)
    return ToolContext(workspace=workspace, sources=Sources(gra_registry), call_id="test", tool="test")


@pytest.fixture
def synthetic_raster(tmp_path: Path) -> Callable[..., Raster]:
    """Write an array (rows from north) as a GeoTIFF with its west and north edge and cell size."""

    def write(
        values: Any, west: float, north: float, cell: float = 1.0, crs: str | None = "EPSG:4326", *, south_up: bool = False,
        mask: np.ndarray | None = None, **profile: Any,
    ) -> Raster:  # fmt: skip
        values = np.asarray(values)
        path = tmp_path / f"synthetic-{len(list(tmp_path.glob('*.tif')))}.tif"
        grid = rasterio.transform.from_origin(west, north, cell, cell)
        if south_up:
            grid = rasterio.Affine(cell, 0, west, 0, cell, north - cell * values.shape[0])
            values = values[::-1]
        with rasterio.open(
            path, "w", driver="GTiff", height=values.shape[0], width=values.shape[1], count=1, dtype=values.dtype,
            crs=crs, transform=grid, **profile,
        ) as target:  # fmt: skip
            target.write(values, 1)
            if mask is not None:
                target.write_mask(mask)
        return Raster.open(path)

    return write
