"""Storm tracks: which storms came near a place or crossed a region, and where they were closest."""

from __future__ import annotations

import numpy as np
import pandas as pd
import shapely
from attrs import frozen
from pyproj import Geod

from gra_core import IllPosed

GEOD = Geod(ellps="WGS84")
STEP_KM = 2.0
# A track is known between fixes at most this far apart.
LONGEST_GAP = pd.Timedelta(hours=24)
# No storm moves farther from one fix to the middle of the way to the next.
LONGEST_LEG_DEG = 6.0
KM_PER_DEG = 110.5
# Storms that come this near a limit (share of the distance, degrees) are too near it.
NEAR, EDGE_DEG = 0.01, 0.03


def lifetime(fixes: pd.DataFrame) -> pd.DataFrame:
    """One row a storm: storm_id, name, strongest wind_kt, highest category."""
    grouped = fixes.groupby("storm_id", sort=True)
    return grouped.agg(
        name=("name", "first"), wind_kt=("wind_kt", "max"), category=("category", "max")
    ).reset_index()


def passing(
    fixes: pd.DataFrame, lon: float, lat: float, radius_km: float, first: int, last: int, category: int
) -> pd.DataFrame:
    """The storms of `lifetime` whose track came within a distance of a point in some calendar years and that reached
    a category in their life, with distance_km, time, lon and lat of their closest approach.

    `IllPosed` when it hangs on a percent of the distance.
    """
    points = along(fixes[fixes["peak"] >= category], Box.around(lon, lat, radius_km))
    points["distance_km"] = distances(points, lon, lat)
    closest = points.loc[points.groupby("storm_id")["distance_km"].idxmin()]
    surely = set(closest.loc[closest["distance_km"] <= radius_km * (1 - NEAR), "storm_id"])
    return _agreed(fixes, surely, closest[closest["distance_km"] <= radius_km * (1 + NEAR)], first, last)


def distances(points: pd.DataFrame, lon: float, lat: float) -> pd.Series:
    """Geodesic distances in km of points from one place."""
    n = len(points)
    metres = GEOD.inv(
        np.full(n, lon),
        np.full(n, lat),
        points["lon"].to_numpy(dtype=float),
        points["lat"].to_numpy(dtype=float),
    )[2]
    return pd.Series(metres / 1000, index=points.index)


def crossing(
    fixes: pd.DataFrame, region: shapely.Geometry, first: int, last: int, category: int
) -> pd.DataFrame:
    """The storms whose track entered a region (which must not reach the date line), as for `passing` without a distance.

    `IllPosed` when it hangs on details of the outline.
    """
    west, south, east, north = region.bounds
    points = along(fixes[fixes["peak"] >= category], Box(west, south, east, north))
    inner, outer = shapely.buffer(region, -EDGE_DEG), shapely.buffer(region, EDGE_DEG)
    lon, lat = points["lon"].to_numpy(), points["lat"].to_numpy()
    surely = set(points.loc[shapely.intersects_xy(inner, lon, lat), "storm_id"])
    perhaps = points[shapely.intersects_xy(outer, lon, lat)].drop_duplicates("storm_id")
    return _agreed(fixes, surely, perhaps, first, last)


def _agreed(
    fixes: pd.DataFrame, surely: set[str], perhaps: pd.DataFrame, first: int, last: int
) -> pd.DataFrame:
    years = perhaps["time"].dt.year
    perhaps = perhaps[years.between(first, last)]
    if unclear := set(perhaps["storm_id"]) - surely:
        raise IllPosed(f"it is not clear whether {len(unclear)} storms count")
    return lifetime(fixes[fixes["storm_id"].isin(perhaps["storm_id"])]).merge(perhaps, on="storm_id")


@frozen
class Box:
    """Bounds in degrees; longitudes may run on beyond 180."""

    west: float
    south: float
    east: float
    north: float

    @classmethod
    def around(cls, lon: float, lat: float, radius_km: float) -> Box:
        """A box that holds a circle (away from the poles)."""
        up = radius_km / KM_PER_DEG
        aside = up / np.cos(np.radians(min(85.0, abs(lat) + up)))
        return cls(lon - aside, lat - up, lon + aside, lat + up)

    def near(self, points: pd.DataFrame, reach_deg: float) -> np.ndarray:
        """Which points lie within some degrees of the box."""
        lon, lat = points["lon"].to_numpy(dtype=float), points["lat"].to_numpy(dtype=float)
        middle, half = (self.west + self.east) / 2, (self.east - self.west) / 2
        aside = np.abs((lon - middle + 180) % 360 - 180) <= half + reach_deg / np.cos(
            np.radians(np.minimum(85, np.abs(lat)))
        )
        return aside & (lat >= self.south - reach_deg) & (lat <= self.north + reach_deg)


def along(fixes: pd.DataFrame, box: Box) -> pd.DataFrame:
    """Points at most `STEP_KM` apart on the geodesics between successive fixes of each storm (sorted by storm and
    time), as far as they may touch a box: storm_id, time, lon and lat. The fixes are among them."""
    storm, time = fixes["storm_id"].to_numpy(), fixes["time"].to_numpy()
    joined = (storm[:-1] == storm[1:]) & (time[1:] - time[:-1] <= LONGEST_GAP)
    near = box.near(fixes, LONGEST_LEG_DEG)
    legs = np.flatnonzero(joined & (near[:-1] | near[1:]))
    lon, lat = fixes["lon"].to_numpy(dtype=float), fixes["lat"].to_numpy(dtype=float)
    azimuth, _, length = GEOD.inv(lon[legs], lat[legs], lon[legs + 1], lat[legs + 1])
    pieces = np.maximum(1, np.ceil(length / 1000 / STEP_KM)).astype(int)
    leg = np.repeat(np.arange(len(legs)), pieces)
    share = (np.arange(len(leg)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) / pieces[leg]
    at = legs[leg]
    between_lon, between_lat, _ = GEOD.fwd(lon[at], lat[at], azimuth[leg], length[leg] * share)
    between = pd.DataFrame(
        {
            "storm_id": storm[at],
            "time": time[at] + (time[at + 1] - time[at]) * share,
            "lon": between_lon,
            "lat": between_lat,
        }
    )
    return pd.concat(
        [fixes.loc[near, ["storm_id", "time", "lon", "lat"]], between[share > 0]], ignore_index=True
    )
