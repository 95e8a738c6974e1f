"""Zonal statistics in parts are those of the whole, to the last bit, however many parts there are and where they run."""

from __future__ import annotations

from collections.abc import Callable

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from gra_core import ToolError, mapping_with
from gra_core.testing import ThreadMapper
from gra_geo import parts
from gra_geo.raster import Raster
from gra_geo.zonal import zonal_stats

ALL = ["mean", "sum", "min", "max", "median", "stdev", "variance", "majority", "variety", "p10"]


@pytest.fixture(autouse=True)
def every_cell_is_worth_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "WORTH_CELLS", 1)


def synthetic_zones(west: float, north: float, width: float, height: float, crs: str) -> gpd.GeoDataFrame:
    """Voronoi cells of random points over a raster and beyond its edge, with two points among them."""
    random = np.random.default_rng(7)
    seeds = random.uniform(-0.1, 1.1, (40, 2)) * (width, -height) + (west, north)
    shapes = list(shapely.get_parts(shapely.voronoi_polygons(shapely.multipoints(seeds))))
    shapes[3:3] = [shapely.Point(*seeds[0]), shapely.Point(*seeds[1])]
    return gpd.GeoDataFrame(geometry=shapes, crs=crs, index=[f"z{n}" for n in range(len(shapes))])


CASES = {
    "degrees": (10.0, 60.0, 0.05, "EPSG:4326", None),
    "metres": (500_000.0, 5_300_000.0, 500.0, "EPSG:32633", None),
    "uneven metres": (0.0, 9_000_000.0, 20_000.0, "EPSG:3857", None),
    "covered share": (10.0, 60.0, 0.05, "EPSG:4326", "cells"),
    "weights": (500_000.0, 5_300_000.0, 500.0, "EPSG:32633", "raster"),
}


@pytest.mark.parametrize("case", CASES)
def test_however_many_parts(synthetic_raster: Callable[..., Raster], case: str) -> None:
    west, north, cell, crs, weights = CASES[case]
    random = np.random.default_rng(3)
    values = np.round(random.normal(100, 50, (120, 160)), 1)
    values[random.random(values.shape) < 0.1] = -1
    raster = synthetic_raster(values, west, north, cell, crs, nodata=-1)
    weighting = (
        synthetic_raster(random.random(values.shape), west, north, cell, crs)
        if weights == "raster"
        else weights
    )
    stats = ["mean", "sum", "stdev", "min"] if weights == "raster" else ALL
    zones = synthetic_zones(west, north, 160 * cell, 120 * cell, crs)
    whole = zonal_stats(raster, zones, stats, weights=weighting)

    @settings(max_examples=8, deadline=None)
    @given(st.integers(2, 20))
    def check(workers: int) -> None:
        mapper = ThreadMapper(workers)
        with mapping_with(mapper):
            table = zonal_stats(raster, zones, stats, weights=weighting)
        assert 2 <= mapper.parts <= workers * 3
        pd.testing.assert_frame_equal(table, whole, check_exact=True)
        assert table.attrs == whole.attrs

    check()


DIVISIBLE = ["mean", "sum", "min", "max", "stdev", "variance"]
# Corners inside the raster and beyond it, in cells; about half of them on corners of cells.
CORNERS = st.tuples(st.integers(-20, 110), st.integers(-20, 80), st.sampled_from([0.0, 0.323217])).map(
    lambda corner: (corner[0] + corner[2], corner[1] + corner[2])
)


