"""Closest approach, checked against dense sampling with pyproj alone."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Geod

from gra_skill_tropical_cyclones.approach import closest_approaches
from gra_skill_tropical_cyclones.category import saffir_simpson
from gra_skill_tropical_cyclones.region import Region

GEOD = Geod(ellps="WGS84")


def fixes(
    track: list[tuple[float, float]], wind: list[float] | None = None, storm: str = "s", hours: float = 6
) -> pd.DataFrame:
    winds = wind or [100.0] * len(track)
    times = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(len(track)) * hours, unit="h")
    return pd.DataFrame({
        "storm_id": storm, "name": "", "season": 2020, "basin": "NA", "time": times, "lon": [p[0] for p in track], "lat": [p[1] for p in track],
        "wind_kt": winds, "pressure_hpa": 950.0, "status": "HU", "category": [saffir_simpson(w) for w in winds],
    })  # fmt: skip


def dense(track: list[tuple[float, float]], boundary: np.ndarray, step_m: float = 1000.0) -> float:
    """Least distance in km between points along a track and points of a boundary, all pairs."""
    points = [track[0]]
    for (x1, y1), (x2, y2) in itertools.pairwise(track):
        count = max(1, int(GEOD.inv(x1, y1, x2, y2)[2] / step_m))
        points += [*GEOD.npts(x1, y1, x2, y2, count), (x2, y2)]
    a = np.array(points)
    i, j = np.meshgrid(np.arange(len(a)), np.arange(len(boundary)), indexing="ij")
    metres = GEOD.inv(a[i.ravel(), 0], a[i.ravel(), 1], boundary[j.ravel(), 0], boundary[j.ravel(), 1])[2]
    return float(np.min(metres)) / 1000.0


def approach(frame: pd.DataFrame, geometry: shapely.Geometry, within_km: float = 3000.0) -> pd.Series:
    found = closest_approaches(frame, Region(geometry), within_km * 1000.0)
    assert len(found) == 1
    return found.iloc[0]


def test_track_passes_between_two_fixes() -> None:
    """Both fixes are 3 degrees away, the track between them meets the point."""
    row = approach(fixes([(-3.0, 0.0), (3.0, 0.0)], [80.0, 120.0]), shapely.Point(0, 0), 50)
    assert row["distance_km"] == pytest.approx(0, abs=0.01) and row["fixes_near"] == 0
    assert row["time"] == pd.Timestamp("2020-01-01 03:00") and row["wind_kt"] == pytest.approx(100)
    assert row["category_near"] == 3


def test_distance_along_a_meridian() -> None:
    """One degree of latitude at 60°N is 111.4 km on WGS84."""
    row = approach(fixes([(-1.0, 61.0), (0.0, 61.0), (1.0, 61.0)]), shapely.Point(0, 60))
    assert row["distance_km"] == pytest.approx(GEOD.inv(0, 60, 0, 61)[2] / 1000, abs=0.05)
    assert (row["lon"], row["lat"]) == (pytest.approx(0, abs=0.01), pytest.approx(61, abs=0.001))


def test_across_the_date_line() -> None:
    row = approach(fixes([(178.0, -15.0), (-178.0, -15.0)]), shapely.Point(180, -16), 500)
    midpoint = GEOD.npts(178, -15, -178, -15, 1)[0]
    assert row["distance_km"] == pytest.approx(GEOD.inv(180, -16, *midpoint)[2] / 1000, abs=0.1)
    box = shapely.MultiPolygon([shapely.box(179, -16, 180, -14), shapely.box(-180, -16, -179, -14)])
    inside = approach(fixes([(178.0, -15.0), (-178.0, -15.0)]), box, 0)
    assert inside["distance_km"] == 0 and inside["lon"] == pytest.approx(179, abs=0.05)


def test_inside_a_region_is_zero_even_far_from_its_edge() -> None:
    row = approach(fixes([(0.0, 0.0), (1.0, 0.5)]), shapely.box(-40, -40, 40, 40), 0)
    assert row["distance_km"] == 0 and row["fixes_near"] == 2


def test_beyond_the_distance_there_is_none() -> None:
    frame = fixes([(0.0, 2.0), (1.0, 2.0)])
    limit = GEOD.inv(0, 0, 0, 2)[2]
    assert closest_approaches(frame, Region(shapely.Point(0, 0)), limit - 200).empty
    assert len(closest_approaches(frame, Region(shapely.Point(0, 0)), limit + 200)) == 1


def test_long_gaps_are_not_bridged() -> None:
    assert closest_approaches(
        fixes([(-10.0, 0.0), (10.0, 0.0)], hours=48), Region(shapely.Point(0, 0)), 50_000
    ).empty


def test_post_tropical_wind_is_no_hurricane() -> None:
    frame = fixes([(-1.0, 50.0), (1.0, 50.0)], [90.0, 90.0]).assign(category=-4)
    row = approach(frame, shapely.Point(0, 50), 300)
    assert row["category_near"] == -4 and row["wind_near_kt"] == 90


def test_missing_winds_stay_missing() -> None:
    frame = fixes([(-1.0, 5.0), (1.0, 5.0)]).assign(
        wind_kt=np.nan, category=pd.array([None, None], dtype="Int8")
    )
    row = approach(frame, shapely.Point(0, 5), 300)
    assert np.isnan(row["wind_kt"]) and np.isnan(row["wind_near_kt"]) and row["category_near"] == -5


def test_storms_are_kept_apart_and_single_fixes_count() -> None:
    frame = pd.concat(
        [
            fixes([(0.0, 1.0)], storm="a"),
            fixes([(0.0, 2.0), (0.5, 2.0)], storm="b"),
            fixes([(50.0, 2.0)], storm="c"),
        ],
        ignore_index=True,
    )
    found = closest_approaches(frame, Region(shapely.Point(0, 0)), 300_000)
    assert found["storm_id"].tolist() == ["a", "b"]
    assert found["distance_km"].tolist() == [
        pytest.approx(GEOD.inv(0, 0, 0, lat)[2] / 1000, abs=0.01) for lat in (1, 2)
    ]


LON, LAT = st.floats(-180, 180), st.floats(-75, 75)
MOVE = st.tuples(st.floats(-4, 4), st.floats(-3, 3))


@settings(max_examples=30, deadline=None)
@given(LON, LAT, st.lists(MOVE, min_size=1, max_size=3), MOVE)
def test_same_as_dense_sampling(
    lon: float, lat: float, moves: list[tuple[float, float]], offset: tuple[float, float]
) -> None:
    track = [(lon, lat)]
    for dx, dy in moves:
        track.append(((track[-1][0] + dx + 180) % 360 - 180, float(np.clip(track[-1][1] + dy, -80, 80))))
    centre = ((lon + offset[0] * 2 + 180) % 360 - 180, float(np.clip(lat + offset[1] * 2, -80, 80)))
    # A ring of points 60 km around the centre, joined: away from the 180th meridian a polygon, else the points alone.
    ring = np.array([GEOD.fwd(*centre, azimuth, 60_000)[:2] for azimuth in np.arange(0, 360, 1.0)])
    simple = np.ptp(ring[:, 0]) < 180
    geometry = shapely.LinearRing(ring) if simple else shapely.MultiPoint(ring)
    found = closest_approaches(fixes(track), Region(geometry), 5_000_000)
    expected = dense(track, ring)
    assert found["distance_km"].iloc[0] == pytest.approx(expected, abs=1.2, rel=2e-3)


@settings(max_examples=30, deadline=None)
@given(LON, LAT, MOVE, st.floats(20, 800))
def test_a_wider_distance_never_loses_a_storm(
    lon: float, lat: float, move: tuple[float, float], within_km: float
) -> None:
    frame = fixes([(lon, lat), ((lon + move[0] + 180) % 360 - 180, float(np.clip(lat + move[1], -85, 85)))])
    region = Region(shapely.Point(lon, float(np.clip(lat + 3, -89, 89))))
    near = closest_approaches(frame, region, within_km * 1000)
    wide = closest_approaches(frame, region, within_km * 2000)
    assert set(near["storm_id"]) <= set(wide["storm_id"])
    if len(near):
        assert near["distance_km"].iloc[0] == pytest.approx(wide["distance_km"].iloc[0], abs=1e-6)


@pytest.mark.parametrize(
    ("wind", "category"), [(30, -1), (33, -1), (34, 0), (63, 0), (64, 1), (82, 1), (83, 2), (95, 2), (96, 3), (112, 3), (113, 4), (136, 4), (137, 5), (None, -5), (float("nan"), -5)]
)  # fmt: skip
def test_saffir_simpson(wind: float | None, category: int) -> None:
    """Bounds as published by the National Hurricane Center."""
    assert saffir_simpson(wind) == category
