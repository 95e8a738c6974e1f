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

    @settings(max_examples=12, deadline=None)
    @given(st.integers(2, 20))
    def check(workers: int) -> None:
        mapper = ThreadMapper(workers)
        with mapping_with(mapper):
            table = zonal_stats(raster, zones, stats, weights=weighting)
        assert 2 <= mapper.parts <= workers * 3
        pd.testing.assert_frame_equal(table, whole, check_exact=True)
        assert table.attrs == whole.attrs

    check()


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50).map(np.array), st.integers(1, 12))
def test_shares_are_all_items_once_and_in_order(work: np.ndarray, workers: int) -> None:
    with mapping_with(ThreadMapper(workers)):
        found = parts.shares(work)
    assert [n for share in found for n in range(len(work))[share]] == list(range(len(work)))
    assert all(share.stop > share.start for share in found)
    if workers == 1 or work.max() * 2 > work.sum():
        assert len(found) == 1


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
