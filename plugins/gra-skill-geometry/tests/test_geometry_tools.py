"""The tools of the skill ``geometry`` through their public interface, on real regions and synthetic shapes."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import pyproj
import pytest
import rasterio
import shapely

from gra_core import Column, Registry, Workspace
from gra_geo.raster import Raster

GEOD = pyproj.Geod(ellps="WGS84")
BOWTIE = {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]}


def box(west: float, south: float, east: float, north: float) -> dict[str, Any]:
    return shapely.geometry.mapping(shapely.box(west, south, east, north))


def features(*shapes: shapely.Geometry, **columns: list[Any]) -> dict[str, Any]:
    frame = gpd.GeoDataFrame(
        columns or {"n": list(range(len(shapes)))}, geometry=list(shapes), crs="EPSG:4326"
    )
    return frame.__geo_interface__


@pytest.fixture
def workspace(tmp_path, gra_registry: Registry) -> Workspace:
    """The workspace that `gra_call` uses."""
    return Workspace(tmp_path, gra_registry.formats)


@pytest.fixture
def counties(gra_call) -> str:
    return gra_call("list_subregions", parent_id="geoId/31", level="county").datasets[0].ref


@pytest.fixture
def synthetic(workspace: Workspace, tmp_path):
    """Store an array as a raster dataset."""

    def put(
        values: Any,
        west: float = 0,
        north: float = 4,
        cell: float = 1.0,
        crs: str | None = "EPSG:4326",
        **manifest: Any,
    ) -> str:
        values = np.asarray(values)
        path = tmp_path / "synthetic.tif"
        grid = rasterio.transform.from_origin(west, north, cell, cell)
        with rasterio.open(
            path,
            "w",
            driver="GTiff",
            height=values.shape[0],
            width=values.shape[1],
            count=1,
            dtype=values.dtype,
            crs=crs,
            transform=grid,
        ) as target:
            target.write(values, 1)
        return workspace.put(Raster.open(path), name="synthetic", **manifest).ref

    return put


def test_the_farthest_county_of_nebraska_from_carhenge(gra_call, counties: str) -> None:
    result = gra_call("compute_distances", a="Carhenge", b=counties, order="farthest")
    best = result.content["extreme"]
    assert (best["b_id"], best["b_name"]) == ("geoId/31147", "Richardson County")
    assert best["distance_km"] == pytest.approx(639.7, abs=0.05)
    assert 100 < best["bearing_deg"] < 115  # east-south-east


def test_distances_by_anchor(gra_call) -> None:
    point, square = {"type": "Point", "coordinates": [0, 0.5]}, box(1, 0, 3, 1)
    far = {
        a: gra_call("compute_distances", a=point, b=square, anchor=a).content["extreme"]["distance_m"]
        for a in ("centroid", "boundary")
    }
    assert far["boundary"] == pytest.approx(GEOD.inv(0, 0.5, 1, 0.5)[2], rel=1e-6)
    assert far["centroid"] == pytest.approx(GEOD.inv(0, 0.5, 2, 0.5)[2], rel=1e-5)
    assert (
        gra_call(
            "compute_distances", a={"type": "Point", "coordinates": [2, 0.5]}, b=square, anchor="boundary"
        ).content["extreme"]["distance_m"]
        == 0
    )
    horseshoe = features(shapely.LineString([(0, 0), (4, 0), (4, 3), (0, 3)]).buffer(0.2))
    inside = gra_call(
        "compute_distances",
        a={"type": "Point", "coordinates": [4, 1.5]},
        b=horseshoe,
        anchor="representative",
    )
    assert inside.status == "ok"


@pytest.mark.parametrize("anchor", ["centroid", "boundary"])
def test_all_pairs_within_a_distance(gra_call, counties: str, anchor: str) -> None:
    all_pairs = gra_call("compute_distances", a="Carhenge", b=counties, k=0, anchor=anchor)
    assert all_pairs.content["pairs"] == 93 and all_pairs.content["rows_left_out"] == 68
    near = gra_call("compute_distances", a="Carhenge", b=counties, k=0, max_m=100_000, anchor=anchor)
    rows = [r["distance_m"] for r in near.content["rows"]]
    assert rows == sorted(rows) and rows[-1] <= 100_000
    one_by_one = gra_call(
        "compute_distances", a="Carhenge", b=counties, k=len(rows) + 1, anchor=anchor
    ).content["rows"]
    assert [r["b_id"] for r in one_by_one[:-1]] == [r["b_id"] for r in near.content["rows"]]
    assert one_by_one[-1]["distance_m"] > 100_000
    none = gra_call("compute_distances", a=[[0, 0]], b=counties, max_m=1000, anchor=anchor)
    assert none.status == "empty" and "1000 m" in none.content["reason"]


@pytest.mark.parametrize("anchor", ["centroid", "boundary"])
@pytest.mark.parametrize("order", ["nearest", "farthest"])
def test_no_feature_is_its_own_neighbour(gra_call, counties: str, anchor: str, order: str) -> None:
    result = gra_call("compute_distances", a=counties, b=counties, k=1, anchor=anchor, order=order)
    assert result.content["pairs"] == 93 and all(r["a_id"] != r["b_id"] for r in result.content["rows"])
    assert any("paired with itself" in n for n in result.notes)


def test_equal_distances_rank_by_id_whatever_the_order_of_rows(gra_call) -> None:
    spots = {"b": (1, 0), "a": (-1, 0), "c": (0, 5)}
    for names in (list(spots), list(spots)[::-1]):
        data = features(*(shapely.Point(spots[n]) for n in names), feature_id=names, name=names)
        rows = gra_call("compute_distances", a=[[0, 0]], b=data, k=3).content["rows"]
        assert [r["b_id"] for r in rows] == ["a", "b", "c"]


def test_too_many_pairs_are_refused(gra_call, workspace: Workspace) -> None:
    many = gpd.GeoDataFrame(
        {"n": range(2000)},
        geometry=gpd.points_from_xy(np.linspace(-170, 170, 2000), [0] * 2000),
        crs="EPSG:4326",
    )
    ref = workspace.put(many, name="many").ref
    result = gra_call("compute_distances", a=ref, b=ref, k=0)
    assert result.error.kind == "bad_argument" and "4,000,000 pairs" in result.error.message


def test_measures_across_the_date_line_and_around_a_pole(gra_call) -> None:
    across = {"type": "Polygon", "coordinates": [[[179, 0], [-179, 0], [-179, 1], [179, 1], [179, 0]]]}
    cap = {"type": "Polygon", "coordinates": [[[lon, -70] for lon in (*range(-180, 180, 10), -180)]]}
    row = gra_call(
        "measure_features", features=across, what=["area", "perimeter", "centroid", "bounds"]
    ).content["rows"][0]
    truth = abs(GEOD.geometry_area_perimeter(shapely.segmentize(shapely.box(9, 0, 11, 1), 0.01))[0])
    assert row["area_km2"] == pytest.approx(truth / 1e6, rel=1e-6)
    assert abs(row["lon"]) == 180 and (row["west"], row["east"]) == (179, -179)
    assert gra_call("measure_features", features=cap).content["total_area_km2"] == pytest.approx(
        15.5e6, rel=0.01
    )


def test_lengths_of_lines(gra_call) -> None:
    line = {"type": "LineString", "coordinates": [[-73.78, 40.64], [-0.45, 51.47]]}  # JFK to Heathrow
    assert gra_call("measure_features", features=line, what=["length"]).content[
        "total_length_km"
    ] == pytest.approx(5555, abs=5)


@pytest.mark.parametrize("method", ["geodesic", "utm"])
@pytest.mark.parametrize(
    ("lon", "lat"), [(10, 0), (10, 60), (179.999, -17), (-179.999, 66), (25, 84.5), (25, 89.999)]
)
def test_buffers_are_as_wide_as_asked(gra_call, method: str, lon: float, lat: float) -> None:
    result = gra_call(
        "buffer_features",
        features={"type": "Point", "coordinates": [lon, lat]},
        distance_m=1000,
        method=method,
    )
    # At a zone's edge lengths are stretched by a thousandth, on the grids of the polar regions by six.
    assert result.content["total_area_km2"] == pytest.approx(
        np.pi, rel=3e-3 if abs(lat) < 84 or method == "geodesic" else 0.015
    )


def test_dissolved_and_vanished_buffers(gra_call) -> None:
    pair = features(shapely.Point(0, 0), shapely.Point(0.01, 0))
    assert gra_call("buffer_features", features=pair, distance_m=5000, dissolve=True).content["features"] == 1
    small = features(shapely.box(0, 0, 0.01, 0.01), shapely.box(1, 0, 2, 1))
    shrunk = gra_call("buffer_features", features=small, distance_m=-1000)
    assert shrunk.content["features"] == 1 and any("1 features vanished" in n for n in shrunk.notes)
    assert gra_call("buffer_features", features=box(0, 0, 0.01, 0.01), distance_m=-1000).status == "empty"
    wide = gra_call("buffer_features", features=box(0, 0, 30, 1), distance_m=10, method="utm")
    assert "too large for one UTM zone" in wide.error.message


def test_neighbours_and_members_are_told_apart(gra_call, counties: str) -> None:
    def kept(**arguments: Any) -> list[str]:
        result = gra_call("filter_by_intersection", features=counties, **arguments)
        return [r["name"] for r in result.content["rows"]] if result.status == "ok" else []

    douglas = ["geoId/31055"]
    assert kept(mask=douglas, predicate="within") == ["Douglas County"]
    assert kept(mask=douglas, min_overlap=0.5) == ["Douglas County"]
    assert kept(mask={"type": "Point", "coordinates": [-95.94, 41.26]}, predicate="contains") == [
        "Douglas County"
    ]
    # Its neighbours, by the Census Bureau's county adjacency file (those in Nebraska).
    assert kept(mask=douglas) == [
        "Dodge County",
        "Douglas County",
        "Sarpy County",
        "Saunders County",
        "Washington County",
    ]
    apart = gra_call("filter_by_intersection", features=counties, mask=douglas, predicate="disjoint")
    assert apart.content["kept"] == 88
    assert gra_call("filter_by_intersection", features=counties, mask=box(0, 0, 1, 1)).status == "empty"


def test_points_of_the_date_line_are_found_on_both_sides(gra_call) -> None:
    zone = {"type": "Polygon", "coordinates": [[[179, 0], [-179, 0], [-179, 1], [179, 1], [179, 0]]]}
    points = {"type": "MultiPoint", "coordinates": []}
    points = features(*(shapely.Point(x, 0.5) for x in (179.5, 180, -180, -179.5, 0)))
    assert (
        gra_call("filter_by_intersection", features=points, mask=zone, predicate="within").content["kept"]
        == 4
    )
    assert gra_call("join_by_location", left=points, right=zone).content["matched"] == 4


def test_fault_11_counts_by_zone_add_up(gra_call) -> None:
    zones = features(shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1), name=["left", "right"])
    points = features(shapely.Point(0.5, 0.5), shapely.Point(1, 0.5), people=[10, 5])
    result = gra_call("join_by_location", left=points, right=zones, predicate="within", sums=["people"])
    assert (
        result.content["matched"] == 2
        and result.content["tied"] == 1
        and "comes first" in result.content["rule"]
    )
    assert [(r["name"], r["count"], r["sum_people"]) for r in result.content["counts"]] == [
        ("left", 2, 15),
        ("right", 0, 0),
    ]
    both = gra_call("join_by_location", left=points, right=zones, ties="all")
    assert both.content["matched"] == 2 and "each of them" in both.content["rule"]
    assert sum(row["count"] for row in both.content["counts"]) == 3
    assert gra_call("join_by_location", left=points, right=zones, ties="error").error.kind == "bad_argument"
    assert (
        "numeric columns: people"
        in gra_call("join_by_location", left=points, right=zones, sums=["size"]).error.hint
    )
    assert (
        gra_call("join_by_location", left=points, right=features(shapely.box(50, 50, 51, 51))).status
        == "empty"
    )


def test_cities_by_county_equal_the_source_s_own_assignment(gra_call, counties: str) -> None:
    cities = gra_call("search_places", region=["geoId/31"], types=["city"], limit=1000).datasets[0].ref
    result = gra_call("join_by_location", left=cities, right=counties)
    assert result.content["matched"] + result.content["without_match"] == result.content["left"]
    assert result.content["counts"][0]["name"] in ("Sarpy County", "Douglas County")


def test_overlays_keep_the_whole(gra_call, workspace: Workspace) -> None:
    state, square = ["geoId/31"], box(-105, 40, -100, 42)
    area = gra_call("measure_features", features=state).content["total_area_km2"]
    part = {
        h: gra_call("overlay_features", a=state, b=square, how=h).content
        for h in ("intersection", "difference", "identity", "union", "symmetric_difference")
    }
    total = {h: c["total_area_km2"] for h, c in part.items()}
    assert total["intersection"] + total["difference"] == pytest.approx(area, rel=1e-9)
    assert total["identity"] == pytest.approx(area, rel=1e-9)
    assert total["union"] == pytest.approx(total["symmetric_difference"] + total["intersection"], rel=1e-9)
    row = part["intersection"]["rows"][0]
    assert (
        row["share_of_a"] == pytest.approx(total["intersection"] / area, rel=1e-6)
        and row["a_name"] == "Nebraska"
    )


def test_overlays_of_lines_and_mere_touching(gra_call) -> None:
    line = features(shapely.LineString([(-1, 0.5), (3, 0.5)]))
    cut = gra_call("overlay_features", a=line, b=box(0, 0, 1, 1)).content
    assert cut["total_length_km"] == pytest.approx(GEOD.inv(0, 0.5, 1, 0.5)[2] / 1000, rel=1e-5)
    assert cut["rows"][0]["share_of_a"] == pytest.approx(0.25, rel=1e-4)
    assert gra_call("overlay_features", a=box(0, 0, 1, 1), b=box(1, 0, 2, 1)).status == "empty"
    assert (
        "needs polygons in b"
        in gra_call("overlay_features", a=box(0, 0, 1, 1), b=line, how="union").error.message
    )


def test_zonal_statistics_of_a_stored_raster(gra_call, synthetic) -> None:
    raster = synthetic(np.arange(16.0).reshape(4, 4))
    zones = features(shapely.box(0, 3, 1, 4), shapely.box(2, 0, 4, 2), name=["corner", "square"])
    content = gra_call("compute_zonal_stats", raster=raster, zones=zones, stats=["sum", "max", "p50"]).content
    assert [(r["name"], r["sum"], r["max"]) for r in content["rows"]] == [
        ("square", 50, 15),
        ("corner", 0, 0),
    ]
    assert "covered area" in content["weighting"]
    assert gra_call("compute_zonal_stats", raster=raster, zones=box(50, 50, 51, 51)).status == "empty"


def test_fault_06_and_07_through_the_tool(gra_call, synthetic) -> None:
    raster = synthetic(np.full((10, 10), 7.0), 500_000, 5_010_000, 1000, "EPSG:32633")
    tiny = box(15.05, 45.2, 15.0501, 45.2001)
    row = gra_call("compute_zonal_stats", raster=raster, zones=tiny).content["rows"]
    assert row == [] or row[0]["mean"] == 7
    result = gra_call("compute_zonal_stats", raster=raster, zones=box(15.02, 45.18, 15.0201, 45.1801))
    assert result.content["rows"][0]["mean"] == 7 and 0 < result.content["rows"][0]["cells"] < 0.01
    assert any("EPSG:32633" in n for n in result.notes) and any(
        "smaller than a cell" in n for n in result.notes
    )


def test_what_a_raster_holds_decides_what_can_be_asked(gra_call, synthetic) -> None:
    values = np.arange(16.0).reshape(4, 4)
    classes = synthetic(values, columns={"band_1": Column(quantity="class")})
    refused = gra_call("compute_zonal_stats", raster=classes, zones=box(0, 0, 4, 4), stats=["mean"])
    assert "holds classes" in refused.error.message and "majority" in refused.error.hint
    assert (
        gra_call("compute_zonal_stats", raster=classes, zones=box(0, 0, 4, 4), stats=["majority"]).status
        == "ok"
    )
    people = synthetic(values, columns={"band_1": Column(quantity="count")})
    assert any(
        "use sum" in n for n in gra_call("compute_zonal_stats", raster=people, zones=box(0, 0, 4, 4)).notes
    )
    rain = synthetic(values, columns={"band_1": Column(quantity="rate")})
    assert any(
        "use mean" in n
        for n in gra_call("compute_zonal_stats", raster=rain, zones=box(0, 0, 4, 4), stats=["sum"]).notes
    )


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("measure_features", {"features": BOWTIE}, "crosses or overlaps itself"),
        ("measure_features", {"features": {"type": "Polygon", "coordinates": []}}, "is empty"),
        ("measure_features", {"features": {"type": "Point", "coordinates": [200, 0]}}, "beyond ±180"),
        ("measure_features", {"features": "{"}, "not JSON"),
        ("measure_features", {"features": {"type": "Nothing"}}, "unknown type 'Nothing'"),
        ("measure_features", {"features": "ds://nothing"}, "no dataset ds://nothing"),
        ("measure_features", {"features": "ds://../x"}, "is not a dataset reference"),
        ("measure_features", {"features": ["geoId/99"]}, "geoId/99"),
        ("measure_features", {"features": box(0, 0, 1, 1), "what": ["volume"]}, "expected one of"),
        ("buffer_features", {"features": box(0, 0, 1, 1), "distance_m": 1e8}, "out of range"),
        ("buffer_features", {"features": box(0, 0, 1, 1), "distance_m": "wide"}, "expected number"),
        ("buffer_features", {"features": box(0, 0, 1, 1), "distance_m": float("nan")}, "not a finite number"),
        ("compute_distances", {"a": "Springfield", "b": box(0, 0, 1, 1)}, "several places"),
        ("compute_distances", {"a": [[0, 95]], "b": box(0, 0, 1, 1)}, "latitude 95"),
        ("compute_distances", {"a": [[0, 0]], "b": box(0, 0, 1, 1), "k": -1}, "at least 0"),
        ("compute_zonal_stats", {"raster": "ds://none", "zones": box(0, 0, 1, 1)}, "no dataset"),
        ("compute_zonal_stats", {"raster": "/etc/passwd", "zones": box(0, 0, 1, 1)}, "expected text matching"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_clear_error(gra_call, tool: str, arguments: dict[str, Any], says: str) -> None:
    result = gra_call(tool, **arguments)
    assert result.status == "error" and result.error.kind in ("bad_argument", "not_found")
    assert says in result.error.message, result.error.message
    assert result.error.kind == "not_found" or result.error.hint


def test_bad_rasters_get_a_clear_error(gra_call, synthetic, workspace: Workspace) -> None:
    nowhere = synthetic(np.ones((2, 2)), crs=None)
    assert (
        "no known coordinate reference system"
        in gra_call("compute_zonal_stats", raster=nowhere, zones=box(0, 0, 1, 1)).error.message
    )
    raster = synthetic(np.ones((2, 2)))
    assert (
        "has 1 bands"
        in gra_call("compute_zonal_stats", raster=raster, zones=box(0, 0, 1, 1), band=2).error.message
    )
    assert (
        "unknown statistics 'average'"
        in gra_call(
            "compute_zonal_stats", raster=raster, zones=box(0, 0, 1, 1), stats=["average"]
        ).error.message
    )
    table = workspace.put({"a": 1}, name="table").ref
    assert (
        "is not a raster"
        in gra_call("compute_zonal_stats", raster=table, zones=box(0, 0, 1, 1)).error.message
    )
    workspace.open(raster).path.write_bytes(b"damaged")
    assert (
        "cannot be read as a raster"
        in gra_call("compute_zonal_stats", raster=raster, zones=box(0, 0, 1, 1)).error.message
    )


def test_datasets_carry_units_and_lineage(gra_call, workspace: Workspace, counties: str) -> None:
    result = gra_call("measure_features", features=counties)
    manifest = workspace.open(result.datasets[0].ref).manifest
    assert manifest.columns["area_km2"].unit == "km2" and manifest.lineage.tool == "measure_features"
    assert manifest.lineage.inputs == (counties,)


def test_what_fits_is_measured_when_nothing_is_asked(gra_call) -> None:
    line = {"type": "LineString", "coordinates": [[179, 0], [-179, 0]]}
    row = gra_call("measure_features", features=line).content["rows"][0]
    assert row["length_km"] == pytest.approx(GEOD.inv(179, 0, -179, 0)[2] / 1e3) and "area_km2" not in row
    assert set(gra_call("measure_features", features=box(0, 0, 1, 1)).content["rows"][0]) == {
        "feature_id", "name", "area_km2",
    }  # fmt: skip
    row = gra_call("measure_features", features={"type": "Point", "coordinates": [12.5, 41.9]}).content[
        "rows"
    ][0]
    assert (row["lon"], row["lat"]) == (12.5, 41.9)
    assert gra_call("measure_features", features=line, what=[]).error.kind == "bad_argument"


def test_a_feature_counted_in_several_is_still_one_match(gra_call) -> None:
    zones = features(shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1))
    inside = features(shapely.Point(0.5, 0.5), shapely.Point(1, 0.5), shapely.Point(5, 5))
    content = gra_call("join_by_location", left=inside, right=zones, ties="all").content
    assert (content["left"], content["matched"], content["without_match"]) == (3, 2, 1)
    assert sum(row["count"] for row in content["counts"]) == 3


def test_a_point_without_a_width_says_so(gra_call) -> None:
    result = gra_call("buffer_features", features={"type": "Point", "coordinates": [0, 0]}, distance_m=0)
    assert result.status == "empty" and "width" in result.content["reason"] and not result.notes
