"""Files of the user as datasets: only from folders the user allows, by content as well as by name."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd

from gra_core import ToolContext, ToolError, ToolResult
from gra_geo.crs import name_of, parse_crs
from gra_geo.frames import coordinate_columns, points_frame
from gra_skill_scratch_datasets import settings, tables

MAX_BYTES = 2 << 30
# What the first bytes of a file must be: a name alone would let another driver be chosen by the content.
MAGIC = {
    ".gpkg": (b"SQLite format 3\0",), ".shp": (b"\x00\x00\x27\x0a",), ".parquet": (b"PAR1",), ".geoparquet": (b"PAR1",),
    ".tif": (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"), ".tiff": (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"),
}  # fmt: skip
KINDS = ".csv, .tsv, .geojson, .json, .gpkg, .shp, .parquet, .tif"


def import_path(ctx: ToolContext, path: str, crs: str, name: str) -> ToolResult:
    """Import one file; see the tool `import_file`."""
    file, layer = locate(ctx, path)
    reader = READERS.get(file.suffix.lower())
    if reader is None:
        raise ToolError("bad_argument", f"{file.name}: unknown kind of file", hint=f"expected {KINDS}")
    size = file.stat().st_size
    if size > MAX_BYTES:
        raise ToolError(
            "quota",
            f"{file.name} has {size >> 20} MB, at most {MAX_BYTES >> 20} MB are taken",
            hint="import an extract",
        )
    if not _genuine(file):
        raise ToolError(
            "bad_argument",
            f"{file.name} is not what its name says: its first bytes are not those of a {file.suffix} file",
            hint="check the file",
        )
    notes = [f"imported from {file.name}, SHA-256 {_digest(file)}"]
    wanted = parse_crs(crs) if crs else None
    with tempfile.TemporaryDirectory(prefix=".import-", dir=ctx.workspace.root) as staging:
        try:
            value = reader(file, layer, wanted, notes, Path(staging), ctx)
        except ToolError:
            raise
        except Exception as error:
            raise ToolError(
                "bad_argument",
                f"{file.name} cannot be read: {_line(error)}",
                hint="check that the file is whole and of this kind",
            ) from error
        reply = ctx.save(value, name=name or file.stem, notes=tuple(notes))
    return ToolResult.ok({"ref": reply.ref, "imported": file.name}, datasets=[reply], notes=notes[1:])


def locate(ctx: ToolContext, path: str) -> tuple[Path, str]:
    """The file behind a path and, after ``#``, the layer. Never tells whether a file outside the allowed folders exists."""
    allowed = settings.folders(ctx, "import_dirs")
    if not allowed:
        raise ToolError(
            "not_available",
            "importing files is not allowed here",
            hint="the user can allow folders with the setting import_dirs",
        )
    if "\0" in path:
        raise ToolError("bad_argument", "the path has a NUL character", hint="give a plain path")
    for text, layer in ((path, ""), path.rpartition("#")[::2]):
        for folder in allowed if text else ():
            candidate = (folder / settings.at_home(text)).resolve()
            if settings.within(candidate, allowed) and candidate.is_file():
                return candidate, layer
    inside = any(settings.within((f / settings.at_home(path)).resolve(), allowed) for f in allowed)
    listed = ", ".join(map(str, allowed))
    if inside:
        raise ToolError("not_found", f"no file {path!r}", hint=f"folders for import: {listed}")
    raise ToolError(
        "bad_argument", f"{path!r} is outside the folders for import", hint=f"folders for import: {listed}"
    )


def _genuine(file: Path) -> bool:
    expected = MAGIC.get(file.suffix.lower())
    if expected is None:
        return True
    with file.open("rb") as stream:
        return stream.read(16).startswith(expected)


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:16]


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def _csv(file: Path, layer: str, crs: Any, notes: list[str], staging: Path, ctx: ToolContext) -> pd.DataFrame:
    table = tables.read_text_table(file, notes)
    found = coordinate_columns(table)
    if found is None:
        if crs is not None:
            raise ToolError(
                "bad_argument",
                f"{file.name} has no coordinate columns to place in {name_of(crs)}",
                hint="leave crs out, or name columns lon and lat",
            )
        return table
    lon, lat = found
    if crs is None:
        notes.append(
            f'columns {lon} and {lat} look like coordinates; import with crs (such as "EPSG:4326") to get points'
        )
        return table
    if not all(pd.api.types.is_numeric_dtype(table[c]) for c in found):
        raise ToolError(
            "bad_argument",
            f"columns {lon} and {lat} of {file.name} are not all numbers",
            hint="mend the file, or import it without crs",
        )
    holes = table[[lon, lat]].isna().any(axis=1)
    if holes.any():
        notes.append(f"{int(holes.sum())} rows without coordinates were left out")
    return _placed(points_frame(table[~holes], lon, lat).set_crs(crs, allow_override=True), crs, file.name)


