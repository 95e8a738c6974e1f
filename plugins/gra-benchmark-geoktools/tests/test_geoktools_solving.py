"""Invariants of the solvers' computations, on synthetic shapes, series, rasters and tracks."""

import itertools
import math
import random

import geopandas as gpd
import numpy as np
import pandas as pd
import pymannkendall
import pytest
import rasterio
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gra_benchmark_geoktools.solving import backtest, geodesy, ranking, terrain, tracks, trend
from gra_core import IllPosed
from gra_core.testing.strategies import destination, polygons, positions

REGIONS = st.lists(
    polygons("plain", min_radius_km=20, max_radius_km=80, max_corners=7), min_size=2, max_size=8
)


def frame(shapes: list[dict]) -> gpd.GeoDataFrame:
    names = [f"Region {chr(65 + i)}" for i in range(len(shapes))]
    return gpd.GeoDataFrame(
        {"name": names}, geometry=[shapely.geometry.shape(s) for s in shapes], index=names, crs="EPSG:4326"
    )


def haversine_km(a: tuple[float, float], b: tuple[float, float]) -> float:
    (lon1, lat1), (lon2, lat2) = ((math.radians(x), math.radians(y)) for x, y in (a, b))
    h = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * 6371.0088 * math.asin(math.sqrt(min(1.0, h)))


# -- geodesy ----------------------------------------------------------------------------------------------------


@given(positions(), positions())
def test_distances_are_those_of_the_sphere_within_its_error(a: list[float], b: list[float]) -> None:
    assert geodesy.distance_km(tuple(a), tuple(b)) == pytest.approx(
        haversine_km(tuple(a), tuple(b)), rel=0.006, abs=1e-6
    )


@given(REGIONS, positions("plain"))
@settings(max_examples=40)
def test_no_other_region_is_farther_and_order_does_not_matter(shapes: list[dict], here: list[float]) -> None:
    regions = geodesy.from_point(frame(shapes), *here)
    shuffled = geodesy.from_point(frame(shapes).sample(frac=1, random_state=3), *here)
    assert shuffled["distance_km"].to_dict() == regions["distance_km"].to_dict()
    try:
        winner = ranking.best(regions, "distance_km")
    except IllPosed:
        return
    assert (regions["distance_km"] <= winner["distance_km"]).all()
    assert ranking.best(shuffled, "distance_km")["name"] == winner["name"]


@given(REGIONS, positions("plain"), st.floats(0, 359), st.floats(100, 3000))
@settings(max_examples=40)
def test_moving_the_landmark_moves_every_distance_by_no_more(
    shapes: list[dict], here: list[float], bearing: float, way: float
) -> None:
    there = destination(*here, bearing, way)
    before, after = (geodesy.from_point(frame(shapes), *p)["distance_km"] for p in (here, there))
    moved = geodesy.distance_km(tuple(here), tuple(there))
    assert ((after - before).abs() <= moved + 1e-6).all()


@given(polygons("plain", min_radius_km=20, max_radius_km=200), st.floats(-150, 150))
@settings(max_examples=40)
def test_area_does_not_depend_on_longitude_or_ring_direction(polygon: dict, turn: float) -> None:
    shape = shapely.geometry.shape(polygon)
    moved = shapely.transform(shape, lambda xy: xy + np.array([turn - shape.centroid.x, 0]))
    backwards = shapely.reverse(shape)
    area = geodesy.areas_km2(gpd.GeoDataFrame(geometry=[shape, moved, backwards], crs="EPSG:4326"))
    assert area[1] == pytest.approx(area[0], rel=1e-6)
    assert area[2] == pytest.approx(area[0], rel=1e-9)


def test_area_of_a_box_is_the_published_one() -> None:
    # lon 10 to 10.1, lat 60 to 60.1: 62.07 km², not the 248.2 km² of Web Mercator
    box = gpd.GeoDataFrame(geometry=[shapely.box(10, 60, 10.1, 60.1)], crs="EPSG:4326")
    assert geodesy.areas_km2(box)[0] == pytest.approx(62.07, abs=0.005)


def test_a_region_across_the_date_line_has_its_centre_there() -> None:
    fiji = shapely.MultiPolygon([shapely.box(179, -18, 180, -16), shapely.box(-180, -18, -179, -16)])
    centre = geodesy.centroids(gpd.GeoDataFrame(geometry=[fiji], crs="EPSG:4326")).iloc[0]
    assert abs(centre["lon"]) == pytest.approx(180, abs=1e-4) and centre["lat"] == pytest.approx(
        -17, abs=0.01
    )


