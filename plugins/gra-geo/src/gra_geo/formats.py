"""How tables, features and rasters are stored in the workspace and in recordings."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import pyarrow as pa
import xarray as xr

from gra_core import ToolError
from gra_geo.arrays import write_array
from gra_geo.crs import coded, name_of
from gra_geo.frames import plain, summarize
from gra_geo.raster import Raster


def _storable(frame: Any) -> Any:
    """The frame as Parquet can hold it: text column names, plain row numbers, simple attributes only."""
    frame = frame.copy(deep=False)
    if not isinstance(frame.index, pd.RangeIndex):
        keep = frame.index.name is not None and frame.index.name not in frame.columns
        frame = frame.reset_index(drop=not keep)
    frame.columns = [str(c) for c in frame.columns]
    try:
        json.dumps(frame.attrs)
    except (TypeError, ValueError):
        frame.attrs = {str(k): plain(v) for k, v in frame.attrs.items()}
    return frame


class ParquetHandler:
    """Tables."""

    def write(self, value: pd.DataFrame, path: Path) -> None:
        try:
            _storable(value).to_parquet(path)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise ToolError(
                "bad_argument",
                f"the table cannot be stored: {error}",
                hint="each column must hold values of one type",
            ) from error

    def read(self, path: Path) -> pd.DataFrame:
        return pd.read_parquet(path)

    def summarize(self, value: pd.DataFrame, rows: int) -> dict[str, Any]:
        return summarize(value, rows)

    def preview(self, path: Path, limit: int) -> dict[str, Any]:
        """The first rows, and a map when there are geometries or coordinates."""
        from gra_geo.previews import preview_table

        return preview_table(self.read(path), limit)


class GeoParquetHandler(ParquetHandler):
    """Features; the CRS is kept, by its code where it has one, and an unknown one stays unknown."""

    ATTRS = b"gra:attrs"

    def write(self, value: gpd.GeoDataFrame, path: Path) -> None:
        super().write(value, path)
        if value.attrs:
            _add_metadata(path, self.ATTRS, json.dumps(_storable(value).attrs).encode())

    def read(self, path: Path) -> gpd.GeoDataFrame:
        import pyarrow.parquet as pq

        frame = gpd.read_parquet(path)
        for name in frame.columns[frame.dtypes == "geometry"]:
            if (crs := frame[name].crs) is not None:
                frame[name] = frame[name].set_crs(coded(crs), allow_override=True)
        stored = (pq.read_schema(path).metadata or {}).get(self.ATTRS)
        if stored:
            frame.attrs = json.loads(stored)
        return frame


def _add_metadata(path: Path, key: bytes, value: bytes) -> None:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({**(table.schema.metadata or {}), key: value}), path)


class GeoTiffHandler:
    """Rasters: a `Raster` is copied as it is, a DataArray written; both are read back as a `Raster`."""

    def write(self, value: Raster | xr.DataArray, path: Path) -> None:
        if isinstance(value, xr.DataArray):
            write_array(value, path)
        elif value.path.suffix.lower() in (".tif", ".tiff"):
            shutil.copyfile(value.path, path)
        else:
            import rasterio.shutil

            rasterio.shutil.copy(value.path, path, driver="GTiff")

    def read(self, path: Path) -> Raster:
        return Raster.open(path)

    def summarize(self, value: Raster | xr.DataArray, rows: int) -> dict[str, Any]:
        if isinstance(value, xr.DataArray):
            y, x = value.dims
            return {
                "type": "raster", "width": value.sizes[x], "height": value.sizes[y], "crs": name_of(value.attrs.get("crs")),
                "dtype": str(value.dtype), "min": plain(value.min().values[()]), "max": plain(value.max().values[()]),
                "centres": plain([float(v) for v in (value[x].min(), value[y].min(), value[x].max(), value[y].max())]),
            }  # fmt: skip
        summary = {
            "type": "raster", "width": value.width, "height": value.height, "bands": value.bands, "dtype": value.dtype,
            "crs": name_of(value.crs), "bounds": plain(value.bounds_wgs84 if value.crs else value.bounds),
            "cell_size": plain([value.dx, value.dy]),
        }  # fmt: skip
        if value.nodata is not None:
            summary["nodata"] = plain(value.nodata)
        return summary

    def preview(self, path: Path, limit: int) -> dict[str, Any]:
        """The bands, and a map of the first one."""
        from gra_geo.previews import preview_raster

        return preview_raster(path, limit)
