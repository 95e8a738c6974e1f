"""Elevation along a line, sampled at even geodesic steps."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely

from gra_core import ToolError
from gra_geo.geodesy import GEOD
from gra_geo.raster import Raster

MOST_SAMPLES = 100_000


def route_of(frame: gpd.GeoDataFrame) -> tuple[np.ndarray, list[str]]:
    """The positions of one line, or of two and more points joined in their order; and the names of the points."""
    kinds = set(frame.geom_type)
    if kinds == {"Point"} and len(frame) > 1:
        return shapely.get_coordinates(frame.geometry), list(frame["name"])
    if kinds <= {"LineString", "MultiLineString"} and len(frame) == 1:
        return _one_line(frame.geometry.iloc[0]), []
    what = "one point" if kinds == {"Point"} else f"{len(frame)} features of type {', '.join(sorted(kinds))}"
    raise ToolError(
        "bad_argument",
        f"a profile follows one line or joins points, got {what}",
        hint="give a LineString, or two or more points in order",
    )


def _one_line(shape: Any) -> np.ndarray:
    """A line's positions; parts that follow on each other (as after a cut at the 180th meridian) are joined."""
    parts = [np.asarray(p.coords)[:, :2] for p in shapely.get_parts(shape)]
    line = [parts.pop(0)]
    while parts:
        at = next((i for i, p in enumerate(parts) if _same(line[-1][-1], p[0])), None)
        if at is None:
            before = next((i for i, p in enumerate(parts) if _same(p[-1], line[0][0])), None)
            if before is None:
                raise ToolError(
                    "bad_argument",
                    "the line has parts that do not follow on each other",
                    hint="give one connected line",
                )
            line.insert(0, parts.pop(before))
        else:
            line.append(parts.pop(at))
    return np.concatenate([line[0], *(p[1:] for p in line[1:])])


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(abs(a[1] - b[1]) < 1e-9 and abs((a[0] - b[0] + 180.0) % 360.0 - 180.0) < 1e-9)


def stations(route: np.ndarray, spacing_m: float) -> pd.DataFrame:
    """Places every `spacing_m` along the geodesics of a route, its end included: distance_m, lon, lat."""
    azimuth, _, leg = (np.asarray(v, float) for v in GEOD.inv(*route[:-1].T, *route[1:].T))
    ends = np.cumsum(leg)
    if ends[-1] == 0.0:
        raise ToolError("bad_argument", "the line has no length", hint="give two different places")
    if ends[-1] / spacing_m > MOST_SAMPLES:
        raise ToolError(
            "bad_argument",
            f"{ends[-1] / spacing_m:,.0f} samples are too many (at most {MOST_SAMPLES:,})",
            hint="give a larger spacing_m",
        )
    along = np.arange(0.0, ends[-1], spacing_m)
    if ends[-1] - along[-1] > 1e-6:
        along = np.append(along, ends[-1])
    which = np.clip(np.searchsorted(ends, along, side="left"), 0, len(leg) - 1)
    start = ends[which] - leg[which]
    lon, lat, _ = GEOD.fwd(route[which, 0], route[which, 1], azimuth[which], along - start)
    table = pd.DataFrame({"distance_m": along, "lon": np.asarray(lon), "lat": np.asarray(lat)})
    table.iloc[-1, 1:] = route[-1]
    return table


def profile(raster: Raster, route: np.ndarray, spacing_m: float) -> pd.DataFrame:
    """Elevation in metres (bilinear between cell centres, NaN without data) at the stations of a route."""
    table = stations(route, spacing_m)
    return table.assign(elevation_m=raster.sample(table["lon"], table["lat"], bilinear=True))


def summarize(table: pd.DataFrame) -> dict[str, Any]:
    """Length, lowest and highest place, ascent and descent (between neighbouring samples with data), steepest step."""
    height, along = table["elevation_m"].to_numpy(), table["distance_m"].to_numpy()
    rise, run = np.diff(height), np.diff(along)
    known = ~np.isnan(rise)
    low, high = int(np.nanargmin(height)), int(np.nanargmax(height))
    grade = 100.0 * rise[known] / run[known]
    steepest = float(grade[np.argmax(np.abs(grade))]) if len(grade) else None
    return {
        "length_m": along[-1], "samples": len(table), "without_data": int(np.isnan(height).sum()),
        "start_m": height[0], "end_m": height[-1], "min_m": height[low], "max_m": height[high],
        "min_at_m": along[low], "max_at_m": along[high], "ascent_m": rise[known & (rise > 0)].sum(),
        "descent_m": abs(rise[known & (rise < 0)].sum()), "steepest_grade_percent": steepest,
    }  # fmt: skip