@given(positions("plain"), st.floats(1, 500))
def test_a_circle_is_as_wide_as_asked(here: list[float], radius: float) -> None:
    shape = geodesy.circle(*here, radius)
    assert all(
        geodesy.distance_km(tuple(here), corner) == pytest.approx(radius)
        for corner in shape.exterior.coords[::30]
    )
    regions = gpd.GeoDataFrame(geometry=[shape], crs="EPSG:4326")
    assert geodesy.gap_km(regions, *here)[0] == 0
    outside = destination(*here, 90, radius + 200)
    assert geodesy.gap_km(regions, *outside)[0] == pytest.approx(200, rel=0.02)


# -- ranking ----------------------------------------------------------------------------------------------------


def table(values: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"name": [f"Place {chr(65 + i)}" for i in range(len(values))], "value": values})


NUMBERS = st.lists(st.integers(-1000, 1000).map(float), min_size=2, max_size=12)


@given(NUMBERS, st.booleans(), st.randoms(use_true_random=False))
def test_the_best_of_published_values(values: list[float], largest: bool, rng: random.Random) -> None:
    ranked = ranking.best(table(values), "value", largest=largest, margin=0)
    extreme = max(values) if largest else min(values)
    assert ranked["value"] == extreme
    assert ranked["name"] == min(
        n for n, v in zip(table(values)["name"], values, strict=True) if v == extreme
    ), "ties alphabetically"
    order = rng.sample(range(len(values)), len(values))
    assert (
        ranking.best(table(values).iloc[order], "value", largest=largest, margin=0)["name"] == ranked["name"]
    )


@given(NUMBERS, st.floats(0.001, 0.2))
def test_near_ties_of_computed_values_are_ill_posed(values: list[float], margin: float) -> None:
    first = max(values)
    near = any(v != first and first - v <= margin * max(abs(first), abs(v)) for v in values)
    if near:
        with pytest.raises(IllPosed, match="nearly equal"):
            ranking.best(table(values), "value", margin=margin)
    else:
        assert ranking.best(table(values), "value", margin=margin)["value"] == first


@given(NUMBERS, st.integers(0, 11))
def test_a_missing_value_is_ill_posed(values: list[float], at: int) -> None:
    values[at % len(values)] = float("nan")
    for pick in (ranking.best, lambda t, by: ranking.over(t, by, 0.0)):
        with pytest.raises(IllPosed):
            pick(table(values), "value")


@given(NUMBERS, st.integers(-1000, 1000))
def test_counting_over_a_threshold(values: list[float], threshold: int) -> None:
    if threshold and any(abs(v - threshold) <= 0.01 * abs(threshold) for v in values):
        with pytest.raises(IllPosed, match="near the threshold"):
            ranking.over(table(values), "value", threshold)
    elif threshold:
        assert len(ranking.over(table(values), "value", threshold)) == sum(v > threshold for v in values)


# -- trends and forecasts ---------------------------------------------------------------------------------------

SERIES = st.lists(st.floats(-100, 100).map(lambda v: round(v, 1)), min_size=8, max_size=40)


@given(SERIES)
def test_the_trend_test_agrees_with_another_library(values: list[float]) -> None:
    assume(len(set(values)) > 1)
    series = pd.Series(values, index=range(1970, 1970 + len(values)))
    other = pymannkendall.original_test(values)
    assert trend.p_value(series) == pytest.approx(other.p, abs=1e-9)
    assert trend.sens_slope(series) == pytest.approx(other.slope, abs=1e-9)
    if trend.CLEAR[0] < other.p < trend.CLEAR[1]:
        with pytest.raises(IllPosed):
            trend.direction(series)
    else:
        assert trend.direction(series) == other.trend


@given(SERIES)
def test_a_series_backwards_has_the_opposite_trend(values: list[float]) -> None:
    years = range(1970, 1970 + len(values))
    there, back = pd.Series(values, index=years), pd.Series(values[::-1], index=years)
    assert trend.sens_slope(back) == pytest.approx(-trend.sens_slope(there), abs=1e-9)
    assert trend.p_value(back) == pytest.approx(trend.p_value(there))


