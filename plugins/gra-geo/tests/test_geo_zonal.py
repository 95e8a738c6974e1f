"""Zonal statistics: weights, refusals, grids of every kind."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pytest
import rasterio
import rasterio.mask
import shapely
from attrs import evolve

from gra_core import ToolError
from gra_geo.raster import Raster
from gra_geo.zonal import zonal_stats


def frame(*shapes: shapely.Geometry, crs: str | None = "EPSG:4326") -> gpd.GeoDataFrame:
    return gpd.GeoDataFrame({"n": range(len(shapes))}, geometry=list(shapes), crs=crs)


def test_against_cells_counted_by_hand(synthetic_raster) -> None:
    raster = synthetic_raster(np.arange(12.0).reshape(3, 4), 500_000, 5_000_003, 1.0, "EPSG:32633")
    zone = frame(shapely.box(500_000.5, 5_000_000, 500_002, 5_000_002), crs="EPSG:32633")
    # Cells 4, 8 by half, 5, 9 whole.
    stats = ["mean", "sum", "min", "max", "median", "stdev", "variety", "majority", "p0", "p100"]
    row = zonal_stats(raster, zone, stats).loc[0]
    assert row["sum"] == 20 and row["cells"] == 3 and row["mean"] == pytest.approx(20 / 3)
    assert (row["min"], row["max"], row["variety"], row["p0"], row["p100"]) == (4, 9, 4, 4, 9)
    assert row["majority"] in (5, 9)
    variance = (0.5 * (4 - 20 / 3) ** 2 + (5 - 20 / 3) ** 2 + 0.5 * (8 - 20 / 3) ** 2 + (9 - 20 / 3) ** 2) / 3
    assert row["stdev"] == pytest.approx(np.sqrt(variance))


def test_rows_keep_the_order_and_index_of_the_zones(synthetic_raster) -> None:
    raster = synthetic_raster(np.arange(100.0).reshape(10, 10), 0, 10)
    zones = frame(*(shapely.box(x, 9 - y, x + 1, 10 - y) for x, y in ((7, 7), (0, 0), (3, 9), (9, 0))))
    zones.index = ["d", "a", "c", "b"]
    table = zonal_stats(raster, zones, ["mean"])
    assert table.index.tolist() == ["d", "a", "c", "b"] and table["mean"].tolist() == [77, 0, 93, 9]


def test_files_whose_rows_run_north_are_read_right_way_up(synthetic_raster) -> None:
    values = np.arange(12.0).reshape(3, 4)
    turned = synthetic_raster(values, 0, 3, south_up=True)
    assert turned.south_up and (turned.read() == values).all()
    assert zonal_stats(turned, frame(shapely.box(0, 2, 1, 3)), ["mean"])["mean"][0] == 0
    assert turned.sample([3.5], [0.5])[0] == 11


def test_scale_and_offset_are_applied(synthetic_raster) -> None:
    raster = synthetic_raster(np.full((2, 2), 200, "uint8"), 0, 2, nodata=0)
    with rasterio.open(raster.path, "r+") as data:
        data.scales, data.offsets = (0.5,), (-20.0,)
    scaled = Raster.open(raster.path)
    assert zonal_stats(scaled, frame(shapely.box(0, 0, 2, 2)), ["mean", "sum"]).loc[
        0, ["mean", "sum"]
    ].tolist() == [80, 320]


def test_points_get_their_cell(synthetic_raster) -> None:
    raster = synthetic_raster([[1.0, 2.0], [np.nan, 4.0]], 0, 2)
    zones = frame(
        shapely.Point(1.5, 1.5), shapely.Point(0.5, 0.5), shapely.Point(9, 9), shapely.box(0, 0, 2, 2)
    )
    table = zonal_stats(raster, zones, ["mean", "max", "stdev"])
    assert table["mean"].tolist()[0] == 2 and table["stdev"][0] == 0
    assert table["mean"].isna().tolist() == [False, True, True, False]
    assert table["valid_share"].tolist() == pytest.approx([1, 0, 0, 0.75], abs=1e-6)


def test_lines_are_refused(synthetic_raster) -> None:
    with pytest.raises(ToolError, match="statistics need areas"):
        zonal_stats(
            synthetic_raster(np.ones((2, 2)), 0, 2), frame(shapely.LineString([(0, 0), (1, 1)])), ["mean"]
        )


@pytest.mark.parametrize("stats", [["average"], [], ["p101"], ["mean", "sd"]])
def test_unknown_statistics_are_named(synthetic_raster, stats: list[str]) -> None:
    with pytest.raises(ToolError, match="unknown statistics"):
        zonal_stats(synthetic_raster(np.ones((2, 2)), 0, 2), frame(shapely.box(0, 0, 1, 1)), stats)


def test_a_raster_of_weights(synthetic_raster) -> None:
    values = synthetic_raster([[1.0, 3.0]], 500_000, 5_000_001, 1.0, "EPSG:32633")
    people = synthetic_raster([[30.0, 10.0]], 500_000, 5_000_001, 1.0, "EPSG:32633")
    zone = frame(shapely.box(500_000, 5_000_000, 500_002, 5_000_001), crs="EPSG:32633")
    assert zonal_stats(values, zone, ["mean", "max"], weights=people).loc[0, ["mean", "max"]].tolist() == [
        1.5,
        3,
    ]
    with pytest.raises(ToolError, match="another grid"):
        zonal_stats(
            values, zone, ["mean"], weights=synthetic_raster([[1.0]], 500_000, 5_000_001, 2.0, "EPSG:32633")
        )
    with pytest.raises(ToolError, match="another coordinate reference system"):
        zonal_stats(
            values,
            zone,
            ["mean"],
            weights=synthetic_raster([[1.0, 2.0]], 500_000, 5_000_001, 1.0, "EPSG:32634"),
        )
    with pytest.raises(ToolError, match="cannot be weighted"):
        zonal_stats(values, zone, ["median"], weights=people)
    with pytest.raises(ToolError, match="expected area, cells or a raster"):
        zonal_stats(values, zone, ["mean"], weights="population")


def test_zones_outside_and_partly_outside_are_told(synthetic_raster) -> None:
    raster = synthetic_raster(np.ones((4, 4)), 0, 4)
    table = zonal_stats(raster, frame(shapely.box(50, 50, 51, 51), shapely.box(2, 0, 6, 4)), ["mean", "sum"])
    assert np.isnan(table["mean"][0]) and table["valid_share"].tolist() == pytest.approx([0, 0.5])
    assert len(table.attrs["notes"]) == 2


@pytest.mark.parametrize("pole", [1, -1])
def test_a_cap_on_a_polar_grid(synthetic_raster, pole: int) -> None:
    crs = "EPSG:3995" if pole > 0 else "EPSG:3031"
    side, cell = 300, 20_000.0
    x = (np.arange(side) - side / 2 + 0.5) * cell
    distance = np.hypot(*np.meshgrid(x, x))
    raster = synthetic_raster(distance, -side / 2 * cell, side / 2 * cell, cell, crs)
    cap = shapely.Polygon([(lon, 80.0 * pole) for lon in range(-180, 180, 5)])
    table = zonal_stats(raster, frame(cap), ["max", "min", "mean"])
    assert table["min"][0] < cell and table["valid_share"][0] == pytest.approx(1, abs=1e-3)
    rim = rasterio.warp.transform("EPSG:4326", crs, [0], [80.0 * pole])
    assert table["max"][0] == pytest.approx(np.hypot(*rim)[0], abs=1.5 * cell)
    # The mean distance over a disc is two thirds of its radius.
    assert table["mean"][0] == pytest.approx(2 / 3 * np.hypot(*rim)[0], rel=0.01)


def test_zones_across_the_date_line(synthetic_raster) -> None:
    across = shapely.MultiPolygon([shapely.box(179, 0, 180, 1), shapely.box(-180, 0, -178, 1)])
    lon = np.arange(360.0) - 180 + 0.5
    for west in (-180.0, 0.0, 100.0):
        centres = (np.arange(360.0) + west + 0.5 + 180) % 360 - 180
        raster = synthetic_raster(centres[None], west, 1)
        row = zonal_stats(raster, frame(across), ["min", "max", "sum"]).loc[0]
        assert row.tolist() == pytest.approx([-179.5, 179.5, 179.5 - 179.5 - 178.5, 3, 1])
    local = synthetic_raster(np.arange(20.0)[None], 170, 1)  # 170 to 190
    assert zonal_stats(local, frame(across), ["sum"])["sum"][0] == 9 + 10 + 11
    assert lon[0] == -179.5


def test_a_zone_of_the_whole_world_counts_each_cell_once(synthetic_raster) -> None:
    for west in (-180.0, -0.5, 0.0):
        raster = synthetic_raster(np.ones((18, 36)), west, 90, 10.0)
        assert zonal_stats(raster, frame(shapely.box(-180, -90, 180, 90)), ["sum"])["sum"][
            0
        ] == pytest.approx(648)


def test_windows_do_not_change_the_answer(synthetic_raster, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    raster = synthetic_raster(rng.random((200, 300)), 0, 60, 0.3)
    zones = frame(shapely.Point(45, 30).buffer(25), shapely.box(1, 1, 89, 59))
    whole = zonal_stats(raster, zones, ["mean", "sum", "max", "stdev"])
    monkeypatch.setattr("gra_geo.extraction.WINDOW_CELLS", 1000)
    assert zonal_stats(raster, zones, ["mean", "sum", "max", "stdev"]).to_numpy() == pytest.approx(
        whole.to_numpy()
    )


def test_a_damaged_file_is_told(synthetic_raster) -> None:
    raster = synthetic_raster(np.random.default_rng(0).random((400, 400)), 0, 400, compress="deflate")
    whole = raster.path.read_bytes()
    raster.path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ToolError, match=r"cannot be read|failed"):
        zonal_stats(raster, frame(shapely.box(0, 0, 400, 90)), ["mean"])


def test_against_rasterio_on_the_atlas(gra_registry) -> None:
    """Mean elevation of a county by counting cell centres, which differs a little from weighting cells."""
    from gra_core import Sources

    sources = Sources(gra_registry)
    dem = next(r for r in sources.open("elevation").rasters() if r["name"] == "elevation")
    county = sources.open("boundaries").get(region_ids=["geoId/31031"])  # Cherry County, Nebraska's largest
    raster = Raster.open(dem["path"])
    ours = zonal_stats(raster, county, ["mean"])["mean"].iloc[0]
    with rasterio.open(dem["path"]) as data:
        cells, _ = rasterio.mask.mask(data, county.geometry, crop=True, filled=False)
    assert ours == pytest.approx(float(cells.mean()), rel=0.005)
    assert evolve(raster, nodata=-1.0).nodata == -1.0
