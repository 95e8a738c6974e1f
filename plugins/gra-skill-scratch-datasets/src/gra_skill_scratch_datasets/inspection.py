"""What is in a dataset: columns with units and statistics, rows, lineage and licence."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import chain
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd

from gra_core import Column, Dataset, ToolContext, ToolError, ToolResult, history, map_parts
from gra_geo.crs import name_of
from gra_geo.frames import kind_of, plain, rows_of
from gra_geo.parts import Files, shares

MAX_COLUMNS, MAX_ROWS, TOP_VALUES = 40, 50, 3


def list_all(ctx: ToolContext) -> ToolResult:
    """All datasets of the workspace, oldest first."""
    found = ctx.workspace.list()
    if not found:
        return ToolResult.empty("this workspace has no datasets yet")
    return ToolResult.ok({"datasets": [_line(d) for d in found], "count": len(found)})


def _line(dataset: Dataset) -> dict[str, Any]:
    manifest, summary = dataset.manifest, dataset.manifest.summary
    columns = summary.get("columns")
    facts = {
        "ref": manifest.ref, "name": manifest.name, "format": manifest.format, "rows": summary.get("rows"),
        "columns": list(columns)[:30] if isinstance(columns, dict) else None, "crs": summary.get("crs"),
        "made_by": manifest.lineage.tool,
    }  # fmt: skip
    return {key: value for key, value in facts.items() if value not in (None, "")}


def inspect(ctx: ToolContext, ref: str, rows: int, columns: list[str] | None) -> ToolResult:
    """Everything about one dataset; see the tool `inspect_dataset`."""
    dataset = ctx.dataset(ref)
    manifest = dataset.manifest
    content: dict[str, Any] = {
        "ref": ref,
        "name": manifest.name,
        "format": manifest.format,
        "created": manifest.created,
    }
    value = ctx.load(ref)
    if isinstance(value, pd.DataFrame):
        content |= table(value, manifest.columns, rows, columns)
    elif manifest.format == "geotiff":
        content |= {k: v for k, v in manifest.summary.items() if k != "head"} | {
            "statistics": raster_statistics(value)
        }
    else:
        content |= data(value, rows, columns)
    content |= {
        "time_basis": manifest.time_basis, "time_zone": manifest.time_zone, "notes": list(manifest.notes),
        "lineage": history.described(history.trace(ctx.workspace, ref)),
    }  # fmt: skip
    return ToolResult.ok({k: v for k, v in content.items() if v not in (None, "", [])})


def table(
    frame: pd.DataFrame, described: dict[str, Column], rows: int, columns: list[str] | None
) -> dict[str, Any]:
    """Columns with type, unit and statistics, and the first rows."""
    names = chosen(frame, columns)
    content: dict[str, Any] = {
        "rows": len(frame),
        "columns": [_column(frame[n], described.get(str(n))) for n in names],
    }
    if len(names) < len(frame.columns) and columns is None:
        content["columns_left_out"] = [str(c) for c in frame.columns if c not in names]
    if isinstance(frame, gpd.GeoDataFrame) and frame.active_geometry_name:
        content["crs"] = name_of(frame.crs)
    return content | {"head": rows_of(frame, rows, names, geometry=True)}


def chosen(frame: pd.DataFrame, columns: list[str] | None) -> list[Any]:
    """The columns asked for, or the first ones; `ToolError` names unknown ones and near names."""
    if not columns:
        return list(frame.columns[:MAX_COLUMNS])
    known = {str(c): c for c in frame.columns}
    if unknown := [c for c in columns if c not in known]:
        near = [n for c in unknown for n in difflib.get_close_matches(c, known, n=2)]
        raise ToolError(
            "bad_argument", f"no column {', '.join(map(repr, unknown))}",
            hint=f"{'near names: ' + ', '.join(near) + '; ' if near else ''}columns: {', '.join(list(known)[:60])}",
        )  # fmt: skip
    return [known[c] for c in columns]


def _column(values: pd.Series, column: Column | None) -> dict[str, Any]:
    kind = kind_of(values)
    facts: dict[str, Any] = {"name": str(values.name), "type": kind, "nulls": int(values.isna().sum())}
    if column is not None:
        facts |= {k: v for k in ("unit", "quantity", "description") if (v := getattr(column, k))}
    if kind == "geometry":
        return facts | {
            "geometry_types": {str(k): int(n) for k, n in values.geom_type.value_counts().items()}
        }
    filled = values.dropna()
    try:
        facts["unique"] = int(filled.nunique())
    except TypeError:  # lists and dictionaries cannot be counted
        return facts
    if filled.empty or kind == "object":
        return facts
    if kind in ("integer", "number"):
        return facts | {
            "min": plain(filled.min()),
            "max": plain(filled.max()),
            "mean": plain(float(filled.mean())),
        }
    if kind == "boolean":
        return facts | {"true": int(filled.sum())}
    if kind == "time":
        return facts | {"min": plain(filled.min()), "max": plain(filled.max())}
    counts = filled.astype(str).value_counts()
    return facts | {"most_frequent": {str(k)[:60]: int(n) for k, n in counts.head(TOP_VALUES).items()}}


def raster_statistics(raster: Any, block: int = 1024) -> dict[str, Any]:
    """Statistics of the first band's cells, missing ones left out, read in windows. Means weight cells alike."""
    windows = list(_windows(raster.height, raster.width, block))
    work = np.array([rows * cols for _, _, rows, cols in windows], float)
    files = Files.of(raster)
    found = map_parts(_blocks, [(raster, windows[share], files) for share in shares(work)])
    blocks = list(chain.from_iterable(found))
    count = sum(size for size, *_ in blocks)
    missing = raster.height * raster.width - count
    if not count:
        return {"band": raster.band, "cells": 0, "missing": missing}
    return {
        "band": raster.band,
        "cells": count,
        "missing": missing,
        "min": min(low for _, _, low, _ in blocks),
        "max": max(high for *_, high in blocks),
        "mean_of_cells": sum(total for _, total, _, _ in blocks) / count,
    }


def _blocks(part: tuple[Any, list[tuple[int, int, int, int]], Any]) -> list[tuple[int, float, float, float]]:
    """Number, sum, lowest and highest of the cells of each window that has any."""
    raster, windows, files = part
    files.check()
    found = []
    with raster.reading() as reader:
        for window in windows:
            cells = reader.read(*window)
            cells = cells[cells == cells]
            if cells.size:
                found.append((cells.size, float(cells.sum()), float(cells.min()), float(cells.max())))
    return found


def _windows(height: int, width: int, block: int) -> Iterator[tuple[int, int, int, int]]:
    for row in range(0, height, block):
        for col in range(0, width, block):
            yield row, col, min(block, height - row), min(block, width - col)


def data(value: Any, rows: int, columns: list[str] | None) -> dict[str, Any]:
    """Plain JSON data: its size and its start."""
    if columns:
        raise ToolError(
            "bad_argument",
            "this dataset is plain data without columns",
            hint="leave columns out, or read it with run_python",
        )
    if isinstance(value, list):
        return {"type": "list", "items": len(value), "head": value[:rows]}
    if isinstance(value, dict):
        return {
            "type": "object",
            "keys": [str(k) for k in value][:100],
            "head": dict(list(value.items())[:rows]),
        }
    return {"type": type(value).__name__, "value": value}
