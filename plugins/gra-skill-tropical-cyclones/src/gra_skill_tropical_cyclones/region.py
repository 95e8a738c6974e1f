"""A region as tracks meet it: is a point inside, how far is a point outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from pyproj import Geod
from scipy.spatial import cKDTree

from gra_core import ToolContext, ToolError

GEOD = Geod(ellps="WGS84")
# Edges are cut to this length, so that the nearest ones are found by their middles and are straight in space.
EDGE_DEG = 0.02
NEAREST_EDGES = 12
_RADIUS_M = 6_378_137.0
_E2 = 6.69437999014e-3


class Region:
    """A geometry in EPSG:4326 (edges straight in longitude and latitude, nothing across the 180th meridian).

    Distances are geodesic on WGS84, in metres, and zero inside polygons.
    """

    def __init__(self, geometry: shapely.Geometry) -> None:
        self.geometry = geometry
        shapely.prepare(geometry)
        starts, ends = _edges(geometry)
        self._lonlat = starts, ends
        self._a, self._b = to_space(*starts.T), to_space(*ends.T)
        self._tree = cKDTree((self._a + self._b) / 2)
        self._longest = float(np.max(np.linalg.norm(self._a - self._b, axis=1), initial=0.0))

    def contains(self, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        """Whether points are inside or on the edge of a polygon."""
        return shapely.intersects_xy(self.geometry, lon, lat)

    def lower_bound(self, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        """A distance that the true one is never below, in metres; quick."""
        straight, _ = self._tree.query(to_space(lon, lat))
        return np.where(self.contains(lon, lat), 0.0, np.maximum(0.0, straight - self._longest / 2))

    def distance(self, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
        """Distance to the nearest edge among the few whose middles are nearest; zero inside."""
        count = min(NEAREST_EDGES, len(self._a))
        _, index = self._tree.query(to_space(lon, lat), k=count)
        return self._to_edges(
            np.asarray(lon, float), np.asarray(lat, float), np.asarray(index).reshape(len(lon), count)
        )

    def exact_distance(self, lon: float, lat: float) -> float:
        """Distance to the nearest edge of all, for one point."""
        where = to_space(np.array([lon]), np.array([lat]))
        nearest = self._tree.query(where)[0][0]
        index = self._tree.query_ball_point(where[0], nearest + self._longest / 2 + 1.0)
        return float(self._to_edges(np.array([lon]), np.array([lat]), np.array([index]))[0])

    def _to_edges(self, lon: np.ndarray, lat: np.ndarray, index: np.ndarray) -> np.ndarray:
        """Geodesic distance to the foot on the edge that is nearest in space."""
        points = to_space(lon, lat)[:, None, :]
        a, along = self._a[index], self._b[index] - self._a[index]
        length = np.einsum("ijk,ijk->ij", along, along)
        share = np.einsum("ijk,ijk->ij", points - a, along) / np.where(length > 0, length, 1.0)
        share = np.clip(share, 0.0, 1.0)
        gaps = np.linalg.norm(points - (a + share[..., None] * along), axis=2)
        rows = np.arange(len(lon))
        best = np.argmin(gaps, axis=1)
        starts, ends = self._lonlat[0][index[rows, best]], self._lonlat[1][index[rows, best]]
        feet = starts + share[rows, best][:, None] * (ends - starts)
        _, _, metres = GEOD.inv(lon, lat, feet[:, 0], feet[:, 1])
        return np.where(self.contains(lon, lat), 0.0, metres)


def to_space(lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
    """Points on the WGS84 ellipsoid as x, y, z in metres; straight-line distances are never above geodesic ones."""
    phi, lam = np.radians(np.asarray(lat, float)), np.radians(np.asarray(lon, float))
    normal = _RADIUS_M / np.sqrt(1.0 - _E2 * np.sin(phi) ** 2)
    x, y = normal * np.cos(phi) * np.cos(lam), normal * np.cos(phi) * np.sin(lam)
    return np.stack([x, y, normal * (1.0 - _E2) * np.sin(phi)], axis=-1)


def _edges(geometry: shapely.Geometry) -> tuple[np.ndarray, np.ndarray]:
    """Starts and ends of all edges, cut to `EDGE_DEG`; a point is an edge of no length."""
    parts = shapely.get_parts(shapely.get_parts(np.atleast_1d(geometry)))
    points = shapely.get_coordinates(parts[shapely.get_type_id(parts) == 0])
    starts, ends = [points], [points]
    polygons = parts[shapely.get_type_id(parts) == 3]
    lines = np.concatenate([parts[shapely.get_dimensions(parts) == 1], shapely.get_rings(polygons)])
    for line in shapely.segmentize(lines, EDGE_DEG):
        coordinates = shapely.get_coordinates(line)
        starts.append(coordinates[:-1])
        ends.append(coordinates[1:])
    return np.concatenate(starts), np.concatenate(ends)


def read_region(ctx: ToolContext, region: Any) -> tuple[Region, str, list[str]]:
    """The region of a tool argument (union of all its features), a label for it, and notes.

    Read by `gra_geo.inputs.read_features`; a pair of numbers is a point ``[lon, lat]``.
    """
    from gra_geo.inputs import read_features

    read = read_features(ctx, region)
    geometry = shapely.union_all(read.frame.geometry.to_numpy())
    if geometry.is_empty:
        raise ToolError(
            "bad_argument",
            "region is empty",
            hint="give a region id, a dataset with features, GeoJSON or [lon, lat]",
        )
    return Region(geometry), _label(read.frame), list(read.notes)


def _label(frame: Any) -> str:
    names = [str(n) for n in frame["name"].dropna()] if "name" in frame else []
    if not names:
        return "the region given"
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
