"""Datasets inside the sandbox: inputs by name, outputs by name. Files are Parquet, GeoTIFF or JSON, nothing else."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from .values import plain

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")


class Datasets:
    """The inputs and outputs of one run; `inputs` maps a name to its file and format."""

    def __init__(self, inputs: dict[str, dict[str, str]], folder: str) -> None:
        self.inputs, self.folder = inputs, folder
        self.saved: dict[str, dict[str, Any]] = {}

    def load(self, name: str) -> Any:
        """An input by its name or ds:// reference: GeoDataFrame, DataFrame, xarray.DataArray or plain data."""
        for known, entry in self.inputs.items():
            if name in (known, entry["ref"]):
                return (
                    READERS[entry["format"]](entry["path"])
                    if entry["format"] in READERS
                    else self._unreadable(entry)
                )
        have = ", ".join(self.inputs) or "none; pass inputs=…"
        raise KeyError(f"no input {name!r}; inputs: {have}")

    def _unreadable(self, entry: dict[str, str]) -> Any:
        raise ValueError(
            f"format {entry['format']!r} of {entry['ref']} cannot be read here; readable: {', '.join(READERS)}"
        )

    def save(
        self, name: str, obj: Any, *, units: dict[str, str] | None = None, crs: Any = None, transform: Any = None,
        nodata: float | None = None,
    ) -> None:  # fmt: skip
        """Store an object as an output: a (Geo)DataFrame or series, an xarray.DataArray, a numpy array with `crs` and
        `transform`, or JSON-ready data. `units` gives the unit of columns."""
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise ValueError(f"output name {name!r}: expected up to 60 letters, digits, _ or -")
        kind, write = writer_of(obj, crs=crs, transform=transform, nodata=nodata)
        file = name + EXTENSIONS[kind]
        write(os.path.join(self.folder, file))
        self.saved[name] = {
            "file": file,
            "format": kind,
            "units": {str(k): str(v) for k, v in (units or {}).items()},
        }
        with open(os.path.join(self.folder, "index.json"), "w", encoding="utf-8") as index:
            json.dump(self.saved, index)


def read_table(path: str) -> Any:
    import pandas as pd

    return pd.read_parquet(path)


def read_features(path: str) -> Any:
    """Features, each CRS by its authority's code where it has one: code that prints it gets EPSG:4326, not a page."""
    import geopandas as gpd
    import pyproj

    frame = gpd.read_parquet(path)
    for name in frame.columns[frame.dtypes == "geometry"]:
        crs = frame[name].crs
        authority = crs.to_authority(min_confidence=100) if crs is not None else None
        if authority and (coded := pyproj.CRS.from_authority(*authority)) == crs:
            frame[name] = frame[name].set_crs(coded, allow_override=True)
    return frame


def read_json(path: str) -> Any:
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_raster(path: str) -> Any:
    """Dimensions (band,) y, x with cell centres as coordinates; cells without data are NaN."""
    import numpy as np
    import rasterio
    import xarray as xr

    with rasterio.open(path, driver="GTiff") as source:
        masked = source.read(masked=True)
        crs, transform = source.crs, source.transform
    values = masked.filled(np.nan) if masked.dtype.kind == "f" else _filled(masked)
    x = transform.c + transform.a * (np.arange(values.shape[2]) + 0.5)
    y = transform.f + transform.e * (np.arange(values.shape[1]) + 0.5)
    # The file's nodata value is left behind: a computed cell that happens to equal it is data.
    attributes = {"crs": crs.to_string() if crs else None, "transform": tuple(transform)[:6]}
    array = xr.DataArray(values, dims=("band", "y", "x"), coords={"x": x, "y": y}, attrs=attributes)
    return array.isel(band=0) if values.shape[0] == 1 else array


def _filled(masked: Any) -> Any:
    """Whole numbers stay whole when every cell has data."""
    import numpy as np

    return (
        masked.filled(np.nan)
        if masked.dtype.kind == "f" or not masked.mask.any()
        else masked.astype("float64").filled(np.nan)
    )


READERS = {"geoparquet": read_features, "parquet": read_table, "geotiff": read_raster, "json": read_json}
EXTENSIONS = {"geoparquet": ".parquet", "parquet": ".parquet", "geotiff": ".tif", "json": ".json"}


