"""Slope against planes of known slope and a plain loop of Horn's formula."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import pyproj
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gra_core import mapping_with
from gra_core.testing import ThreadMapper
from gra_geo.raster import Raster
from gra_geo.zonal import zonal_stats
from gra_skill_terrain_slope.slope import Slope, horn

GEOD = pyproj.Geod(ellps="WGS84")


def box(west: float, south: float, east: float, north: float) -> dict[str, Any]:
    return shapely.geometry.mapping(shapely.box(west, south, east, north))


def loop(heights: np.ndarray, dx: float, dy: float) -> np.ndarray:
    """Horn's formula cell by cell, a missing neighbour taken as level with the cell."""
    out = np.full(heights.shape, np.nan)
    rows, cols = heights.shape
    for r in range(rows):
        for c in range(cols):
            z = [[heights[r, c]] * 3 for _ in range(3)]
            for i in (-1, 0, 1):
                for j in (-1, 0, 1):
                    if 0 <= r + i < rows and 0 <= c + j < cols and not np.isnan(heights[r + i, c + j]):
                        z[i + 1][j + 1] = heights[r + i, c + j]
            ((a, b, cc), (d, _, f), (g, h, k)) = z
            across = ((cc + 2 * f + k) - (a + 2 * d + g)) / (8 * dx)
            down = ((g + 2 * h + k) - (a + 2 * b + cc)) / (8 * dy)
            out[r, c] = np.nan if np.isnan(heights[r, c]) else np.sqrt(across**2 + down**2)
    return out


HEIGHTS = st.one_of(st.floats(-400, 8800, width=32), st.just(np.nan))


