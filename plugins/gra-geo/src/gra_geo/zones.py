"""Zones brought onto a raster's grid: its CRS, its range of longitudes."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import pyproj
import shapely

from gra_core import ToolError
from gra_geo.crs import is_wgs84, name_of, to_wgs84
from gra_geo.measure import geometries
from gra_geo.raster import Raster
from gra_geo.validity import polygons_of

# Degrees to which edges are cut before they are projected, since straight lines bend.
STEP = 0.1


def on_grid(raster: Raster, zones: gpd.GeoDataFrame, notes: list[str]) -> np.ndarray:
    """The zones' geometries in the raster's CRS. What is converted is told in `notes`; an unknown CRS is refused."""
    if zones.crs is not None and not raster.geographic and zones.crs == raster.known_crs:
        return zones.geometry.to_numpy()
    frame, told = to_wgs84(zones, "the zones")
    notes += told
    shapes = geometries(frame.geometry)
    if not raster.geographic:
        notes.append(f"zones reprojected from EPSG:4326 to the raster's {name_of(raster.crs)}")
        return projected(shapes, raster.known_crs, raster.path.name)
    if not is_wgs84(raster.known_crs):
        notes.append(f"zones reprojected from EPSG:4326 to the raster's {name_of(raster.crs)}")
        shapes = _moved(shapes, raster.known_crs)
    return _in_frame(raster, shapes)


def projected(shapes: np.ndarray, crs: pyproj.CRS, what: str) -> np.ndarray:
    """EPSG:4326 geometries in a projected CRS, long edges cut first; `ToolError` where the projection cannot go."""
    moved = _moved(shapely.segmentize(shapes, STEP), crs)
    lost = ~np.isfinite(shapely.bounds(moved)).all(axis=1)
    if lost.any():
        raise ToolError(
            "bad_argument",
            f"{int(lost.sum())} zones cannot be projected to {name_of(crs)}, the CRS of {what}",
            hint="leave out zones far outside the raster",
        )
    broken = np.nonzero(~shapely.is_valid(moved))[0]
    for row in broken:
        moved[row] = polygons_of(shapely.make_valid(moved[row]))
    return moved


def _moved(shapes: np.ndarray, crs: pyproj.CRS) -> np.ndarray:
    change = pyproj.Transformer.from_crs("EPSG:4326", crs, always_xy=True)
    return shapely.transform(shapes, lambda xy: np.column_stack(change.transform(xy[:, 0], xy[:, 1])))


def _in_frame(raster: Raster, shapes: np.ndarray) -> np.ndarray:
    """Shapes moved by whole turns of longitude into the raster's range, cut where they leave it."""
    west, east = raster.bounds[0], raster.bounds[2]
    east = min(east, west + 360.0)
    bounds = shapely.bounds(shapes)
    if west >= -180.0 and east <= 180.0:
        return shapes
    out = shapes.copy()
    for row, (left, _, right, _) in enumerate(bounds):
        if west <= left and right <= east:
            continue
        turns = [t for t in (-360.0, 0.0, 360.0, 720.0) if left + t < east and right + t > west]
        out[row] = _shifted(shapes[row], turns, west, east)
    return out


def _shifted(shape: Any, turns: list[float], west: float, east: float) -> Any:
    if not turns:
        return shape
    parts = [shapely.transform(shape, lambda xy, t=t: xy + np.array([t, 0.0])) for t in turns]
    if len(parts) == 1 or shape.geom_type == "Point":
        return parts[0]
    window = shapely.box(west, -90.0, east, 90.0)
    return polygons_of(shapely.union_all([polygons_of(shapely.intersection(p, window)) for p in parts]))