def writer_of(obj: Any, *, crs: Any, transform: Any, nodata: float | None) -> tuple[str, Any]:
    """The format that stores an object, and a function that writes it to a path."""
    kind = {f"{c.__module__.partition('.')[0]}.{c.__name__}" for c in type(obj).__mro__}
    if "geopandas.GeoSeries" in kind:
        obj, kind = obj.to_frame("geometry"), {"geopandas.GeoDataFrame"}
    if "geopandas.GeoDataFrame" in kind and obj.active_geometry_name:
        if obj.crs is None:
            raise ValueError("the GeoDataFrame has no CRS; set it, for example with set_crs('EPSG:4326')")
        return "geoparquet", _table(obj).to_parquet
    if kind & {"pandas.DataFrame", "geopandas.GeoDataFrame"}:
        return "parquet", _table(obj).to_parquet
    if "pandas.Series" in kind:
        return "parquet", _table(obj.to_frame(obj.name if obj.name is not None else "value")).to_parquet
    if "xarray.DataArray" in kind:
        return "geotiff", lambda path: write_raster(path, *_grid(obj, crs, transform, nodata))
    if "numpy.ndarray" in kind and crs is not None and transform is not None:
        return "geotiff", lambda path: write_raster(path, obj, crs, transform, nodata)
    if "numpy.ndarray" in kind:
        raise ValueError(
            "a numpy array is stored as a raster with crs=… and transform=…, or as a table: wrap it in a DataFrame"
        )
    return "json", lambda path: _write_json(path, obj)


def _table(frame: Any) -> Any:
    """Column names as text; an index that holds keys becomes columns, a mere count of rows is dropped."""
    import pandas as pd

    if not isinstance(frame.index, pd.RangeIndex):
        unnamed = frame.index.nlevels == 1 and frame.index.name is None
        keep = not unnamed or not pd.api.types.is_integer_dtype(frame.index.dtype)
        frame = frame.reset_index(drop=not keep)
    if isinstance(frame.columns, pd.MultiIndex):
        return frame.set_axis(["_".join(map(str, c)) for c in frame.columns], axis=1)
    return frame.set_axis([str(c) for c in frame.columns], axis=1)


def _grid(array: Any, crs: Any, transform: Any, nodata: float | None) -> tuple[Any, Any, Any, Any]:
    crs = crs or array.attrs.get("crs")
    if crs is None:
        raise ValueError("the DataArray has no CRS; pass crs='EPSG:…' or set attrs['crs']")
    return (
        array.values,
        crs,
        transform or _transform(array),
        nodata if nodata is not None else array.attrs.get("nodata"),
    )


def _transform(array: Any) -> Any:
    """From equally spaced cell centres; those of a cut-out differ from what its attributes say."""
    import numpy as np

    x, y = (
        np.asarray(array[d], float) if d in array.coords and array[d].size > 1 else None for d in ("x", "y")
    )
    if x is None or y is None:
        if "transform" in array.attrs:
            return array.attrs["transform"]
        raise ValueError("the DataArray has no coordinates x and y; pass transform=(a, b, c, d, e, f)")
    dx, dy = np.diff(x), np.diff(y)
    if not (np.allclose(dx, dx[0]) and np.allclose(dy, dy[0])):
        raise ValueError("coordinates x and y must be equally spaced for a GeoTIFF")
    return (dx[0], 0.0, x[0] - dx[0] / 2, 0.0, dy[0], y[0] - dy[0] / 2)


def write_raster(path: str, values: Any, crs: Any, transform: Any, nodata: float | None) -> None:
    import numpy as np
    import rasterio

    values = np.asarray(values)
    values = values[None] if values.ndim == 2 else values
    if values.ndim != 3:
        raise ValueError(f"a raster has dimensions (band,) y, x, got shape {values.shape}")
    values = values.astype("uint8") if values.dtype == bool else values
    if nodata is None and values.dtype.kind == "f":
        nodata = float("nan")
    elif nodata is not None and values.dtype.kind == "f":
        values = np.where(np.isnan(values), np.asarray(nodata, values.dtype), values)
    bands, height, width = values.shape
    with rasterio.open(
        path, "w", driver="GTiff", width=width, height=height, count=bands, dtype=values.dtype, crs=crs, nodata=nodata,
        transform=rasterio.Affine(*tuple(transform)[:6]), compress="deflate", tiled=True,
    ) as target:  # fmt: skip
        target.write(values)


def _write_json(path: str, obj: Any) -> None:
    text = json.dumps(plain(obj), allow_nan=False, ensure_ascii=False)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
