"""Corners of zones on corners and edges of cells: each cell counts by the share that shapely finds, in all ways of working."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gra_geo.raster import Raster
from gra_geo.zonal import zonal_stats

SIDE = 9
VALUES = np.random.default_rng(2).integers(1, 100, (SIDE, SIDE)).astype(float)
WEIGHTS = np.random.default_rng(3).integers(1, 9, (SIDE, SIDE)).astype(float)
# West, north and size of cells, whose edges are mostly no exact numbers.
GRIDS = {
    "hundredths of a degree": (10.0, 60.0, 0.01, "EPSG:4326"),
    "30 seconds": (-180.0, 90.0, 1 / 120, "EPSG:4326"),
    "decimetres": (500_000.0, 5_100_000.0, 0.3, "EPSG:32633"),
    "metres": (500_000.0, 5_000_000.0, 30.0, "EPSG:32633"),
    "uneven": (100_000.0, 9_000_000.0, 33_333.3, "EPSG:3857"),
}
# All boxes of cells, in cells from the north-west corner.
CELLS = np.array([[shapely.box(x, y, x + 1, y + 1) for x in range(SIDE)] for y in range(SIDE)])
WINDOWS: dict[str, dict[str, int]] = {
    "whole": {},
    "windows": {"gra_geo.extraction.WINDOW_CELLS": 20},
    "pieces": {"gra_geo.pieces.WINDOW_CELLS": 20, "gra_geo.pieces.BLOCK_ROWS": 1},
}
quiet = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def placed(shapes: list[Any], grid: str) -> gpd.GeoDataFrame:
    """Shapes in cells from the north-west corner, on a grid."""
    west, north, cell, crs = GRIDS[grid]
    there = shapely.transform(np.array(shapes, object), lambda xy: xy * (cell, -cell) + (west, north))
    return gpd.GeoDataFrame(geometry=list(there), crs=crs)


@pytest.fixture
def rasters(synthetic_raster: Callable[..., Raster]) -> Callable[[str], tuple[Raster, Raster]]:
    made: dict[str, tuple[Raster, Raster]] = {}

    def rasters(grid: str) -> tuple[Raster, Raster]:
        if grid not in made:
            made[grid] = synthetic_raster(VALUES, *GRIDS[grid]), synthetic_raster(WEIGHTS, *GRIDS[grid])
        return made[grid]

    return rasters


def shares(shape: Any) -> np.ndarray:
    """The covered share of each cell, after shapely."""
    return np.asarray(shapely.area(shapely.intersection(CELLS, shape)))


def polygons(least: int = -3, most: int = SIDE + 3) -> st.SearchStrategy[Any]:
    """Rings through corners of cells, and now and then through thirds of their edges."""
    step = st.sampled_from([1, 1, 3])
    corners = step.flatmap(
        lambda n: st.lists(
            st.tuples(*[st.integers(least * n, most * n).map(lambda v: v / n)] * 2),
            min_size=3, max_size=7, unique=True,
        )
    )  # fmt: skip
    return corners.map(shapely.Polygon).filter(lambda p: p.is_valid and p.area > 1e-3)


def blocks() -> st.SearchStrategy[Any]:
    """Cells taken together, which gives parts and holes that touch."""
    cells = st.sets(st.tuples(st.integers(-2, SIDE + 1), st.integers(-2, SIDE + 1)), min_size=1, max_size=25)
    return cells.map(lambda chosen: shapely.union_all([shapely.box(x, y, x + 1, y + 1) for x, y in chosen]))


def combined(both: tuple[Any, Any, bool]) -> Any:
    return shapely.union(*both[:2]) if both[2] else shapely.difference(*both[:2])


SHAPES = st.one_of(
    polygons(), blocks(), st.tuples(polygons(), st.one_of(polygons(0, SIDE), blocks()), st.booleans()).map(combined)
).filter(lambda s: s.geom_type in ("Polygon", "MultiPolygon") and s.is_valid and s.area > 1e-3)  # fmt: skip


@pytest.mark.parametrize("grid", GRIDS)
@given(shapes=st.lists(SHAPES, min_size=1, max_size=5), way=st.sampled_from(list(WINDOWS)))
@quiet
def test_cells_count_by_their_share(rasters: Any, grid: str, shapes: list[Any], way: str) -> None:
    raster, _ = rasters(grid)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in WINDOWS[way].items():
            patch.setattr(name, value)
        table = zonal_stats(raster, placed(shapes, grid), ["sum", "mean"], weights="cells")
    covered = np.array([shares(s) for s in shapes])
    cells, sums = covered.sum((1, 2)), (covered * VALUES).sum((1, 2))
    # exactextract keeps the covered share of a cell in single precision.
    np.testing.assert_allclose(table["cells"], cells, atol=1e-5)
    np.testing.assert_allclose(np.nan_to_num(table["sum"]), sums, atol=1e-3)
    inside = cells > 1e-3
    np.testing.assert_allclose(table["mean"][inside], sums[inside] / cells[inside], rtol=1e-4)


@given(shape=SHAPES, grid=st.sampled_from(list(GRIDS)))
@quiet
def test_weights_meet_the_same_cells(rasters: Any, shape: Any, grid: str) -> None:
    raster, weights = rasters(grid)
    weight = shares(shape) * WEIGHTS
    assume(weight.sum() > 1e-2)
    row = zonal_stats(raster, placed([shape], grid), ["mean"], weights=weights).loc[0]
    assert row["mean"] == pytest.approx((weight * VALUES).sum() / weight.sum(), rel=1e-4)


@given(shape=SHAPES, way=st.sampled_from(list(WINDOWS)))
@quiet
def test_cells_of_degrees_weigh_by_their_area(rasters: Any, shape: Any, way: str) -> None:
    _, north, cell, _ = GRIDS["30 seconds"]
    edges = np.sin(np.radians(north - cell * np.arange(SIDE + 1)))
    weight = shares(shape) * (edges[:-1] - edges[1:])[:, None]
    assume(shares(shape).sum() > 1e-2)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in WINDOWS[way].items():
            patch.setattr(name, value)
        row = zonal_stats(rasters("30 seconds")[0], placed([shape], "30 seconds"), ["mean"]).loc[0]
    assert row["mean"] == pytest.approx((weight * VALUES).sum() / weight.sum(), rel=1e-4)


@pytest.mark.parametrize("grid", GRIDS)
@given(
    corners=st.sets(st.tuples(st.integers(0, SIDE), st.integers(0, SIDE)), max_size=15),
    groups=st.lists(st.integers(0, 3), min_size=1, max_size=40),
    way=st.sampled_from(list(WINDOWS)),
)
@quiet
def test_sums_of_zones_that_share_a_raster_add_up(
    rasters: Any, grid: str, corners: set[tuple[int, int]], groups: list[int], way: str
) -> None:
    frame = {(x, y) for x in (0, SIDE) for y in (0, SIDE)}
    triangles = shapely.get_parts(shapely.delaunay_triangles(shapely.multipoints(sorted(corners | frame))))
    group = np.resize(groups, len(triangles))
    zones = [shapely.union_all(triangles[group == n]) for n in np.unique(group)]
    for shapes in (list(triangles), zones):
        with pytest.MonkeyPatch.context() as patch:
            for name, value in WINDOWS[way].items():
                patch.setattr(name, value)
            table = zonal_stats(rasters(grid)[0], placed(shapes, grid), ["sum"])
        assert table["cells"].sum() == pytest.approx(SIDE**2, abs=1e-4)
        assert table["sum"].sum() == pytest.approx(VALUES.sum(), rel=1e-6)


@pytest.mark.parametrize(
    ("corners", "cells"),
    [
        ([(4, 3), (3, 4), (6, 0)], 0.5),  # exactextract 0.3 alone: 1.5
        ([(5, 1), (2, 5), (4, 2)], 0.5),  # 2.5, two cells too many
        ([(9, 5), (7, 7), (4, 5)], 5.0),  # 4.0, a cell too few
        ([(3, 1), (6, 6), (4, 5), (9, 8)], 5.0),  # 4.5, a part of a cell too little
    ],
)
def test_small_cases(rasters: Any, corners: list[tuple[int, int]], cells: float) -> None:
    for turned in (corners, corners[::-1]):
        zone = placed([shapely.Polygon(turned)], "hundredths of a degree")
        table = zonal_stats(rasters("hundredths of a degree")[0], zone, ["sum"])
        assert table["cells"][0] == pytest.approx(cells, abs=1e-5)


def test_boxes_that_touch_the_raster_from_outside(rasters: Any) -> None:
    # exactextract 0.3 alone writes outside its memory, and the process may end.
    beside = [shapely.box(SIDE, 3, SIDE + 2, 6), shapely.box(1, -3, 2, 0), shapely.box(-1, -1, 0, 0)]
    zone = shapely.MultiPolygon([shapely.box(SIDE - 2, 1, SIDE, 2), shapely.Polygon(), *beside])
    around = (
        shapely.box(-2, -2, SIDE + 2, SIDE + 2) - shapely.box(0, 0, SIDE, 3) - shapely.box(0, 4, SIDE, SIDE)
    )
    for grid in GRIDS:
        table = zonal_stats(rasters(grid)[0], placed([zone, around], grid), ["sum"])
        np.testing.assert_allclose(table["sum"], [VALUES[1, -2:].sum(), VALUES[3].sum()], rtol=1e-6)


def test_a_speck_on_a_corner_has_the_value_of_a_cell_there(rasters: Any) -> None:
    table = zonal_stats(
        rasters("metres")[0], placed([shapely.box(4 - 3e-8, 5, 4 - 1e-8, 5 + 2e-8)], "metres"), ["mean"]
    )
    assert table["mean"][0] in VALUES[4:6, 3:5]


def test_a_slit_no_wider_than_rounding_is_closed(rasters: Any) -> None:
    slit = shapely.Polygon([(1, 1), (4 - 1e-9, 1), (4, 6), (4 + 1e-9, 1), (8, 1), (8, 8), (1, 8)])
    for grid in ("metres", "hundredths of a degree"):
        assert zonal_stats(rasters(grid)[0], placed([slit], grid), ["sum"])["cells"][0] == pytest.approx(49)