def _geojson(
    file: Path, layer: str, crs: Any, notes: list[str], staging: Path, ctx: ToolContext
) -> gpd.GeoDataFrame:
    from gra_geo.geojson import parse_text, read_geojson

    frame = read_geojson(parse_text(file.read_text(encoding="utf-8-sig")), notes)
    return _placed(frame, crs, file.name)


def _vector(
    file: Path, layer: str, crs: Any, notes: list[str], staging: Path, ctx: ToolContext
) -> pd.DataFrame:
    import pyogrio

    layers = [str(row[0]) for row in pyogrio.list_layers(file)]
    if (layer and layer not in layers) or (not layer and len(layers) != 1):
        raise ToolError(
            "bad_argument",
            f"{file.name} has {len(layers)} layers, which one?",
            hint=f"give path#layer; layers: {', '.join(layers)}",
        )
    frame = pyogrio.read_dataframe(file, layer=layer or layers[0])
    return _placed(frame, crs, file.name) if isinstance(frame, gpd.GeoDataFrame) else frame


def _parquet(
    file: Path, layer: str, crs: Any, notes: list[str], staging: Path, ctx: ToolContext
) -> pd.DataFrame:
    import pyarrow.parquet as pq

    if b"geo" not in (pq.read_schema(file).metadata or {}):
        return pd.read_parquet(file)
    return _placed(gpd.read_parquet(file), crs, file.name)


def _raster(file: Path, layer: str, crs: Any, notes: list[str], staging: Path, ctx: ToolContext) -> Any:
    """A GeoTIFF is copied; with `crs` for one that has none, the copy gets it."""
    import rasterio

    copy = staging / "data.tif"
    shutil.copyfile(file, copy)
    with rasterio.open(copy, driver="GTiff") as source:
        own, height = source.crs, source.height
        for row in {0, height - 1}:  # a file that was cut short misses its last rows
            source.read(window=((row, row + 1), (0, source.width)))
    if _known(parse_crs(own.to_wkt()) if own else None, crs, file.name) and not own:
        with rasterio.open(copy, "r+", driver="GTiff") as target:
            target.crs = rasterio.CRS.from_wkt(crs.to_wkt())
    spec = next((f for f in ctx.workspace.formats if f.name == "geotiff"), None)
    if spec is None:
        raise ToolError("not_available", "no active plugin stores rasters", hint="the plugin gra-geo does")
    return spec.load().read(copy)


def _known(own: Any, wanted: Any, what: str) -> Any:
    """The CRS to use: the file's own or the given one; `ToolError` when there is none, or they differ."""
    if own is None and wanted is None:
        raise ToolError(
            "bad_argument",
            f"{what} has no known CRS; pass crs=…",
            hint='for example "EPSG:4326" when coordinates are longitude and latitude',
        )
    if own is not None and wanted is not None and not own.equals(wanted, ignore_axis_order=True):
        raise ToolError(
            "bad_argument",
            f"{what} is in {name_of(own)}, not in {name_of(wanted)}",
            hint="leave crs out; it only names an unknown CRS, it converts nothing",
        )
    return own or wanted


def _placed(frame: gpd.GeoDataFrame, wanted: Any, what: str) -> gpd.GeoDataFrame:
    """The frame with its CRS; coordinates that cannot be degrees are refused where degrees are meant."""
    frame = frame.set_crs(_known(frame.crs, wanted, what), allow_override=True)
    bounds = frame.total_bounds
    if frame.crs.is_geographic and np.isfinite(bounds).all():
        west, south, east, north = bounds
        if west < -180.0 - 1e-6 or east > 180.0 + 1e-6 or south < -90.0 - 1e-6 or north > 90.0 + 1e-6:
            raise ToolError(
                "bad_argument", f"{what}: coordinates from ({west:g}, {south:g}) to ({east:g}, {north:g}) are not longitudes and latitudes",
                hint="pass the right crs=… (a projected one for metres); longitudes run from -180 to 180",
            )  # fmt: skip
    return frame


READERS = {
    ".csv": _csv, ".tsv": _csv, ".geojson": _geojson, ".json": _geojson, ".gpkg": _vector, ".shp": _vector,
    ".parquet": _parquet, ".geoparquet": _parquet, ".tif": _raster, ".tiff": _raster,
}  # fmt: skip
