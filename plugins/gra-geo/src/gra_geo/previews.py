"""What a person sees of a stored dataset: its first rows, and a map of features or of a raster's cells."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import rasterio
import shapely
from rasterio.enums import Resampling
from rasterio.errors import RasterioError
from rasterio.warp import calculate_default_transform, reproject, transform_bounds

from gra_core import ToolError
from gra_geo.antimeridian import bounds_of
from gra_geo.crs import to_wgs84
from gra_geo.frames import WGS84, coordinate_columns, plain, points_frame, rows_of

MAX_FEATURES, MAX_VERTICES, MAX_PROPERTIES, MAX_TEXT = 3000, 120_000, 12, 200
MAX_PIXELS, MAX_CLASSES = 640, 12
MERCATOR, MERCATOR_LIMIT = "EPSG:3857", 85.0
# Nine samples of viridis (van der Walt and Smith, CC0), dark to light, and Okabe and Ito's eight colours.
RAMP = ("#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725")
CLASSES = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999")


def preview_table(frame: pd.DataFrame, limit: int) -> dict[str, Any]:
    """``columns``, the first `limit` rows as lists, ``total``; ``map`` too when the table has features or coordinates."""
    rows = rows_of(frame, limit, geometry=True)
    columns = [str(c) for c in frame.columns]
    made: dict[str, Any] = {
        "columns": columns,
        "rows": [[_short(row.get(c)) for c in columns] for row in rows],
        "total": len(frame),
    }
    if (features := _features(frame)) is not None:
        made |= _vector(features)
    return made


def _features(frame: pd.DataFrame) -> gpd.GeoDataFrame | None:
    if isinstance(frame, gpd.GeoDataFrame) and frame.active_geometry_name:
        return frame
    names = coordinate_columns(frame)
    if names is None or not all(pd.api.types.is_numeric_dtype(frame[n]) for n in names):
        return None
    lon, lat = (frame[n].astype(float) for n in names)
    sound = frame[lon.between(-180, 180) & lat.between(-90, 90)]
    return points_frame(sound, *names) if len(sound) else None


def _vector(frame: gpd.GeoDataFrame) -> dict[str, Any]:
    """``map`` of the first features in EPSG:4326, simplified to what a screen shows; ``note`` when there is none."""
    filled = frame[frame.geometry.notna() & ~frame.geometry.is_empty]
    if not len(filled):
        return {"note": "no feature has a geometry"}
    try:
        shown, _ = to_wgs84(filled.head(MAX_FEATURES))
    except ToolError as error:
        return {"note": f"no map: {error}"}
    west, south, east, north = plain(bounds_of(shown.geometry))
    if west > east:  # across the 180th meridian: drawn on one side of it
        east += 360
    shape = _simplified(shown.geometry, max(east - west, north - south))
    kept = [c for c in shown.columns if c != shown.active_geometry_name][:MAX_PROPERTIES]
    properties = rows_of(shown, len(shown), kept)
    features = [
        {
            "type": "Feature",
            "properties": {k: _short(v) for k, v in row.items()},
            "geometry": _geometry(g, west),
        }
        for row, g in zip(properties or [{}] * len(shown), shape, strict=True)
    ]
    return {
        "map": {
            "type": "vector", "bounds": [west, south, east, north], "shown": len(features), "total": len(frame),
            "geojson": {"type": "FeatureCollection", "features": features},
        }
    }  # fmt: skip


def _simplified(shapes: gpd.GeoSeries, extent: float) -> list[Any]:
    """Shapes with no more vertices than a screen can show."""
    made = shapes
    tolerance = extent / 4000
    while shapely.get_num_coordinates(made.to_numpy()).sum() > MAX_VERTICES and tolerance < extent:
        made, tolerance = shapes.simplify(tolerance), 2 * tolerance
    return list(shapely.set_precision(made.to_numpy(), 1e-6, mode="pointwise"))


def _geometry(shape: Any, west: float) -> dict[str, Any]:
    if west > -180 and shape.bounds[0] < west - 1e-9:
        shape = shapely.transform(
            shape, lambda xy: np.column_stack([xy[:, 0] + 360 * (xy[:, 0] < west - 1e-9), xy[:, 1]])
        )
    return json.loads(shapely.to_geojson(shape))


def _short(value: Any) -> Any:
    return value[:MAX_TEXT] + "…" if isinstance(value, str) and len(value) > MAX_TEXT else value


def preview_raster(path: Path, limit: int) -> dict[str, Any]:
    """``map``: the first band as a picture in Web Mercator with a legend. Values are read at screen resolution."""
    try:
        # Named, since a file of another kind (VRT, say) can point to any file or address.
        with rasterio.open(path, driver="GTiff") as data:
            made: dict[str, Any] = {"columns": ["band", "type", "width", "height"], "total": data.count}
            made["rows"] = [[n + 1, kind, data.width, data.height] for n, kind in enumerate(data.dtypes)][
                :limit
            ]
            if data.crs is None:
                return made | {"note": "no map: the raster has no known coordinate reference system"}
            return made | {"map": _picture(data)}
    except (RasterioError, ValueError) as error:
        return {"columns": [], "rows": [], "total": 0, "note": f"no map: {error}"}


def _picture(data: Any) -> dict[str, Any]:
    shrink = max(1, max(data.width, data.height) / (2 * MAX_PIXELS))
    shape = max(1, int(data.height / shrink)), max(1, int(data.width / shrink))
    cells = data.read(1, out_shape=shape, masked=True, resampling=Resampling.nearest)
    values = (
        np.where(np.ma.getmaskarray(cells), np.nan, cells.data.astype(float)) * data.scales[0]
        + data.offsets[0]
    )
    grid = data.transform * data.transform.scale(data.width / shape[1], data.height / shape[0])
    west, south, east, north = transform_bounds(data.crs, WGS84, *data.bounds)
    south, north = max(south, -MERCATOR_LIMIT), min(north, MERCATOR_LIMIT)
    box = (
        transform_bounds(WGS84, data.crs, west, south, east, north) if data.crs.is_geographic else data.bounds
    )
    target, width, height = calculate_default_transform(data.crs, MERCATOR, shape[1], shape[0], *box)
    # Small rasters are enlarged, so that the edges of their cells stay in place.
    scale = max(width, height) / MAX_PIXELS
    width, height = max(1, int(width / scale)), max(1, int(height / scale))
    target = target * target.scale(scale, scale)
    warped = np.full((height, width), np.nan)
    reproject(
        values, warped, src_transform=grid, src_crs=data.crs, dst_transform=target, dst_crs=MERCATOR,
        src_nodata=np.nan, dst_nodata=np.nan, resampling=Resampling.nearest,
    )  # fmt: skip
    corners = rasterio.transform.array_bounds(height, width, target)
    bounds = transform_bounds(MERCATOR, WGS84, *corners)
    known = values[np.isfinite(values)]
    colours, legend = _colours(warped, known, whole=np.issubdtype(data.dtypes[0], np.integer))
    return {
        "type": "raster", "bounds": plain(list(bounds)), "image": "data:image/png;base64," + base64.b64encode(png(colours)).decode(),
        "legend": legend | {"unit": data.units[0] or ""}, "width": width, "height": height,
    }  # fmt: skip


def _colours(values: np.ndarray, all_known: np.ndarray, *, whole: bool) -> tuple[np.ndarray, dict[str, Any]]:
    """RGBA of cells and what the colours mean: classes when there are few whole numbers, else a ramp. Missing is clear."""
    known = np.isfinite(values)
    rgba = np.zeros((*values.shape, 4), dtype=np.uint8)
    if not all_known.size:
        return rgba, {"kind": "empty"}
    found = np.unique(all_known)
    if whole and len(found) <= MAX_CLASSES:
        table = np.array([_rgb(CLASSES[n % len(CLASSES)]) for n in range(len(found))], dtype=np.uint8)
        rgba[known] = table[np.searchsorted(found, values[known])]
        legend = [
            {"value": plain(float(v)), "colour": CLASSES[n % len(CLASSES)]} for n, v in enumerate(found)
        ]
        return rgba, {"kind": "classes", "classes": legend}
    low, high = float(found[0]), float(found[-1])
    place = (values[known] - low) / ((high - low) or 1.0) * (len(RAMP) - 1)
    stops = np.array([_rgb(c)[:3] for c in RAMP], dtype=float)
    channels = [np.interp(place, np.arange(len(RAMP)), stops[:, n]) for n in range(3)]
    rgba[known] = np.column_stack([*channels, np.full(len(place), 255)]).round().astype(np.uint8)
    return rgba, {"kind": "ramp", "min": plain(low), "max": plain(high), "colours": list(RAMP)}


def _rgb(colour: str) -> tuple[int, int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16), 255


def png(rgba: np.ndarray) -> bytes:
    """An 8-bit RGBA picture, shape (height, width, 4), as a PNG file (format: RFC 2083)."""
    height, width, _ = rgba.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), rgba.reshape(height, width * 4)], axis=1)

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    packed = zlib.compress(np.ascontiguousarray(lines).tobytes(), 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
