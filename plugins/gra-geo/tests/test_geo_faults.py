"""Public faults of geospatial tools, by their number in the list of known faults; each with its kind.

Right values: closed formulas on the sphere or ellipsoid, pyproj's Geod on dense rings, swisstopo's published example.
"""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pyproj
import pytest
import shapely

from gra_core import ToolError
from gra_geo import antimeridian, crs
from gra_geo.buffer import buffer
from gra_geo.geodesy import area_m2, centre, centroids
from gra_geo.inputs import read_features
from gra_geo.joins import join
from gra_geo.zonal import zonal_stats

GEOD = pyproj.Geod(ellps="WGS84")
FIJI = [shapely.Point(179.5, -17), shapely.Point(-179.5, -17)]


def frame(*shapes: shapely.Geometry, **columns: object) -> gpd.GeoDataFrame:
    return gpd.GeoDataFrame(columns or {"n": range(len(shapes))}, geometry=list(shapes), crs="EPSG:4326")


def radii(shape: shapely.Geometry, lon: float, lat: float) -> np.ndarray:
    """Geodesic distances of a buffer's vertices from its middle."""
    xy = shapely.get_coordinates(shape)
    xy = xy[(np.abs(xy[:, 0]) < 180) & (np.abs(xy[:, 1]) < 90)]  # where it was cut, it has no edge
    return np.asarray(GEOD.inv(np.full(len(xy), lon), np.full(len(xy), lat), *xy.T)[2])


@pytest.mark.parametrize("lat", [0, 30, 60, 75, 89, 89.995, -60, -89.9, 90, -90])
@pytest.mark.parametrize("lon", [10, 180, -179.999])
def test_01_a_buffer_is_as_wide_as_it_says_at_every_latitude(lon: float, lat: float) -> None:
    (shape,) = buffer(shapely.Point(lon, lat), 1000)
    assert shape.is_valid
    assert radii(shape, lon, lat) == pytest.approx(1000, abs=0.1)
    assert area_m2(shape)[0] == pytest.approx(np.pi * 1e6, rel=1e-3)


@pytest.mark.parametrize("lat", [0.0, 60.0, -75.0])
def test_01_lines_and_polygons_too(lat: float) -> None:
    side = shapely.LineString([(20, lat), (20, lat + 0.5)])
    half = GEOD.line_length([20, 20], [lat, lat + 0.5])
    assert area_m2(buffer(side, 1000))[0] == pytest.approx(2 * 1000 * half + np.pi * 1e6, rel=1e-3)


def test_02_area_is_not_that_of_web_mercator() -> None:
    box = shapely.box(10, 60, 10.1, 60.1)
    assert area_m2(box)[0] == pytest.approx(62.07e6, abs=0.005e6)
    assert area_m2(box.reverse())[0] == pytest.approx(area_m2(box)[0], rel=1e-12)


def test_03_the_middle_of_points_at_the_date_line_is_there() -> None:
    lon, lat = centre(FIJI)
    assert abs(lon) == pytest.approx(180, abs=1e-9) and lat == pytest.approx(-17, abs=0.001)
    assert shapely.get_x(centroids(shapely.MultiPoint(FIJI)))[0] == pytest.approx(180)
    assert crs.utm_crs(lon, lat).to_epsg() in (32701, 32760)
    assert antimeridian.bounds_of(FIJI) == (179.5, -17, -179.5, -17)


def test_03_a_polygon_across_the_date_line_has_its_centre_inside() -> None:
    (middle,) = centroids(shapely.Polygon([(179, 0), (-179, 0), (-179, 1), (179, 1)]))
    assert abs(middle.x) == pytest.approx(180) and middle.y == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("turn", [False, True])
def test_04_a_box_across_the_date_line_is_two_small_parts(turn: bool) -> None:
    ring = shapely.Polygon([(179, 0), (-179, 0), (-179, 1), (179, 1)])
    cut = antimeridian.cut(ring.reverse() if turn else ring)
    assert len(cut.geoms) == 2
    assert cut.contains(shapely.Point(179.9, 0.5)) and cut.contains(shapely.Point(-179.9, 0.5))
    assert not cut.contains(shapely.Point(0, 0.5))
    assert area_m2(ring)[0] == pytest.approx(area_m2(shapely.box(10, 0, 12, 1))[0], rel=1e-12)


