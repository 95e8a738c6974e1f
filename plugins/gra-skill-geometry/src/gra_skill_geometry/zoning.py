"""Zonal statistics of rasters in the workspace."""

from __future__ import annotations

from typing import Any

import geopandas as gpd

from gra_core import Manifest, ToolContext, ToolError
from gra_geo.raster import Raster
from gra_geo.zonal import zonal_stats

ARITHMETIC = ("mean", "sum", "median", "stdev", "variance")


def open_raster(ctx: ToolContext, ref: str, band: int) -> Raster:
    """A band of the raster behind a reference; `ToolError` when the dataset is no raster."""
    raster = ctx.load(ref)
    if not isinstance(raster, Raster):
        raise ToolError(
            "bad_argument",
            f"{ref} is not a raster but {type(raster).__name__}",
            hint="give the reference of a raster dataset",
        )
    return raster if band == raster.band else Raster.open(raster.path, band)


def check_quantity(manifest: Manifest, stats: list[str]) -> list[str]:
    """Notes on statistics that do not fit what the raster holds; `ToolError` for arithmetic on classes."""
    kinds = {c.quantity for c in manifest.columns.values() if c.quantity}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind == "class" and (wrong := [s for s in stats if s in ARITHMETIC or s.startswith("p")]):
        raise ToolError(
            "bad_argument",
            f"{manifest.ref} holds classes: {', '.join(wrong)} of class numbers means nothing",
            hint="use majority, minority or variety",
        )
    if kind in ("rate", "intensive") and "sum" in stats:
        return [
            f"{manifest.ref} holds a {kind} quantity: a sum over cells has no meaning of its own, use mean"
        ]
    if kind == "count" and "mean" in stats:
        return [f"{manifest.ref} holds counts per cell: mean is per cell, use sum for the zone's total"]
    return []


def summarize(
    raster: Raster, zones: gpd.GeoDataFrame, stats: list[str], weights: Any, nodata: float | None
) -> tuple[gpd.GeoDataFrame, list[str], str]:
    """The zones with their statistics as columns, notes, and how cells were weighted."""
    table = zonal_stats(raster, zones, stats, weights=weights, nodata=nodata)
    joined = zones[[c for c in zones.columns if c not in table.columns]].join(table)
    return joined, table.attrs["notes"], table.attrs["weighting"]
