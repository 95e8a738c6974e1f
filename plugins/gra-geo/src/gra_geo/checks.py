"""Geometries proved usable before anything is computed from them."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import shapely

from gra_core import ToolError
from gra_geo import antimeridian, validity
from gra_geo.frames import WGS84

# Coordinates stored with rounding may leave the range by this much.
SLACK = 1e-6


def checked(frame: gpd.GeoDataFrame, what: str, notes: list[str]) -> gpd.GeoDataFrame:
    """The frame with its geometries proved usable: present, finite, in range, valid, cut at the 180th meridian."""
    frame = frame.reset_index(drop=True)
    shapes = shapely.force_2d(frame.geometry.to_numpy())
    shapes = _in_range(shapes, what)
    lacking = np.array([g is None or g.is_empty for g in shapes])
    if lacking.any():
        rows = ", ".join(str(i + 1) for i in np.nonzero(lacking)[0][:5])
        raise ToolError(
            "bad_argument",
            f"{what}: {int(lacking.sum())} features have an empty geometry (row {rows})",
            hint="leave them out",
        )
    shapes = _whole(shapes, what, notes)
    return frame.set_geometry(gpd.GeoSeries(shapes, crs=WGS84, index=frame.index))


def _in_range(shapes: np.ndarray, what: str) -> np.ndarray:
    xy, owner = shapely.get_coordinates(shapes, return_index=True)
    finite = np.isfinite(xy).all(axis=1)
    if not finite.all():
        row = int(owner[~finite][0])
        raise ToolError(
            "bad_argument",
            f"{what}: row {row + 1} has coordinates that are not numbers (NaN or infinite)",
            hint="drop such rows first",
        )
    for axis, limit, name in ((1, 90.0, "latitude"), (0, 180.0, "longitude")):
        beyond = np.abs(xy[:, axis]) > limit + SLACK
        if beyond.any():
            value = float(xy[beyond][0, axis])
            raise ToolError(
                "bad_argument",
                f"{what}: {name} {value:g} of row {int(owner[beyond][0]) + 1} is beyond ±{limit:g}",
                hint=_range_hint(name, value),
            )
    if (np.abs(xy) > [180.0, 90.0]).any():
        return shapely.transform(shapes, lambda a: np.clip(a, [-180.0, -90.0], [180.0, 90.0]))
    return shapes


def _range_hint(name: str, value: float) -> str:
    if name == "latitude":
        return "coordinates are [longitude, latitude]; were they given the other way round?"
    inside = float(antimeridian.wrap(value))
    return f"longitudes run from −180 to 180: write {value:g} as {inside:g} (a shape may cross the 180th meridian as it is)"


def _whole(shapes: np.ndarray, what: str, notes: list[str]) -> np.ndarray:
    """Cut at the 180th meridian and repair, each row that needs it."""
    bounds = shapely.bounds(shapes)
    doubtful = ~shapely.is_valid(shapes) | (bounds[:, 2] - bounds[:, 0] > 180.0)
    shapes = shapes.copy()
    cut, mended = 0, 0
    for row in np.nonzero(doubtful)[0]:
        try:
            whole = antimeridian.cut(shapes[row], validity.repair)
            fixed = validity.repair(whole)
        except validity.AmbiguousShape as error:
            raise ToolError(
                "bad_argument",
                f"{what}: the polygon of row {row + 1} is not usable: {error}",
                hint="give the ring so that it does not cross itself, or split it",
            ) from error
        cut += whole is not shapes[row]
        mended += fixed is not whole
        shapes[row] = fixed
    if cut:
        notes.append(
            f"{what}: {cut} shapes with steps over 180 degrees of longitude were read as crossing the 180th meridian or circling a pole"
        )
    if mended:
        notes.append(f"{what}: {mended} invalid polygons were repaired without changing their area")
    return shapes
