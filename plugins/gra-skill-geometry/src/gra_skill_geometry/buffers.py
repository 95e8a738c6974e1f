"""Buffers of features, by geodesics or in a UTM zone."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pyproj
import shapely

from gra_core import ToolError
from gra_geo import antimeridian
from gra_geo.buffer import buffer, dissolved
from gra_geo.crs import WGS84, name_of, utm_crs
from gra_geo.geodesy import area_m2, centroids

# Farther from its middle a UTM zone stretches lengths by more than a thousandth.
UTM_WIDTH = 6.0


def make(
    frame: gpd.GeoDataFrame, distance_m: float, method: str, dissolve: bool, notes: list[str]
) -> gpd.GeoDataFrame:
    """The buffers with column `area_km2`, one a feature in the features' order, or one in all when dissolved."""
    shapes = frame.geometry.to_numpy()
    made = buffer(shapes, distance_m) if method == "geodesic" else _in_utm(shapes, distance_m, notes)
    gone = np.array([s.is_empty for s in made])
    if gone.any() and distance_m < 0:
        notes.append(f"{int(gone.sum())} features vanished: they are narrower than twice the distance")
    if dissolve:
        made = np.array([dissolved(made[~gone])], dtype=object)
        table = gpd.GeoDataFrame(
            {"feature_id": ["dissolved"], "name": [f"{len(frame)} buffers dissolved"]},
            geometry=list(made),
            crs=WGS84,
        )
    else:
        table = frame.set_geometry(gpd.GeoSeries(made, index=frame.index, crs=WGS84))[~gone].reset_index(
            drop=True
        )
    return table.assign(area_km2=area_m2(table.geometry) / 1e6)


def _in_utm(shapes: np.ndarray, distance_m: float, notes: list[str]) -> np.ndarray:
    out, zones = np.empty(len(shapes), dtype=object), set()
    for row, (shape, middle) in enumerate(zip(shapes, centroids(shapes), strict=True)):
        west, _, east, _ = antimeridian.bounds_of([shape])
        if (east - west) % 360.0 > UTM_WIDTH or abs(distance_m) > 100_000.0:
            raise ToolError(
                "bad_argument", f"feature {row + 1} is too large for one UTM zone", hint="use method geodesic"
            )
        crs = utm_crs(middle.x, middle.y)
        zones.add(name_of(crs) or "")
        out[row] = _planar(shape, distance_m, crs)
    notes.append(
        f"buffered in UTM or polar zones {', '.join(sorted(zones)[:10])}: widths are off by up to 0.1 % (0.6 % near the poles)"
    )
    return out


def _planar(shape: shapely.Geometry, distance_m: float, crs: pyproj.CRS) -> shapely.Geometry:
    change = pyproj.Transformer.from_crs(WGS84, crs, always_xy=True)
    flat = shapely.transform(shape, lambda xy: np.column_stack(change.transform(xy[:, 0], xy[:, 1])))
    # Parts cut apart at the 180th meridian are neighbours again in the plane.
    grown = shapely.buffer(shapely.union_all(shapely.get_parts(flat)), distance_m, quad_segs=32)
    parts = []
    for part in shapely.get_parts(grown):
        back = shapely.transform(
            part, lambda xy: np.column_stack(change.transform(xy[:, 0], xy[:, 1], direction="INVERSE"))
        )
        parts.append(antimeridian.cut(back))
    return dissolved(parts) if parts else shapely.Polygon()
