"""The tools of skill ``terrain-slope``. Nothing heavy is imported before one is called."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from gra_core import Column, Param, ToolContext, ToolError, ToolResult, tool
from gra_geo.arguments import Points, Regions

SHOWN = 25
COVERAGE = "Land of the whole Earth at about 18 km, a few places at about 90 m (atlas); your own GeoTIFF files at their resolution"
COARSE_M = 500.0

Spacing = Annotated[float, Param(minimum=0)]


@tool(sources=("elevation", "boundaries?"), coverage=COVERAGE, resolution="the elevation model's cells, said in every reply",
      limits="one elevation model a call: the finest that covers all regions")  # fmt: skip
def compute_elevation_stats(
    ctx: ToolContext,
    regions: Regions,
    stats: list[str] = ["mean", "min", "max"],  # noqa: B006
    dem: str = "",
) -> ToolResult:
    """Elevation of regions in metres above sea level: mean, lowest, highest, percentiles.

    Cells are weighted by their covered area. Comes back: one row a region, highest first statistic first, and the
    elevation model with its cell size.

    Args:
        regions: Region ids, a dataset reference or GeoJSON; points get the height of their cell.
        stats: mean, min, max, median, stdev, or percentiles such as p90.
        dem: Name of an elevation model or a reference of a raster in metres; empty for the finest that covers all.
    """
    return _statistics(ctx, regions, stats, dem, "m")


@tool(sources=("elevation", "boundaries?"), coverage=COVERAGE, resolution="the elevation model's cells, said in every reply",
      limits="slope depends on the cell size: coarse models flatten hills")  # fmt: skip
def compute_slope_stats(
    ctx: ToolContext,
    regions: Regions,
    units: Literal["percent", "degrees"] = "percent",
    stats: list[str] = ["mean", "max"],  # noqa: B006
    dem: str = "",
) -> ToolResult:
    """Slope of the ground in regions, as percent grade (100 × rise / run) or degrees: mean, steepest, percentiles.

    By Horn's method with true cell sizes. Comes back: one row a region, steepest first, and the elevation model with its
    cell size. Only slopes from the same model compare.

    Args:
        regions: Region ids, a dataset reference or GeoJSON.
        units: percent or degrees (100 percent is 45 degrees).
        stats: mean, max, median, stdev, min, or percentiles such as p90.
        dem: Name of an elevation model or a reference of a raster in metres; empty for the finest that covers all.
    """
    return _statistics(ctx, regions, stats, dem, units)


def _statistics(ctx: ToolContext, regions: Any, stats: list[str], dem: str, units: str) -> ToolResult:
    from gra_geo.frames import rows_of
    from gra_geo.inputs import read_features
    from gra_geo.zonal import check_stats, zonal_stats
    from gra_skill_terrain_slope.dem import choose
    from gra_skill_terrain_slope.slope import Slope

    stats = check_stats(stats)
    if "sum" in stats:
        raise ToolError(
            "bad_argument",
            "heights and slopes do not add up: sum has no meaning",
            hint="use mean, min, max or percentiles",
        )
    read = read_features(ctx, regions)
    notes = list(read.notes)
    model = choose(ctx, read.frame.geometry.to_numpy(), dem, notes)
    values = model.raster if units == "m" else Slope.of(model.raster, units)
    table = zonal_stats(values, read.frame, stats)
    notes += table.attrs["notes"]
    if not (table["valid_share"] > 0).any():
        return ToolResult.empty(f"the elevation model {model.name} has no land in these regions", notes=notes)
    if units != "m" and model.resolution_m > COARSE_M:
        notes.append(
            f"slopes between cells of {model.resolution_m:g} m are far gentler than on the ground: use them to compare regions, not as local slopes"
        )
    names = {s: f"{'elevation' if units == 'm' else 'slope'}_{s}_{units}" for s in stats}
    joined = read.frame[["feature_id", "name", "geometry"]].join(table).rename(columns=names)
    ranked = joined.sort_values([names[stats[0]], "feature_id"], ascending=[False, True], kind="stable")
    shown = ["feature_id", "name", *names.values(), "cells", "valid_share"]
    content = {
        "dem": model.facts(),
        "unit": units,
        "weighting": table.attrs["weighting"],
        "rows": rows_of(ranked, SHOWN, shown),
        "rows_left_out": max(0, len(ranked) - SHOWN),
    }
    columns = {n: Column(unit=units, quantity="intensive") for n in names.values()}
    saved = ctx.save(
        joined, name="elevation-stats" if units == "m" else "slope-stats", columns=columns, notes=tuple(notes)
    )
    return ToolResult.ok(content, datasets=[saved], notes=notes)


@tool(sources=("elevation", "places?"), coverage=COVERAGE, resolution="bilinear between the cells of the elevation model",
      limits="at most 100,000 samples")  # fmt: skip
def sample_elevation_profile(
    ctx: ToolContext, line: Points, spacing_m: Spacing = 0.0, dem: str = ""
) -> ToolResult:
    """Elevation along a line or from place to place, at even steps on the ground.

    Comes back: length, lowest and highest point, total ascent and descent, steepest step, and a dataset with distance_m,
    lon, lat and elevation_m of every sample.

    Args:
        line: A GeoJSON LineString, a dataset reference of one line, or two and more places (names, ids or [longitude, latitude] pairs) in order.
        spacing_m: Metres between samples; 0 for the elevation model's cell size.
        dem: Name of an elevation model or a reference of a raster in metres; empty for the finest that covers the line.
    """
    import numpy as np

    from gra_geo.frames import plain, points_frame, rows_of
    from gra_geo.inputs import read_features
    from gra_skill_terrain_slope.dem import choose
    from gra_skill_terrain_slope.profile import profile, route_of, summarize

    read = read_features(ctx, line)
    route, names = route_of(read.frame)
    notes = list(read.notes)
    model = choose(ctx, read.frame.geometry.to_numpy(), dem, notes)
    spacing = spacing_m or model.resolution_m
    table = profile(model.raster, route, spacing)
    if table["elevation_m"].isna().all():
        return ToolResult.empty(f"the elevation model {model.name} has no land along this line", notes=notes)
    content: dict[str, Any] = {"dem": model.facts(), "spacing_m": spacing, **plain(summarize(table))}
    if names:
        content["via"] = names
    step = max(1, int(np.ceil(len(table) / SHOWN)))
    content["rows"] = rows_of(table.iloc[sorted({*range(0, len(table), step), len(table) - 1})], SHOWN + 1)
    columns = {"distance_m": Column(unit="m"), "elevation_m": Column(unit="m", quantity="intensive")}
    saved = ctx.save(points_frame(table), name="elevation-profile", columns=columns, notes=tuple(notes))
    return ToolResult.ok(content, datasets=[saved], notes=notes)