@pytest.mark.parametrize(
    ("crs", "west", "north", "south_up"), [("EPSG:4326", 10.0, 60.0, False), ("EPSG:32633", 5e5, 5e6, True)]
)
def test_pieces_of_a_zone_give_its_statistics(
    synthetic_raster: Callable[..., Raster], monkeypatch: pytest.MonkeyPatch, crs: str, west: float, north: float, south_up: bool
) -> None:  # fmt: skip
    random = np.random.default_rng(11)
    values = random.normal(300, 20, (60, 90))
    values[20:35] = -1
    values[random.random(values.shape) < 0.1] = -1
    cell = 0.01 if crs == "EPSG:4326" else 30.0
    raster = synthetic_raster(values, west, north, cell, crs, nodata=-1, south_up=south_up)

    @settings(max_examples=20, deadline=None)
    @given(st.lists(st.lists(CORNERS, min_size=3, max_size=6), min_size=1, max_size=3), st.integers(1, 13))
    def check(hulls: list[list[tuple[float, float]]], block: int) -> None:
        places = [np.array(hull) * (cell, -cell) + (west, north) for hull in hulls]
        shapes = [shapely.convex_hull(shapely.multipoints(hull)) for hull in places]
        zones = gpd.GeoDataFrame(geometry=[s for s in shapes if s.area > 0], crs=crs)
        whole = zonal_stats(raster, zones, DIVISIBLE)
        with monkeypatch.context() as patch:
            patch.setattr("gra_geo.pieces.WINDOW_CELLS", 50)
            patch.setattr("gra_geo.pieces.BLOCK_ROWS", block)
            pieces = zonal_stats(raster, zones, DIVISIBLE)
            with mapping_with(ThreadMapper(3)):
                parts = zonal_stats(raster, zones, DIVISIBLE)
        pd.testing.assert_frame_equal(parts, pieces, check_exact=True)
        # exactextract keeps the covered share of a cell in single precision.
        pd.testing.assert_frame_equal(pieces, whole, rtol=1e-6, atol=1e-6)

    check()


def test_one_large_zone_is_divided(
    synthetic_raster: Callable[..., Raster], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gra_geo.pieces.WINDOW_CELLS", 1000)
    monkeypatch.setattr("gra_geo.pieces.BLOCK_ROWS", 10)
    values = np.random.default_rng(1).random((100, 100))
    raster = synthetic_raster(values, 500_000, 5_000_000, 30.0, "EPSG:32633")
    zone = gpd.GeoDataFrame(geometry=[shapely.box(500_000, 4_997_000, 503_000, 5_000_000)], crs="EPSG:32633")
    for stats, divided in ((["mean", "max"], True), (["mean", "median"], False)):
        mapper = ThreadMapper(2)
        with mapping_with(mapper):
            row = zonal_stats(raster, zone, stats).iloc[0]
        assert (mapper.parts > 1) == divided
        assert row["mean"] == pytest.approx(values.mean(), rel=1e-12) and row["cells"] == 10_000


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50).map(np.array), st.integers(1, 12))
def test_shares_are_all_items_once_and_in_order(work: np.ndarray, workers: int) -> None:
    with mapping_with(ThreadMapper(workers)):
        found = parts.shares(work)
    assert [n for share in found for n in range(len(work))[share]] == list(range(len(work)))
    assert all(share.stop > share.start for share in found)
    assert len(found) == 1 or (workers > 1 and len(found) <= work.sum())


def test_little_work_stays_whole(
    monkeypatch: pytest.MonkeyPatch, synthetic_raster: Callable[..., Raster]
) -> None:
    monkeypatch.setattr(parts, "WORTH_CELLS", 10_000_000)
    raster = synthetic_raster(np.ones((100, 100)), 0, 100)
    mapper = ThreadMapper(4)
    with mapping_with(mapper):
        zonal_stats(
            raster,
            gpd.GeoDataFrame(geometry=[shapely.box(0, 0, n, n) for n in (1, 2, 3)], crs=4326),
            ["mean"],
        )
    assert mapper.parts == 0


def test_a_file_that_is_another_one_there_is_told(synthetic_raster: Callable[..., Raster]) -> None:
    raster = synthetic_raster(np.ones((4, 4)), 0, 4)
    files = parts.Files.of(raster)
    files.check()
    raster.path.write_bytes(raster.path.read_bytes() + b"\0")
    with pytest.raises(FileNotFoundError, match="not the file of"):
        files.check()
    raster.path.unlink()
    with pytest.raises(FileNotFoundError):
        files.check()


def test_errors_in_parts_are_those_of_the_whole(synthetic_raster: Callable[..., Raster]) -> None:
    raster = synthetic_raster(np.random.default_rng(0).random((400, 400)), 0, 400, compress="deflate")
    raster.path.write_bytes(raster.path.read_bytes()[: raster.path.stat().st_size // 2])
    zones = gpd.GeoDataFrame(geometry=[shapely.box(0, n, 400, n + 30) for n in range(0, 90, 30)], crs=4326)
    with mapping_with(ThreadMapper(2)), pytest.raises(ToolError, match=r"cannot be read|failed") as raised:
        zonal_stats(raster, zones, ["mean"])
    assert raised.value.kind == "bad_argument"