@pytest.mark.parametrize(
    "longitudes",
    [
        np.arange(-180, 181, 1.0), np.arange(180, -181, -1.0), np.arange(0, 360, 1.0), np.array([0.0, 90, 180, -90]),
        np.arange(-175, 180, 10.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("pole", [-1, 1])
def test_05_a_ring_around_a_pole_is_a_cap(longitudes: np.ndarray, pole: int) -> None:
    lon = (longitudes + 180) % 360 - 180 if longitudes.max() > 180 else longitudes
    ring = shapely.Polygon(np.column_stack([lon, np.full(len(lon), 70.0 * pole)]))
    dense = np.arange(-180, 180, 0.1)
    truth = abs(GEOD.polygon_area_perimeter(dense, np.full(len(dense), 70.0 * pole))[0])
    assert truth == pytest.approx(15.4e12, rel=0.01)
    assert area_m2(ring)[0] == pytest.approx(truth, rel=1e-6)
    cap = antimeridian.cut(ring)
    assert (
        cap.is_valid
        and cap.contains(shapely.Point(37, 80 * pole))
        and not cap.contains(shapely.Point(37, 60 * pole))
    )
    assert abs(centroids(ring)[0].y) == pytest.approx(90)


def test_06_a_polygon_smaller_than_a_cell_has_its_value(synthetic_raster) -> None:
    raster = synthetic_raster(np.arange(16.0).reshape(4, 4), 0, 4)
    table = zonal_stats(raster, frame(shapely.box(1.4, 1.4, 1.6, 1.6)), ["mean", "sum", "max"])
    assert table["mean"][0] == table["max"][0] == 9.0
    assert table["cells"][0] == pytest.approx(0.04) and table["sum"][0] == pytest.approx(0.36)
    assert table["valid_share"][0] == pytest.approx(1)


def test_07_zones_in_another_crs_are_reprojected_with_a_note(synthetic_raster) -> None:
    raster = synthetic_raster(np.full((20, 20), 7.0), 400_000, 5_550_000, 1000, "EPSG:32633")
    lon, lat = crs.transform([405_000, 412_000], [5_535_000, 5_545_000], "EPSG:32633", "EPSG:4326")
    zones = frame(shapely.box(lon[0], lat[0], lon[1], lat[1]))
    table = zonal_stats(raster, zones, ["mean"])
    assert table["mean"][0] == 7.0 and any("EPSG:32633" in note for note in table.attrs["notes"])
    swiss = zones.to_crs("EPSG:3857")
    assert zonal_stats(raster, swiss, ["mean"])["mean"][0] == 7.0


def test_07_an_unknown_crs_is_refused(synthetic_raster) -> None:
    raster, nowhere = (
        synthetic_raster(np.ones((4, 4)), 0, 4),
        synthetic_raster(np.ones((4, 4)), 0, 4, crs=None),
    )
    with pytest.raises(ToolError, match="no known coordinate reference system"):
        zonal_stats(raster, frame(shapely.box(0, 0, 1, 1)).set_crs(None, allow_override=True), ["mean"])
    with pytest.raises(ToolError, match="no known coordinate reference system"):
        zonal_stats(nowhere, frame(shapely.box(0, 0, 1, 1)), ["mean"])


@pytest.mark.parametrize("nodata", [None, np.nan, -9999.0])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_08_fives_under_a_triangle_are_fives(synthetic_raster, nodata: float | None, dtype: str) -> None:
    raster = synthetic_raster(np.full((10, 10), 5.0, dtype), 0, 10, nodata=nodata)
    stats = ["mean", "min", "max", "median", "p90", "stdev"]
    table = zonal_stats(raster, frame(shapely.Polygon([(1, 1), (9, 1), (5, 8)])), stats)
    assert list(table.loc[0, stats]) == [5, 5, 5, 5, 5, 0]


def test_08_missing_cells_take_no_part(synthetic_raster) -> None:
    values = np.full((4, 4), 5.0)
    holed = values.copy()
    holed[1:3, 1:3] = np.nan
    mask = np.where(np.isnan(holed), 0, 255).astype("uint8")
    zone = frame(shapely.box(0, 0, 4, 4))
    for raster in (
        synthetic_raster(holed, 0, 4),
        synthetic_raster(np.nan_to_num(holed, nan=-1.0), 0, 4, nodata=-1.0),
        synthetic_raster(np.nan_to_num(holed, nan=99.0), 0, 4, mask=mask),
        synthetic_raster(np.nan_to_num(holed, nan=255).astype("uint8"), 0, 4, nodata=255),
    ):
        table = zonal_stats(raster, zone, ["mean", "sum", "max"])
        assert list(table.loc[0]) == pytest.approx([5, 60, 5, 12, 0.75])
    unset = synthetic_raster(np.nan_to_num(holed, nan=-1.0), 0, 4)
    assert zonal_stats(unset, zone, ["mean"], nodata=-1.0)["mean"][0] == 5


def test_09_a_grid_from_0_to_360_answers_western_longitudes(synthetic_raster) -> None:
    lon = np.arange(360.0)  # cell centres
    raster = synthetic_raster(np.broadcast_to(lon, (181, 360)).copy(), -0.5, 90.5)
    part = raster.select((-80, 0, -70, 0))
    assert part.shape == (1, 11)
    assert list(part["x"].values) == list(range(-80, -69)) and list(part.values[0]) == list(range(280, 291))
    table = zonal_stats(
        raster, frame(shapely.box(-80, 0, -70, 1), shapely.box(-1, 0, 1, 1)), ["min", "max", "cells"][:2]
    )
    assert list(table.loc[0, ["min", "max"]]) == [280, 290]
    assert list(table.loc[1, ["min", "max"]]) == [0, 359] and table["cells"][1] == pytest.approx(2)
    assert list(raster.sample([-80.0, 280.0, -0.4, 180, -180], [0, 0, 0, 0, 0])) == [280, 280, 0, 180, 180]


def test_10_a_global_mean_weights_cells_by_area(synthetic_raster) -> None:
    lat = 89.5 - np.arange(180.0)
    raster = synthetic_raster(np.repeat(lat[:, None] ** 2, 360, axis=1), -180, 90)
    world = frame(shapely.box(-180, -90, 180, 90))
    table = zonal_stats(raster, world, ["mean"])
    # The mean of latitude² over the sphere is (π²/4 − 2) square radians.
    assert table["mean"][0] == pytest.approx(np.degrees(np.degrees(np.pi**2 / 4 - 2)), rel=1e-3)
    assert table["mean"][0] == pytest.approx(1534, abs=1)
    assert zonal_stats(raster, world, ["mean"], weights="cells")["mean"][0] == pytest.approx(2700, abs=1)


def test_10_web_mercator_cells_are_weighted_by_true_area(synthetic_raster) -> None:
    half = 20_037_508.342789244
    rows = 400
    y = half - (np.arange(rows) + 0.5) * 2 * half / rows
    lat = np.degrees(np.arctan(np.sinh(y / 6378137.0)))
    raster = synthetic_raster(
        np.repeat(lat[:, None] ** 2, rows, axis=1), -half, half, 2 * half / rows, "EPSG:3857"
    )
    table = zonal_stats(raster, frame(shapely.box(-170, -60, 170, 60)), ["mean"])
    edge = np.radians(60)
    # ∫ φ² cos φ dφ = (φ² − 2) sin φ + 2 φ cos φ
    truth = np.degrees(np.degrees(((edge**2 - 2) * np.sin(edge) + 2 * edge * np.cos(edge)) / np.sin(edge)))
    assert table["mean"][0] == pytest.approx(truth, rel=5e-3)


def test_10_counts_are_conserved_when_zones_share_cells(synthetic_raster) -> None:
    rng = np.random.default_rng(3)
    people = rng.integers(0, 100, (30, 40)).astype("float64")
    raster = synthetic_raster(people, -20, 75)
    seeds = shapely.multipoints(rng.uniform([-20, 45], [20, 75], (25, 2)))
    cells = shapely.get_parts(shapely.voronoi_polygons(seeds, extend_to=shapely.box(-20, 45, 20, 75)))
    zones = frame(*shapely.intersection(cells, shapely.box(-20, 45, 20, 75)))
    assert zonal_stats(raster, zones, ["sum"])["sum"].sum() == pytest.approx(people.sum())


@pytest.mark.parametrize("ties", ["first", "largest"])
@pytest.mark.parametrize("predicate", ["intersects", "within"])
def test_11_a_point_on_a_shared_edge_is_counted_once(predicate: str, ties: str) -> None:
    zones = frame(shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1), zone=["b", "a"])
    points = frame(shapely.Point(0.5, 0.5), shapely.Point(1, 0.5))
    rows, zone, tied = join(points, zones, predicate, ties, right_id="zone")
    assert list(rows) == [0, 1] and tied == 1
    assert list(zones["zone"].iloc[zone]) == ["b", "a"]  # on the edge: the zone whose id comes first
    turned = zones.iloc[::-1].reset_index(drop=True)
    assert list(turned["zone"].iloc[join(points, turned, predicate, ties, right_id="zone")[1]]) == ["b", "a"]


def test_11_a_point_on_the_date_line_or_a_pole_is_found_under_either_longitude() -> None:
    zones = frame(
        shapely.box(170, -10, 180, 10),
        shapely.box(-180, 20, -170, 30),
        shapely.box(0, 80, 90, 90),
        zone=list("abc"),
    )
    points = frame(shapely.Point(-180, 0), shapely.Point(180, 25), shapely.Point(-120, 90))
    assert list(join(points, zones, "within", "first", right_id="zone")[1]) == [0, 1, 2]


def test_12_longitude_comes_first_whatever_the_authority_says() -> None:
    # The old observatory at Bern, origin of the Swiss grid, and a place in Zurich.
    x, y = crs.transform([7.438632495, 8.5417], [46.951082877, 47.3769], "EPSG:4326", "EPSG:2056")
    assert (x[0], y[0]) == (pytest.approx(2_600_000, abs=1), pytest.approx(1_200_000, abs=1))
    assert (round(x[1]), round(y[1])) == (2683304, 1247926)


def test_12_datasets_in_other_crs_come_back_as_longitude_latitude(ctx) -> None:
    swiss = gpd.GeoDataFrame(
        {"name": ["Zurich"]}, geometry=[shapely.Point(2683304, 1247926)], crs="EPSG:2056"
    )
    read = read_features(ctx, ctx.save(swiss, name="swiss").ref)
    assert shapely.get_coordinates(read.frame.geometry)[0] == pytest.approx([8.5417, 47.3769], abs=1e-5)
    assert any("EPSG:2056" in note for note in read.notes)
