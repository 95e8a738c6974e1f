"""DataArrays as GeoTIFF files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import rasterio
import xarray as xr

from gra_core import ToolError
from gra_geo.crs import parse_crs

# Types that a GeoTIFF does not store everywhere, and what they are stored as.
NARROWER = {"bool": "uint8", "float16": "float32"}


def write_array(values: xr.DataArray, path: Path) -> None:
    """A two-dimensional DataArray with evenly spaced x and y coordinates and ``attrs["crs"]`` (or rioxarray's) as a GeoTIFF."""
    if values.ndim != 2:
        raise ToolError(
            "bad_argument",
            f"a raster has two dimensions (y, x), this array has {values.ndim}",
            hint="store one band at a time",
        )
    y, x = (values[d].to_numpy().astype(float) for d in values.dims)
    dx, dy = _step(x), _step(y)
    data = values.to_numpy()
    if dy > 0:
        data, y, dy = data[::-1], y[::-1], -dy
    if dx < 0:
        data, x, dx = data[:, ::-1], x[::-1], -dx
    grid = rasterio.transform.from_origin(x[0] - dx / 2, y[0] - dy / 2, dx, -dy)
    data = data.astype(NARROWER.get(str(data.dtype), data.dtype))
    nodata = values.attrs.get("nodata", values.attrs.get("_FillValue"))
    with rasterio.open(
        path, "w", driver="GTiff", count=1, height=len(y), width=len(x), dtype=str(data.dtype), transform=grid,
        crs=_crs_of(values), nodata=nodata, compress="deflate", tiled=True,
    ) as target:  # fmt: skip
        target.write(np.ascontiguousarray(data), 1)


def _step(axis: np.ndarray) -> float:
    if len(axis) < 2:
        raise ToolError(
            "bad_argument", "a raster needs at least two cells each way", hint="take a larger area"
        )
    steps = np.diff(axis)
    if not np.allclose(steps, steps[0], rtol=1e-3):
        raise ToolError(
            "bad_argument",
            "the raster's coordinates are not evenly spaced",
            hint="resample it to an even grid",
        )
    return float((axis[-1] - axis[0]) / (len(axis) - 1))


def _crs_of(values: xr.DataArray) -> str | None:
    crs = values.attrs.get("crs")
    if crs is None and "spatial_ref" in values.coords:
        crs = values.coords["spatial_ref"].attrs.get("crs_wkt")
    return parse_crs(crs).to_wkt() if crs is not None else None