@given(arrays.arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=HEIGHTS))
def test_horn_is_the_plain_loop(heights: np.ndarray) -> None:
    block = np.pad(heights, 1, constant_values=np.nan)
    ours = horn(block, np.full((1, 1), 30.0), np.full((1, 1), 20.0))
    assert ours == pytest.approx(loop(heights, 30, 20), rel=1e-9, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(("units", "factor"), [("percent", 100.0), ("degrees", None)])
def test_a_plane_in_utm(on_files, synthetic_dem, units: str, factor: float | None) -> None:
    x, y = np.meshgrid(np.arange(100) * 30.0, np.arange(100)[::-1] * 30.0)
    path = synthetic_dem(0.3 * x + 0.4 * y, 500_000, 5_003_000, 30.0, "EPSG:32633")
    zone = gpd_box(500_300, 5_000_300, 502_700, 5_002_700, "EPSG:32633")
    row = on_files(
        "compute_slope_stats", path, regions=zone, units=units, stats=["mean", "min", "max"]
    ).content["rows"][0]
    truth = 50.0 if factor else np.degrees(np.arctan(0.5))
    # The middle of a UTM zone is shrunk by 0.04 %.
    assert [row[f"slope_{s}_{units}"] for s in ("mean", "min", "max")] == pytest.approx([truth] * 3, rel=6e-4)


def gpd_box(west: float, south: float, east: float, north: float, crs: str) -> dict[str, Any]:
    to = pyproj.Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    return shapely.geometry.mapping(
        shapely.transform(
            shapely.box(west, south, east, north), lambda xy: np.column_stack(to.transform(*xy.T))
        )
    )


@pytest.mark.parametrize("lat", [0.0, 45.0, 70.0, -60.0])
@pytest.mark.parametrize("way", ["east", "north"])
def test_a_plane_in_degrees_has_the_slope_it_has_on_the_ground(
    on_files, synthetic_dem, lat: float, way: str
) -> None:
    cell, n = 0.01, 60
    lon = 10 + (np.arange(n) + 0.5) * cell
    up = lat + (n / 2 - np.arange(n) - 0.5) * cell
    heights = 1000.0 * (
        np.broadcast_to(lon, (n, n)) - 10 if way == "east" else np.broadcast_to(up[:, None], (n, n)) - lat
    )
    path = synthetic_dem(heights.copy(), 10, lat + n / 2 * cell, cell)
    row = on_files(
        "compute_slope_stats", path, regions=box(10.295, lat - 0.005, 10.305, lat + 0.005)
    ).content["rows"][0]
    half = 0.05
    run = (
        GEOD.inv(10.3 - half, lat, 10.3 + half, lat)[2]
        if way == "east"
        else GEOD.inv(10.3, lat - half, 10.3, lat + half)[2]
    )
    assert row["slope_mean_percent"] == pytest.approx(100 * 1000 * 2 * half / run, rel=1e-3)


def test_web_mercator_is_not_taken_at_its_word(on_files, synthetic_dem) -> None:
    to = pyproj.Transformer.from_crs("EPSG:4326", "EPSG:3857", always_xy=True)
    x0, y0 = to.transform(10, 60)
    n, cell = 60, 100.0
    heights = np.broadcast_to(np.arange(n) * cell, (n, n)).copy()  # 45 degrees by the map's metres
    path = synthetic_dem(heights, x0, y0 + n * cell, cell, "EPSG:3857")
    zone = gpd_box(x0 + 2000, y0 + 2000, x0 + 4000, y0 + 4000, "EPSG:3857")
    row = on_files("compute_slope_stats", path, regions=zone).content["rows"][0]
    lon, lat = to.transform([x0 + 2900, x0 + 3100], [y0 + 3000] * 2, direction="INVERSE")
    assert row["slope_mean_percent"] == pytest.approx(
        100 * 200 / GEOD.inv(lon[0], lat[0], lon[1], lat[1])[2], rel=1e-3
    )
    assert row["slope_mean_percent"] == pytest.approx(200, rel=0.01)


def test_a_global_grid_closes_round_the_earth(synthetic_dem) -> None:
    lon = np.radians(np.arange(36) * 10 - 175.0)
    wave = np.broadcast_to(1000 * np.cos(lon), (18, 36)).copy()
    slope = Slope.of(Raster.open(synthetic_dem(wave, -180, 90, 10)), "percent")
    cells = slope.read()
    assert cells[:, 0] == pytest.approx(cells[:, 35], rel=1e-9) and cells[9, 0] == pytest.approx(
        cells[9, 17], rel=1e-9
    )


def test_windows_meet_without_a_seam(synthetic_dem) -> None:
    rng = np.random.default_rng(2)
    slope = Slope.of(Raster.open(synthetic_dem(rng.random((40, 50)) * 100, 10, 50, 0.01)), "degrees")
    whole = slope.read()
    parts = np.block(
        [
            [slope.read(0, 0, 17, 23), slope.read(0, 23, 17, 27)],
            [slope.read(17, 0, 23, 23), slope.read(17, 23, 23, 27)],
        ]
    )
    assert parts == pytest.approx(whole, rel=1e-12)


def test_missing_cells_stay_missing_and_neighbours_are_level(on_files, synthetic_dem) -> None:
    heights = np.full((5, 5), 100.0)
    heights[2, 2] = -9999
    path = synthetic_dem(heights, 500_000, 5_000_500, 100.0, "EPSG:32633", nodata=-9999)
    zone = gpd_box(500_000, 5_000_000, 500_500, 5_000_500, "EPSG:32633")
    result = on_files("compute_slope_stats", path, regions=zone, stats=["mean", "max"])
    row = result.content["rows"][0]
    assert (row["slope_mean_percent"], row["slope_max_percent"]) == (0, 0) and row[
        "valid_share"
    ] == pytest.approx(0.96, abs=0.01)


@pytest.mark.parametrize(
    ("west", "north", "cell", "crs"), [(-180.0, 30.0, 4.0, "EPSG:4326"), (5e5, 5.2e6, 30.0, "EPSG:32633")]
)
def test_the_slope_of_a_large_zone_in_parts(
    synthetic_dem, monkeypatch: pytest.MonkeyPatch, west: float, north: float, cell: float, crs: str
) -> None:
    heights = np.random.default_rng(2).uniform(0, 3000, (15, 90)).astype("float32")
    heights[4, 30:40] = -1
    slope = Slope.of(Raster.open(synthetic_dem(heights, west, north, cell, crs, nodata=-1)), "percent")
    zone = gpd.GeoDataFrame(
        geometry=[shapely.box(west, north - 14.5 * cell, west + 90 * cell, north)], crs=crs
    )
    stats = ["mean", "max", "stdev"]
    whole = zonal_stats(slope, zone, stats)
    monkeypatch.setattr("gra_geo.parts.WORTH_CELLS", 1)
    monkeypatch.setattr("gra_geo.pieces.WINDOW_CELLS", 100)
    monkeypatch.setattr("gra_geo.pieces.BLOCK_ROWS", 3)
    pieces = zonal_stats(slope, zone, stats)
    for workers in range(2, 7):
        mapper = ThreadMapper(workers)
        with mapping_with(mapper):
            assert zonal_stats(slope, zone, stats).equals(pieces)
        assert mapper.parts > 1
    # A piece's rows are a window of their own, in which sizes of cells in a projection are interpolated anew.
    assert pieces.to_numpy() == pytest.approx(whole.to_numpy(), rel=1e-7)
