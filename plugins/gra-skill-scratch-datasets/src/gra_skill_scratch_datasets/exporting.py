"""Datasets as files: into the workspace's ``exports`` folder or one that the user allows, whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd

from gra_core import ToolContext, ToolError, ToolResult, history
from gra_geo.crs import name_of, to_wgs84
from gra_skill_scratch_datasets import settings

EXTENSIONS = {"csv": ".csv", "geojson": ".geojson", "gpkg": ".gpkg", "parquet": ".parquet", "geotiff": ".tif"}


def export(ctx: ToolContext, ref: str, form: str, path: str) -> ToolResult:
    """Write one dataset to a file; see the tool `export_dataset`."""
    dataset = ctx.dataset(ref)
    if reason := history.trace(ctx.workspace, ref).refusal:
        raise ToolError(
            "not_available",
            f"{ref} must not be exported: {reason}",
            hint="use it within this trial only, or take another source",
        )
    target, label = destination(ctx, path or f"{ref.removeprefix('ds://')}{EXTENSIONS[form]}", form)
    notes: list[str] = []
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".export-", dir=target.parent) as staging:
        written = Path(staging, target.name)
        if form == "geotiff":
            _copy_raster(dataset.path, dataset.manifest.format, written)
        else:
            WRITERS[form](_table(ctx.load(ref), ref, form), written, notes)
        _publish(written, target, label)
    return ToolResult.ok({"path": label, "format": form, "bytes": target.stat().st_size}, notes=notes)


def destination(ctx: ToolContext, path: str, form: str) -> tuple[Path, str]:
    """The file to write and how to call it; `ToolError` for a path outside the allowed folders."""
    exports = ctx.workspace.root.resolve() / "exports"
    given = settings.at_home(path)
    if "\0" in path or not given.name or given.name in (".", ".."):
        raise ToolError(
            "bad_argument", f"{path!r} is not a file path", hint="give a file name such as result.geojson"
        )
    if given.suffix.lower() != EXTENSIONS[form]:
        given = given.with_name(given.name + EXTENSIONS[form])
    target = (exports / given).resolve()
    if settings.within(target, [exports]):
        return target, f"exports/{target.relative_to(exports)}"
    allowed = settings.folders(ctx, "export_dirs")
    if settings.within(target, allowed):
        return target, str(target)
    listed = ", ".join(["exports/ of the workspace", *map(str, allowed)])
    raise ToolError(
        "bad_argument",
        f"{path!r} is outside the folders for export",
        hint=f"folders: {listed}; give a plain file name",
    )


def _publish(written: Path, target: Path, label: str) -> None:
    """Give the finished file its name in one step, never over another file."""
    try:
        os.link(written, target)
    except FileExistsError:
        raise ToolError("bad_argument", f"{label} exists already", hint="choose another path") from None
    except OSError:  # a file system without hard links
        if target.exists():
            raise ToolError("bad_argument", f"{label} exists already", hint="choose another path") from None
        os.replace(written, target)


def _copy_raster(source: Path, kind: str, written: Path) -> None:
    if kind != "geotiff":
        raise ToolError(
            "bad_argument",
            f"a dataset of format {kind} is not a raster",
            hint=f"export it as {', '.join(f for f in EXTENSIONS if f != 'geotiff')}",
        )
    shutil.copyfile(source, written)


def _table(value: Any, ref: str, form: str) -> pd.DataFrame:
    if not isinstance(value, pd.DataFrame):
        raise ToolError(
            "bad_argument",
            f"{ref} is not a table, so it cannot be written as {form}",
            hint="export rasters as geotiff",
        )
    if form in ("geojson", "gpkg") and not (
        isinstance(value, gpd.GeoDataFrame) and value.active_geometry_name
    ):
        raise ToolError(
            "bad_argument",
            f"{ref} has no geometry, so it cannot be written as {form}",
            hint="export it as csv or parquet",
        )
    return value


def _csv(frame: pd.DataFrame, path: Path, notes: list[str]) -> None:
    if isinstance(frame, gpd.GeoDataFrame):
        notes.append(f"geometry is written as WKT in {name_of(frame.crs) or 'an unknown CRS'}")
        frame = pd.DataFrame(frame.to_wkt())
    frame.to_csv(path, index=False)


def _geojson(frame: Any, path: Path, notes: list[str]) -> None:
    placed, told = to_wgs84(frame)
    notes += told
    placed.to_file(path, driver="GeoJSON", engine="pyogrio", RFC7946="YES")


def _gpkg(frame: Any, path: Path, notes: list[str]) -> None:
    frame.to_file(path, driver="GPKG", engine="pyogrio", layer=path.stem)


def _parquet(frame: pd.DataFrame, path: Path, notes: list[str]) -> None:
    frame.to_parquet(path)


WRITERS = {"csv": _csv, "geojson": _geojson, "gpkg": _gpkg, "parquet": _parquet}
