"""How near storms came to a region: along the whole track, not only at its fixes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen

from gra_skill_tropical_cyclones.category import saffir_simpson
from gra_skill_tropical_cyclones.region import GEOD, Region

STEP_M = 10_000.0
LONGEST_GAP_H = 24.0


@frozen(kw_only=True)
class Legs:
    """Parts of tracks between consecutive fixes of one storm, and lone fixes as legs of no length.

    `first` and `last` are row numbers of the table of fixes.
    """

    first: np.ndarray
    last: np.ndarray
    azimuth: np.ndarray
    length_m: np.ndarray

    @classmethod
    def of(cls, fixes: pd.DataFrame) -> Legs:
        """Legs of a table sorted by storm and time. Gaps of more than a day are not bridged."""
        storm, time = fixes["storm_id"].to_numpy(), fixes["time"].to_numpy()
        count = len(fixes)
        hours = np.diff(time) / np.timedelta64(1, "h")
        joined = (storm[1:] == storm[:-1]) & (hours <= LONGEST_GAP_H)
        starts = np.nonzero(joined)[0]
        alone = np.setdiff1d(np.arange(count), np.concatenate([starts, starts + 1]))
        first, last = np.concatenate([starts, alone]), np.concatenate([starts + 1, alone])
        lon, lat = fixes["lon"].to_numpy(float), fixes["lat"].to_numpy(float)
        azimuth, _, length = GEOD.inv(lon[first], lat[first], lon[last], lat[last])
        return cls(first=first, last=last, azimuth=np.asarray(azimuth), length_m=np.asarray(length))

    def take(self, keep: np.ndarray) -> Legs:
        return Legs(
            first=self.first[keep],
            last=self.last[keep],
            azimuth=self.azimuth[keep],
            length_m=self.length_m[keep],
        )

    def at(self, fixes: pd.DataFrame, leg: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Longitude and latitude at shares (0 to 1) of legs, along geodesics."""
        start = fixes.iloc[self.first[leg]]
        lon, lat, _ = GEOD.fwd(
            start["lon"].to_numpy(float),
            start["lat"].to_numpy(float),
            self.azimuth[leg],
            self.length_m[leg] * share,
        )
        return np.asarray(lon), np.asarray(lat)


def closest_approaches(fixes: pd.DataFrame, region: Region, within_m: float) -> pd.DataFrame:
    """Per storm that came within a distance of a region: where, when and how strong it was at its closest.

    `fixes` has the columns of `gra_geo.protocols.FIX_COLUMNS`, sorted by storm and time. Columns of the result:
    storm_id, distance_km, time, lon, lat, wind_kt (interpolated between the fixes around it), wind_near_kt and
    category_near (strongest while within the distance), wind_before_kt and category_before (at the last fix before it
    came within it), fixes_near. Inside a region the distance is zero, and the
    first moment inside counts as the closest.
    """
    legs = Legs.of(fixes)
    bound = region.lower_bound(fixes["lon"].to_numpy(float), fixes["lat"].to_numpy(float))
    near = np.minimum(bound[legs.first], bound[legs.last]) - legs.length_m / 2 <= within_m
    legs = legs.take(near)
    columns = [
        "storm_id",
        "distance_km",
        "time",
        "lon",
        "lat",
        "wind_kt",
        "wind_near_kt",
        "category_near",
        "wind_before_kt",
        "category_before",
        "fixes_near",
    ]
    if not len(legs.first):
        return pd.DataFrame(columns=columns)
    samples = _sample(fixes, legs, region)
    storm = fixes["storm_id"].to_numpy()[legs.first[samples["leg"].to_numpy()]]
    rows = []
    for storm_id, group in samples.groupby(storm, sort=True):
        closest = _refined(fixes, legs, region, group)
        if closest["distance_m"] <= within_m:
            rows.append(_row(str(storm_id), fixes, legs, group[group["distance_m"] <= within_m], closest))
    return pd.DataFrame(rows, columns=columns)