@given(st.floats(-5, 5), st.floats(-100, 100), st.integers(2, 5))
def test_drift_forecasts_a_straight_line_without_error(slope: float, start: float, horizon: int) -> None:
    series = pd.Series([start + slope * i for i in range(30)], index=range(1970, 2000))
    found = backtest.errors(series, horizon)
    assert found["drift"] == pytest.approx(0, abs=1e-9)
    assert found["naive"] == pytest.approx(abs(slope) * (horizon + 1) / 2, abs=1e-9)


# -- terrain ----------------------------------------------------------------------------------------------------


def write(
    path: str, values: np.ndarray, west: float, north: float, step: float, nodata: float = -9999.0
) -> None:
    transform = rasterio.transform.from_origin(west, north, step, step)
    options = {
        "driver": "GTiff",
        "height": values.shape[0],
        "width": values.shape[1],
        "count": 1,
        "dtype": "float64",
        "crs": "EPSG:4326",
    }
    with rasterio.open(path, "w", transform=transform, nodata=nodata, **options) as raster:
        raster.write(values, 1)


def test_the_mean_of_a_flat_raster_under_any_shape_is_its_height(tmp_path) -> None:
    path = str(tmp_path / "flat.tif")
    write(path, np.full((40, 40), 5.0), 10, 50, 0.1)

    @given(st.lists(st.tuples(st.floats(10.3, 13.7), st.floats(46.3, 49.7)), min_size=3, max_size=8))
    @settings(max_examples=40)
    def check(corners: list[tuple[float, float]]) -> None:
        shape = shapely.convex_hull(shapely.MultiPoint(corners))
        assume(shape.geom_type == "Polygon" and shape.area > 1e-3)
        assert terrain.mean_elevation(path, shape) == pytest.approx(5.0)
        assert terrain.mean_slope(path, shape) == pytest.approx(0.0, abs=1e-9)

    check()


def test_covered_area_is_the_area_of_the_shape() -> None:
    patch = terrain.Patch(np.zeros((30, 30)), 10 + np.arange(31) / 10, 50 - np.arange(31) / 10)
    triangle = shapely.Polygon([(10.22, 47.31), (12.87, 48.05), (11.03, 49.77)])
    covered = terrain.coverage_km2(patch, triangle).sum()
    assert covered == pytest.approx(
        geodesy.areas_km2(gpd.GeoDataFrame(geometry=[triangle], crs="EPSG:4326"))[0], rel=2e-3
    )


def test_cells_without_data_leave_the_mean_or_make_it_unclear(tmp_path) -> None:
    path, shape = str(tmp_path / "hole.tif"), shapely.box(10.5, 48.5, 11.5, 49.5)
    values = np.full((20, 20), 7.0)
    values[10, 10] = -9999
    write(path, values, 10, 50, 0.1)
    assert terrain.mean_elevation(path, shape) == pytest.approx(7.0)
    values[6:10, 6:10] = -9999
    write(path, values, 10, 50, 0.1)
    with pytest.raises(IllPosed, match="not known"):
        terrain.mean_elevation(path, shape)
    with pytest.raises(IllPosed, match="beyond"):
        terrain.mean_elevation(path, shapely.box(9, 48, 11, 49))


def test_an_inclined_plane_has_its_slope_everywhere() -> None:
    # 30 m down to the south on each 0.01 degree: a cell is 0.01 / 360 of the meridian's circumference at that latitude
    patch = terrain.Patch(
        np.repeat(np.arange(9, 0, -1)[:, None] * 30.0, 9, axis=1),
        10 + np.arange(10) / 100,
        45 - np.arange(10) / 100,
    )
    slopes = terrain.slopes_deg(patch)[1:-1, 1:-1]
    metres = 111_131.8 * 0.01  # length of a degree of latitude at 45 degrees north (WGS84)
    assert slopes == pytest.approx(math.degrees(math.atan(30 / metres)), rel=1e-4)


@given(
    st.floats(-10, 10),
    st.floats(-10, 10),
    st.lists(st.tuples(st.floats(10.1, 11.9), st.floats(48.1, 49.9)), min_size=1, max_size=9),
)
def test_bilinear_values_of_a_plane_are_exact(a: float, b: float, points: list[tuple[float, float]]) -> None:
    lons, lats = 10 + np.arange(21) / 10, 50 - np.arange(21) / 10
    x, y = np.meshgrid((lons[:-1] + lons[1:]) / 2, (lats[:-1] + lats[1:]) / 2)
    at = np.array(points)
    found = terrain.bilinear(terrain.Patch(a * x + b * y, lons, lats), at[:, 0], at[:, 1])
    assert found == pytest.approx(a * at[:, 0] + b * at[:, 1], abs=1e-6)


