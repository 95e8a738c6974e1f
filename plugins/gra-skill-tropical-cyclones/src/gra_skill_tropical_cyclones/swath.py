"""Areas with a wind of at least a threshold, from wind radii recorded in four quadrants."""

from __future__ import annotations

import numpy as np
import pandas as pd
import shapely
from attrs import frozen

from gra_geo.antimeridian import cut
from gra_geo.protocols import QUADRANTS
from gra_skill_tropical_cyclones.region import GEOD

STEP_KM = 10.0
LONGEST_GAP_H = 12.0
ARC_DEG = 5.0


@frozen(kw_only=True)
class Swath:
    """`geometry` is in EPSG:4326 (cut at the 180th meridian); `area_km2` is geodesic. `fixes_without` counts fixes with
    a wind above the threshold but no recorded radii: the swath has gaps there."""

    geometry: shapely.Geometry
    area_km2: float
    fixes_with: int
    fixes_without: int


def radii_of(fixes: pd.DataFrame, wind_kt: int) -> np.ndarray:
    """Radii in metres, one column a quadrant (NE, SE, SW, NW). A missing quadrant is zero when another quadrant of
    the fix is recorded, or when the storm is weaker than the threshold; else the whole fix is NaN (unknown)."""
    columns = [f"r{wind_kt}_{q}_km" for q in QUADRANTS]
    radii = fixes.reindex(columns=columns).to_numpy(float) * 1000.0
    known = ~np.isnan(radii).all(axis=1) | (fixes["wind_kt"].to_numpy(float) < wind_kt)
    return np.where(known[:, None], np.nan_to_num(radii), np.nan)


def make_swath(fixes: pd.DataFrame, wind_kt: int, *, time: str = "time") -> Swath | None:
    """The swath of one track (fixes sorted by time); None when no radius is known. Between fixes position and radii
    change evenly; gaps of more than `LONGEST_GAP_H` hours, and fixes with unknown radii, are not bridged."""
    radii = radii_of(fixes, wind_kt)
    known = ~np.isnan(radii).any(axis=1)
    if not (radii[known] > 0).any():
        return None
    lon, lat = fixes["lon"].to_numpy(float), fixes["lat"].to_numpy(float)
    hours = np.diff(fixes[time].to_numpy()) / np.timedelta64(1, "h")
    parts = []
    for i in range(len(fixes)):
        joined = i + 1 < len(fixes) and known[i] and known[i + 1] and hours[i] <= LONGEST_GAP_H
        if joined and (radii[i].any() or radii[i + 1].any()):
            parts += _leg(lon[i : i + 2], lat[i : i + 2], radii[i : i + 2])
        elif known[i] and radii[i].any():
            parts.append(quadrants(lon[i], lat[i], radii[i]))
    geometry = cut(_joined(parts, lon[0]))
    return Swath(
        geometry=geometry, area_km2=abs(GEOD.geometry_area_perimeter(shapely.normalize(shapely.orient_polygons(geometry)))[0]) / 1e6,
        fixes_with=int((known & (np.nan_to_num(radii) > 0).any(axis=1)).sum()), fixes_without=int((~known).sum()),
    )  # fmt: skip


def _leg(lon: np.ndarray, lat: np.ndarray, radii: np.ndarray) -> list[shapely.Geometry]:
    azimuth, _, length = GEOD.inv(lon[0], lat[0], lon[1], lat[1])
    count = max(1, int(np.ceil(length / 1000.0 / STEP_KM)))
    shapes = []
    for share in np.linspace(0.0, 1.0, count + 1):
        x, y, _ = GEOD.fwd(lon[0], lat[0], azimuth, length * share)
        r = radii[0] + (radii[1] - radii[0]) * share
        if r.any():
            shapes.append(quadrants(x, y, r))
    return shapes


def quadrants(lon: float, lat: float, radii_m: np.ndarray) -> shapely.Geometry:
    """The area inside four quarter circles (NE, SE, SW, NW) around a point; longitudes run on from the point's."""
    turns = np.arange(0.0, 90.0 + ARC_DEG / 2, ARC_DEG)
    azimuth = np.concatenate([start + turns for start in (0.0, 90.0, 180.0, 270.0)])
    radius = np.repeat(radii_m, len(turns))
    x, y, _ = GEOD.fwd(np.full(len(azimuth), lon), np.full(len(azimuth), lat), azimuth, radius)
    x = lon + (np.asarray(x) - lon + 180.0) % 360.0 - 180.0
    shape = shapely.Polygon(np.column_stack([x, y]))
    return shape if shape.is_valid else shapely.make_valid(shape)


def _joined(parts: list[shapely.Geometry], origin: float) -> shapely.Geometry:
    """The union of parts whose longitudes are brought near one origin."""
    moved = []
    for part in parts:
        middle = (part.bounds[0] + part.bounds[2]) / 2
        shift = 360.0 * round((origin - middle) / 360.0)
        moved.append(
            shapely.transform(part, lambda xy, shift=shift: xy + np.array([shift, 0.0])) if shift else part
        )
    union = shapely.union_all(moved)
    polygons = [g for g in shapely.get_parts(union) if g.geom_type == "Polygon"]
    return shapely.MultiPolygon(polygons) if len(polygons) > 1 else polygons[0]
