"""Spread of forecast tracks, and how often they hit regions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import shapely

from gra_geo.protocols import QUADRANTS
from gra_skill_tropical_cyclones.category import label, saffir_simpson
from gra_skill_tropical_cyclones.region import GEOD
from gra_skill_tropical_cyclones.swath import make_swath


def members(tracks: pd.DataFrame) -> int:
    """Number of members."""
    return int(tracks["sample"].nunique())


def lead_rows(tracks: pd.DataFrame) -> list[dict[str, Any]]:
    """Per lead time: mean position and wind over the members present, their number, and their mean distance from
    the mean position."""
    rows = []
    for lead, group in tracks.groupby("lead_hours", sort=True):
        lon, lat = _centre(group["lon"].to_numpy(float), group["lat"].to_numpy(float))
        _, _, metres = GEOD.inv(
            np.full(len(group), lon),
            np.full(len(group), lat),
            group["lon"].to_numpy(float),
            group["lat"].to_numpy(float),
        )
        wind, pressure = group["wind_kt"].mean(), group["pressure_hpa"].mean()
        row = {
            "lead_hours": _plain(lead), "valid_time": group["valid_time"].iloc[0].isoformat(), "lon": round(lon, 3), "lat": round(lat, 3),
            "wind_kt": _plain(wind), "pressure_hpa": _plain(pressure), "class": label(saffir_simpson(wind)),
        }  # fmt: skip
        if group["sample"].nunique() > 1:
            row |= {
                "members": int(group["sample"].nunique()), "spread_km": round(float(np.mean(metres)) / 1000.0, 1),
                "wind_kt_p10": _plain(group["wind_kt"].quantile(0.1)), "wind_kt_p90": _plain(group["wind_kt"].quantile(0.9)),
            }  # fmt: skip
        rows.append(row)
    return rows


def _plain(value: Any) -> float | None:
    value = float(value)
    return round(value, 2) if np.isfinite(value) else None


def _centre(lon: np.ndarray, lat: np.ndarray) -> tuple[float, float]:
    """The mean position on the sphere, so that the 180th meridian does not matter."""
    lam, phi = np.radians(lon), np.radians(lat)
    x, y, z = np.mean(np.cos(phi) * np.cos(lam)), np.mean(np.cos(phi) * np.sin(lam)), np.mean(np.sin(phi))
    return float(np.degrees(np.arctan2(y, x))), float(np.degrees(np.arctan2(z, np.hypot(x, y))))


def strike_table(tracks: pd.DataFrame, regions: Any, wind_kt: int) -> tuple[pd.DataFrame, int, int]:
    """Per region: probability, members that strike, first and median time of arrival (6-hourly). Also the number of
    members of the run, and of positions with the wind but without radii."""
    shapes = regions.geometry.to_numpy()
    arrivals: list[dict[Any, pd.Timestamp]] = [{} for _ in shapes]
    unknown = 0
    for (_, sample), track in tracks.groupby(["storm_id", "sample"], sort=True):
        unknown += _unknown(track, wind_kt)
        swath = make_swath(track, wind_kt, time="valid_time")
        if swath is None:
            continue
        for index in np.nonzero(shapely.intersects(shapes, swath.geometry))[0]:
            time = _arrival(track, shapes[index], wind_kt)
            known = arrivals[index].get(sample)
            arrivals[index][sample] = time if known is None else min(known, time)
    count = members(tracks)
    rows = [
        {
            "region_id": region, "name": name, "probability": len(times) / count, "members": len(times),
            "first_arrival": min(times.values(), default=pd.NaT), "median_arrival": pd.Series(list(times.values()), dtype="datetime64[ns]").median(),
        }
        for region, name, times in zip(regions["region_id"], regions["name"], arrivals, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(rows), count, unknown


def _unknown(track: pd.DataFrame, wind_kt: int) -> int:
    columns = [f"r{wind_kt}_{q}_km" for q in QUADRANTS]
    return int((track.reindex(columns=columns).isna().all(axis=1) & (track["wind_kt"] >= wind_kt)).sum())


def _arrival(track: pd.DataFrame, shape: shapely.Geometry, wind_kt: int) -> pd.Timestamp:
    """The first time step by whose end the wind has reached a region."""
    for end in range(1, len(track) + 1):
        swath = make_swath(track.iloc[max(0, end - 2) : end], wind_kt, time="valid_time")
        if swath is not None and shapely.intersects(shape, swath.geometry):
            return track["valid_time"].iloc[end - 1]
    return track["valid_time"].iloc[-1]