# -- storms -----------------------------------------------------------------------------------------------------


def storm(
    name: str, way: list[tuple[float, float]], category: int = 3, wind: float = 100.0, year: int = 2000
) -> pd.DataFrame:
    times = pd.Timestamp(f"{year}-08-01") + pd.to_timedelta(np.arange(len(way)) * 6, unit="h")
    return pd.DataFrame(
        {"storm_id": name, "name": name, "season": year, "time": times, "lon": [p[0] for p in way], "lat": [p[1] for p in way],
         "wind_kt": wind, "category": category, "peak": category}
    )  # fmt: skip


WAY = [(-60.0, 20.0), (-62.0, 21.0), (-64.0, 22.0), (-66.0, 23.0)]


@given(st.floats(0, 1), st.integers(0, 2), st.floats(10, 300))
def test_a_place_under_the_track_is_passed_at_no_distance(share: float, leg: int, radius: float) -> None:
    (lon1, lat1), (lon2, lat2) = WAY[leg], WAY[leg + 1]
    azimuth, _, length = geodesy.GEOD.inv(lon1, lat1, lon2, lat2)
    lon, lat, _ = geodesy.GEOD.fwd(lon1, lat1, azimuth, length * share)
    found = tracks.passing(storm("ANA", WAY), lon, lat, radius, 2000, 2000, 1)
    assert list(found["name"]) == ["ANA"] and found["distance_km"].iloc[0] <= tracks.STEP_KM


@given(st.floats(-180, 180), st.floats(-80, 80), st.floats(20, 400))
def test_a_storm_counts_only_within_the_distance(lon: float, lat: float, radius: float) -> None:
    legs = itertools.pairwise(WAY)
    points = [p for a, b in legs for p in geodesy.GEOD.npts(*a, *b, 200)]
    least = min(geodesy.distances_km(lon, lat, *zip(*points, strict=True)))
    if abs(least - radius) < 0.03 * radius:
        return
    assert len(tracks.passing(storm("ANA", WAY), lon, lat, radius, 2000, 2000, 1)) == int(least < radius)


def test_a_storm_on_the_edge_of_the_distance_is_ill_posed() -> None:
    lon, lat = destination(*WAY[1], 333, 100)
    least = tracks.passing(storm("ANA", WAY), lon, lat, 200, 2000, 2000, 1)["distance_km"].iloc[0]
    with pytest.raises(IllPosed, match="not clear"):
        tracks.passing(storm("ANA", WAY), lon, lat, least * 1.005, 2000, 2000, 1)


def test_category_years_and_regions_decide() -> None:
    fixes = pd.concat(
        [
            storm("ANA", WAY, 3),
            storm("BOB", WAY, 1),
            storm("CYD", [(p[0] + 40, p[1]) for p in WAY], 5, year=2003),
        ]
    )
    assert set(tracks.passing(fixes, -62, 21, 100, 2000, 2003, 1)["name"]) == {"ANA", "BOB"}
    assert set(tracks.passing(fixes, -62, 21, 100, 2000, 2003, 2)["name"]) == {"ANA"}
    assert tracks.passing(fixes, -62, 21, 100, 2001, 2003, 1).empty
    assert set(tracks.crossing(fixes, shapely.box(-63, 20, -61, 22), 2000, 2003, 1)["name"]) == {"ANA", "BOB"}
    assert set(tracks.crossing(fixes, shapely.box(-23, 20, -21, 22), 2000, 2003, 1)["name"]) == {"CYD"}


def test_a_track_across_the_date_line_is_one() -> None:
    fixes = storm("EVA", [(178.0, -17.0), (179.5, -17.5), (-179.0, -18.0), (-177.5, -18.5)])
    found = tracks.passing(fixes, -179.9, -17.7, 100, 2000, 2000, 1)
    assert len(found) == 1 and found["distance_km"].iloc[0] < 30


def test_a_gap_of_more_than_a_day_is_not_bridged() -> None:
    fixes = storm("FAY", [(-60.0, 20.0), (-70.0, 20.0)])
    fixes["time"] = [pd.Timestamp("2000-08-01"), pd.Timestamp("2000-08-03")]
    assert tracks.passing(fixes, -65, 20, 200, 2000, 2000, 1).empty
