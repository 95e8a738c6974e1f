"""Synthetic elevation models written as GeoTIFF files, and tool calls on source `geotiff`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio

from gra_core import Registry, Sources, ToolContext, ToolError, ToolResult, Workspace


@pytest.fixture
def synthetic_dem(tmp_path: Path) -> Callable[..., Path]:
    """Write heights (rows from north) as a GeoTIFF; returns its path."""

    def write(
        values: Any,
        west: float,
        north: float,
        cell: float,
        crs: str | None = "EPSG:4326",
        name: str = "dem",
        **profile: Any,
    ) -> Path:
        values = np.asarray(values)
        path = tmp_path / "dem" / f"{name}.tif"
        path.parent.mkdir(exist_ok=True)
        grid = rasterio.transform.from_origin(west, north, cell, cell)
        with rasterio.open(
            path, "w", driver="GTiff", height=values.shape[0], width=values.shape[1], count=1, dtype=values.dtype, crs=crs, transform=grid, **profile,
        ) as target:  # fmt: skip
            target.write(values, 1)
        return path

    return write


@pytest.fixture
def on_files(tmp_path: Path, gra_registry: Registry) -> Callable[..., ToolResult]:
    """Call a tool with source `geotiff` set to a path (and other settings)."""

    def call(
        tool: str, path: Path | str | list[str], /, settings: dict[str, Any] | None = None, **arguments: Any
    ) -> ToolResult:
        from gra_core.session import run_tool

        table = {"path": path if isinstance(path, list) else str(path)} | (settings or {})
        sources = Sources(gra_registry, {"elevation": "geotiff"}, {"geotiff": table})
        context = ToolContext(
            workspace=Workspace(tmp_path / "workspace", gra_registry.formats),
            sources=sources,
            tool=tool,
            arguments=arguments,
        )
        found = gra_registry.tools[tool]
        try:
            return run_tool(found, context, found.check(arguments))
        except ToolError as error:
            return ToolResult.failed(error)

    return call
