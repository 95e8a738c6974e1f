"""Zonal statistics: every cell counts by its covered share, and by its true area where cells differ in size.

A sum adds value × covered share of the cell, so that counts are conserved when zones share cells. Every other statistic
weights a cell by its covered true area (on longitude/latitude grids and uneven projections) or by its covered share
(where cells are of equal size). Missing cells (nodata, mask, NaN) take no part. Many zones, and large ones in
pieces, are worked on in parts (`gra_core.map_parts`); statistics do not depend on them.
"""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from attrs import evolve

from gra_core import ToolError
from gra_geo.areas import statistics_of_areas
from gra_geo.cells import uneven
from gra_geo.extraction import BY_AREA, UNWEIGHTED, check_stats
from gra_geo.raster import Raster
from gra_geo.zones import on_grid


def zonal_stats(
    raster: Raster,
    zones: gpd.GeoDataFrame,
    stats: list[str] | tuple[str, ...] = ("mean",),
    weights: Raster | str | None = None,
    nodata: float | None = None,
) -> pd.DataFrame:
    """Statistics of a raster in polygons (or at points), one row a zone, in the zones' order and with their index.

    `weights` is None (by covered true area), ``"cells"`` (by covered share of the cell only) or a raster of counts or
    shares on the same grid, by which mean, stdev and variance are weighted. `nodata` replaces the file's value.
    Columns: the statistics (NaN where a zone has no valid cell), `cells` (valid covered cells, with fractions) and
    `valid_share` (part of the zone that has data). ``attrs["notes"]`` tells what was converted; ``attrs["weighting"]`` how
    cells were weighted.
    """
    stats = check_stats(list(stats))
    if nodata is not None:
        raster = evolve(raster, nodata=nodata, masked=True)
    notes: list[str] = []
    shapes = on_grid(raster, zones, notes)
    lines = shapely.get_dimensions(shapes) == 1
    if lines.any():
        raise ToolError(
            "bad_argument",
            f"{int(lines.sum())} zones are lines; statistics need areas",
            hint="buffer lines first, or sample along them",
        )
    weighting, kind = _weighting(raster, weights, stats)
    areas = weights in (None, "", "area") and not raster.geographic and any(s in BY_AREA for s in stats)
    odd = uneven(raster, shapes) if areas else np.zeros(len(shapes), bool)
    if odd.any():
        notes.append(
            f"{int(odd.sum())} zones hold cells of unequal true area in this projection: their cells were weighted by it"
        )
    table = pd.DataFrame(index=range(len(shapes)), columns=[*stats, "cells", "valid_share"], dtype=float)
    _fill_points(table, raster, zones, shapes, stats)
    rows, found = statistics_of_areas(raster, shapes, stats, weighting, odd)
    table.iloc[rows, :-1] = found
    table.iloc[rows, -1] = np.minimum(1.0, found[:, -1] * raster.dx * raster.dy / shapely.area(shapes[rows]))
    table.index = zones.index
    table.attrs = {"notes": notes + _remarks(table, shapes), "weighting": kind}
    return table


def _weighting(raster: Raster, weights: Any, stats: list[str]) -> tuple[Any, str]:
    """How covered cells are weighted: a coverage weight of exactextract, or a raster of weights; and that in words."""
    if isinstance(weights, Raster):
        wrong = [s for s in stats if s not in (*BY_AREA, "sum", *UNWEIGHTED)]
        if wrong:
            raise ToolError(
                "bad_argument",
                f"{', '.join(wrong)} cannot be weighted by a raster",
                hint="a weights raster works with mean, stdev, variance and sum",
            )
        if not np.allclose((weights.dx, weights.dy), (raster.dx, raster.dy), rtol=1e-6):
            raise ToolError(
                "bad_argument",
                f"the weights have another grid: cells of {weights.dx:g} × {weights.dy:g} against {raster.dx:g} × {raster.dy:g}",
                hint="bring both to one grid first",
            )
        if weights.known_crs != raster.known_crs:
            raise ToolError(
                "bad_argument",
                "the weights raster has another coordinate reference system",
                hint="bring both to one grid first",
            )
        return weights, f"covered share of the cell × value of {weights.path.name}"
    if weights not in (None, "", "area", "cells"):
        raise ToolError(
            "bad_argument",
            f"weights {weights!r}: expected area, cells or a raster",
            hint="leave it out for covered cell area",
        )
    if weights == "cells":
        return "fraction", "covered share of the cell"
    if raster.geographic:
        return "area_spherical_m2", "covered area of the cell (longitude/latitude grid)"
    return "fraction", "covered share of the cell (cells of equal area)"


def _fill_points(
    table: pd.DataFrame, raster: Raster, zones: gpd.GeoDataFrame, shapes: np.ndarray, stats: list[str]
) -> None:
    """A point's statistics are those of the cell it lies in; no area is covered."""
    at = np.nonzero(shapely.get_type_id(shapes) == 0)[0]
    if not len(at):
        return
    points = zones.geometry.iloc[at].to_crs("EPSG:4326")
    values = raster.sample(points.x, points.y)
    for stat in stats:
        column = (
            np.where(np.isnan(values), np.nan, 0.0)
            if stat in ("stdev", "variance")
            else np.where(np.isnan(values), np.nan, 1.0)
            if stat == "variety"
            else values
        )
        table.iloc[at, table.columns.get_loc(stat)] = column
    table.iloc[at, -2] = 0.0
    table.iloc[at, -1] = np.where(np.isnan(values), 0.0, 1.0)


def _remarks(table: pd.DataFrame, shapes: np.ndarray) -> list[str]:
    share = table["valid_share"].fillna(0.0).to_numpy()
    notes = []
    if (none := int((share == 0.0).sum())) > 0:
        notes.append(
            f"{none} zones have no valid cell (outside the raster or without data); their statistics are missing"
        )
    if (part := int(((share > 0.0) & (share < 0.999)).sum())) > 0:
        notes.append(f"{part} zones are only partly covered by data (see valid_share)")
    small = (table["cells"].to_numpy() < 1.0) & (share > 0.0) & (shapely.get_dimensions(shapes) == 2)
    if small.any():
        notes.append(
            f"{int(small.sum())} zones are smaller than a cell: they have the value of the cells they lie in, by covered share"
        )
    return notes
