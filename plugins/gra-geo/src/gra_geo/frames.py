"""Tables of features: ids and names of rows, points from coordinate columns, small JSON-ready rows."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

WGS84 = "EPSG:4326"
ID_COLUMNS = ("feature_id", "region_id", "place_id", "storm_id", "zone_id", "id")
NAME_COLUMNS = ("name", "NAME", "region_name", "place_name", "title", "label")
LON_COLUMNS = ("lon", "longitude", "lng", "x")
LAT_COLUMNS = ("lat", "latitude", "y")


def plain(value: Any) -> Any:
    """A JSON-ready form: numpy scalars become Python ones, missing and non-finite values None, times ISO text.

    Fractions are shortened to the digits that their type can hold, so that 355.1 in single precision is not 355.1000061.
    """
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, (np.float16, np.float32)):
        digits = np.finfo(value.dtype).precision + 1
        return plain(float(value) if float(value).is_integer() else float(f"{value:.{digits}g}"))
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.10g}") if math.isfinite(value) else None
    if isinstance(value, (int, bool, str)):
        return value
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, shapely.Geometry):
        return abbreviate(value)
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, np.ndarray)):
        return [plain(v) for v in value]
    return str(value)


def abbreviate(geometry: shapely.Geometry | None) -> str | None:
    """A geometry in a few words: type, number of points and where it is; short points are given in full."""
    if geometry is None:
        return None
    if geometry.is_empty:
        return f"{geometry.geom_type} EMPTY"
    if geometry.geom_type == "Point":
        return f"Point ({geometry.x:.6g}, {geometry.y:.6g})"
    west, south, east, north = geometry.bounds
    count = shapely.get_num_coordinates(geometry)
    return f"{geometry.geom_type} of {count} points in [{west:.6g}, {south:.6g}, {east:.6g}, {north:.6g}]"


def rows_of(
    frame: pd.DataFrame, limit: int = 10, columns: Iterable[str] | None = None, *, geometry: bool = False
) -> list[dict[str, Any]]:
    """The first rows as plain dictionaries for a tool's content; geometries are left out, or abbreviated on request."""
    names = [c for c in (columns if columns is not None else frame.columns) if c in frame.columns]
    if not geometry:
        names = [c for c in names if not _holds_geometry(frame[c])]
    head = frame[names].head(limit)
    lists = [list(head[c].array) for c in names]  # a series itself would make single precision double
    return [
        dict(zip(map(str, names), map(plain, values), strict=True)) for values in zip(*lists, strict=True)
    ]


def _holds_geometry(column: pd.Series) -> bool:
    return isinstance(column.dtype, gpd.array.GeometryDtype)


def kind_of(column: pd.Series) -> str:
    """A column's type in one word: integer, number, boolean, time, geometry, text or object."""
    if _holds_geometry(column):
        return "geometry"
    if pd.api.types.is_bool_dtype(column):
        return "boolean"
    if pd.api.types.is_integer_dtype(column):
        return "integer"
    if pd.api.types.is_float_dtype(column):
        return "number"
    if pd.api.types.is_datetime64_any_dtype(column):
        return "time"
    if isinstance(column.dtype, pd.CategoricalDtype):
        return "text"
    values = column.dropna().head(50)
    return "text" if all(isinstance(v, str) for v in values) else "object"


def summarize(frame: pd.DataFrame, rows: int = 5) -> dict[str, Any]:
    """Rows, columns with types and a few rows; of a GeoDataFrame CRS, bounds and geometry types too."""
    shown = list(frame.columns[:60])
    summary: dict[str, Any] = {"rows": len(frame), "columns": {str(c): kind_of(frame[c]) for c in shown}}
    if len(frame.columns) > len(shown):
        summary["columns_left_out"] = len(frame.columns) - len(shown)
    if isinstance(frame, gpd.GeoDataFrame) and frame.active_geometry_name:
        summary |= _space_of(frame)
    summary["head"] = rows_of(frame, rows, shown, geometry=True)
    return summary


def _space_of(frame: gpd.GeoDataFrame) -> dict[str, Any]:
    from gra_geo.antimeridian import bounds_of
    from gra_geo.crs import name_of

    filled = frame.geometry[frame.geometry.notna() & ~frame.geometry.is_empty]
    types = filled.geom_type.value_counts().sort_index()
    return {
        "crs": name_of(frame.crs),
        "bounds": plain(bounds_of(filled)) if len(filled) else None,
        "geometry_types": {str(k): int(v) for k, v in types.items()},
    }


def id_column(frame: pd.DataFrame) -> str | None:
    """The column that identifies the rows: one of `ID_COLUMNS` or another that ends in ``_id`` or ``id``."""
    for name in (*ID_COLUMNS, *(c for c in frame.columns if str(c).lower().endswith("_id"))):
        if name in frame.columns and frame[name].notna().all() and frame[name].is_unique:
            return name
    return next((c for c in ID_COLUMNS if c in frame.columns), None)


def name_column(frame: pd.DataFrame) -> str | None:
    """The column with the rows' names."""
    return next((c for c in NAME_COLUMNS if c in frame.columns), None)


def labelled(frame: gpd.GeoDataFrame, id_name: str = "feature_id") -> gpd.GeoDataFrame:
    """The frame with text columns `id_name` (unique, from an id column or the row number) and `name`."""
    frame = frame.reset_index(drop=True)
    if (source := id_name if id_name in frame.columns else id_column(frame)) is not None:
        ids = frame[source].astype("string")
    else:
        ids = pd.Series([str(i + 1) for i in range(len(frame))], dtype="string")
    ids = ids.fillna(pd.Series([f"row-{i + 1}" for i in range(len(frame))], dtype="string"))
    named = name_column(frame)
    names = frame[named].astype("string").fillna(ids) if named else ids
    return frame.assign(**{id_name: ids.astype(object), "name": names.astype(object)})


def coordinate_columns(frame: pd.DataFrame) -> tuple[str, str] | None:
    """The names of the longitude and latitude columns, matched without regard to case."""
    lower = {str(c).lower(): c for c in frame.columns}
    lon = next((lower[c] for c in LON_COLUMNS if c in lower), None)
    lat = next((lower[c] for c in LAT_COLUMNS if c in lower), None)
    return (lon, lat) if lon is not None and lat is not None else None


def points_frame(table: pd.DataFrame, lon: str = "lon", lat: str = "lat") -> gpd.GeoDataFrame:
    """A table with coordinate columns as point features in EPSG:4326."""
    points = shapely.points(table[lon].to_numpy(float), table[lat].to_numpy(float))
    return gpd.GeoDataFrame(table.reset_index(drop=True), geometry=points, crs=WGS84)