def _sample(fixes: pd.DataFrame, legs: Legs, region: Region) -> pd.DataFrame:
    """Points every `STEP_M` along legs, ends included, with their distance from the region."""
    counts = np.maximum(1, np.ceil(legs.length_m / STEP_M)).astype(int)
    leg = np.repeat(np.arange(len(counts)), counts + 1)
    step = np.arange(len(leg)) - np.repeat(np.cumsum(counts + 1) - counts - 1, counts + 1)
    share = step / counts[leg]
    lon, lat = legs.at(fixes, leg, share)
    return pd.DataFrame(
        {"leg": leg, "share": share, "step": 1.0 / counts[leg], "distance_m": region.distance(lon, lat)}
    )


def _refined(fixes: pd.DataFrame, legs: Legs, region: Region, group: pd.DataFrame) -> dict[str, Any]:
    """The closest point of one storm, searched between the samples around the best one."""
    order = group.sort_values(["distance_m", "leg", "share"], kind="stable")
    best = order.iloc[0]
    leg, share, step = int(best["leg"]), float(best["share"]), float(best["step"])
    for _ in range(3):
        shares = np.unique(np.clip(share + step * np.linspace(-1.0, 1.0, 41), 0.0, 1.0))
        lon, lat = legs.at(fixes, np.full(len(shares), leg), shares)
        distance = region.distance(lon, lat)
        chosen = int(np.argmin(distance))
        share, step = float(shares[chosen]), step / 20
    distance_m = region.exact_distance(float(lon[chosen]), float(lat[chosen]))
    return {
        "leg": leg,
        "share": share,
        "lon": float(lon[chosen]),
        "lat": float(lat[chosen]),
        "distance_m": distance_m,
    }


def _row(
    storm_id: str, fixes: pd.DataFrame, legs: Legs, near: pd.DataFrame, closest: dict[str, Any]
) -> list[Any]:
    a, b = fixes.iloc[legs.first[closest["leg"]]], fixes.iloc[legs.last[closest["leg"]]]
    share = closest["share"]
    wind = _between(a["wind_kt"], b["wind_kt"], share)
    ends = pd.concat([
        pd.Series(legs.first[near.loc[near["share"] == 0, "leg"]], dtype=int),
        pd.Series(legs.last[near.loc[near["share"] == 1, "leg"]], dtype=int),
    ])  # fmt: skip
    inside = fixes.iloc[np.unique(ends.to_numpy())]
    starts = np.setdiff1d(legs.first[near["leg"].unique()], ends.to_numpy())
    before = fixes.iloc[starts]
    winds = [w for w in [*inside["wind_kt"], wind] if pd.notna(w)]
    categories = [int(c) for c in inside["category"] if pd.notna(c)] + [_category(a, b, wind)]
    return [
        storm_id, closest["distance_m"] / 1000.0, a["time"] + (b["time"] - a["time"]) * share, closest["lon"], closest["lat"], wind,
        max(winds, default=np.nan), max(categories), before["wind_kt"].max(), _strongest(before["category"]), len(inside),
    ]  # fmt: skip


def _between(a: float, b: float, share: float) -> float:
    """Linear between two values; the known one where only one is known at that end."""
    if pd.isna(a) or pd.isna(b):
        return float(a) if share < 0.5 else float(b)
    return float(a + (b - a) * share)


def _category(a: pd.Series, b: pd.Series, wind_kt: float) -> int:
    """Category between two fixes: from the wind while the storm is tropical at both, else the lower of the two."""
    ends = [int(c) for c in (a["category"], b["category"]) if pd.notna(c)]
    if len(ends) == 2 and min(ends) >= -1:
        return saffir_simpson(wind_kt)
    return min(ends, default=-5)


def _strongest(categories: pd.Series) -> int:
    """The highest known category, or −5."""
    return max((int(c) for c in categories if pd.notna(c)), default=-5)
