"""Bad input gets a clear `ToolError`; good input of every form is read."""

from __future__ import annotations

import json
import re
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from gra_core import ToolError
from gra_core.testing.strategies import points, polygons
from gra_geo import geojson
from gra_geo.inputs import read_features, read_points, read_regions

BOWTIE = [[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]


def polygon(*rings: Any) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": list(rings)}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"type": "Polygone", "coordinates": []}, "unknown type 'Polygone'; expected one of Point"),
        ({"coordinates": [0, 0]}, "unknown type None"),
        ("{not json", "not JSON"),
        ('["geoId/31", 5]', "all of one kind"),
        ({"type": "FeatureCollection", "features": []}, "no features"),
        ({"type": "FeatureCollection", "features": {}}, "needs a list of features"),
        ({"type": "FeatureCollection", "features": [{"type": "Point"}]}, r"features\[0\] is not a Feature"),
        ({"type": "Feature", "geometry": None, "properties": {}}, "must be a geometry object, got null"),
        ({"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": [1]}, "properties must be an object"),
        ({"type": "Point", "coordinates": ["1", "2"]}, r"must be \[longitude, latitude\] numbers"),
        ({"type": "Point", "coordinates": [True, 2]}, r"must be \[longitude, latitude\] numbers"),
        ({"type": "Point", "coordinates": [1]}, r"must be \[longitude, latitude\] numbers"),
        ({"type": "Point", "coordinates": None}, "must be an array, got null"),
        ({"type": "Point", "coordinates": [float("nan"), 1]}, "not finite"),
        ({"type": "LineString", "coordinates": [[0, 0], [float("inf"), 1]]}, r"coordinates\[1\] is not finite"),
        ({"type": "LineString", "coordinates": [[1, 1], [1, 1]]}, "two different positions"),
        ({"type": "GeometryCollection", "geometries": []}, "without geometries"),
        (polygon(), "coordinates is empty"),
        (polygon([]), r"coordinates\[0\] is empty"),
        (polygon([[0, 0], [1, 1], [0, 0]]), "at least 3"),
        (polygon([[0, 0], [1, 1], [2, 2], [0, 0]]), "encloses no area"),
        (polygon(BOWTIE), "crosses or overlaps itself"),
        (polygon([[0, 0], [2, 0], [2, 2], [0, 2], [0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]), "crosses or overlaps itself|encloses"),
        ({"type": "Point", "coordinates": [200, 10]}, "longitude 200 of row 1 is beyond ±180"),
        (polygon([[170, 0], [190, 0], [190, 10], [170, 0]]), "write 190 as -170"),
        ({"type": "Point", "coordinates": [10, 95]}, "latitude 95 .* other way round"),
        (polygon([[47, 100], [48, 100], [48, 101], [47, 100]]), "other way round"),
        ([], "nothing was given"),
        ({"type": "Point", "coordinates": [1, 2], "crs": {"type": "name"}}, "crs member has no name"),
        ({"type": "Point", "coordinates": [1, 2], "crs": {"properties": {"name": "EPSG:999999"}}}, "not a coordinate reference system"),
    ],
)  # fmt: skip
def test_bad_geojson_is_told_clearly(ctx, given: Any, says: str) -> None:
    with pytest.raises(ToolError) as caught:
        read_features(ctx, given)
    assert caught.value.kind == "bad_argument"
    assert re.search(says, str(caught.value)), str(caught.value)


@pytest.mark.parametrize(
    "ref", ["ds://none", "ds://../../etc/passwd", "ds:///etc/passwd", "ds://A B", "ds:", "ds://x/../y"]
)
def test_bad_references_are_told_clearly(ctx, ref: str) -> None:
    with pytest.raises(ToolError) as caught:
        read_regions(ctx, ref)
    assert caught.value.kind in ("bad_argument", "not_found") and "here:" in caught.value.hint


def test_datasets_without_a_place_on_earth_are_refused(ctx) -> None:
    lost = gpd.GeoDataFrame({"a": [1]}, geometry=[shapely.box(0, 0, 1, 1)])
    with pytest.raises(ToolError, match="no known coordinate reference system"):
        read_features(ctx, ctx.save(lost, name="lost").ref)
    for data, says in (
        (pd.DataFrame({"a": [1]}), "its columns are a"),
        (pd.DataFrame({"lon": [], "lat": []}), "has no rows"),
        (gpd.GeoDataFrame({"a": []}, geometry=[], crs="EPSG:4326"), "has no rows"),
        (
            pd.DataFrame({"lon": [1.0, np.nan], "lat": [1.0, 2.0]}),
            "row 2 has coordinates that are not numbers",
        ),
        (pd.DataFrame({"lon": ["x"], "lat": [1.0]}), "row 1 has coordinates that are not numbers"),
        ({"a": 1}, "holds no features but dict"),
    ):
        with pytest.raises(ToolError, match=says):
            read_features(ctx, ctx.save(data, name="data").ref)
    gaps = gpd.GeoDataFrame({"a": [1, 2]}, geometry=[shapely.Point(0, 0), None], crs="EPSG:4326")
    with pytest.raises(ToolError, match="empty geometry"):
        read_features(ctx, ctx.save(gaps, name="gaps").ref)


def test_an_unclosed_ring_is_closed_with_a_note(ctx) -> None:
    read = read_regions(ctx, polygon([[0, 0], [1, 0], [1, 1], [0, 1]]))
    assert read.frame.geometry[0].area == 1 and any("not closed" in n for n in read.notes)


def test_a_ring_that_touches_itself_is_repaired_with_a_note(ctx) -> None:
    hourglass = polygon([[0, 0], [2, 0], [1, 1], [2, 2], [0, 2], [1, 1], [0, 0]])
    read = read_regions(ctx, hourglass)
    assert read.frame.geometry[0].is_valid and read.frame.geometry[0].area == pytest.approx(2)
    assert any("repaired" in n for n in read.notes)


def test_a_sliver_of_a_generalised_outline_is_repaired(ctx) -> None:
    shape = shapely.Polygon([(0, 0), (10, 0), (10, 10), (9.999, 9.999), (10.0005, 9.9985), (0, 10)])
    assert not shape.is_valid
    frame = gpd.GeoDataFrame({"a": [1]}, geometry=[shape], crs="EPSG:4326")
    read = read_regions(ctx, ctx.save(frame, name="outline").ref)
    assert read.frame.geometry[0].area == pytest.approx(shape.convex_hull.area, rel=1e-3)


@given(st.sampled_from(["anywhere", "date line", "north pole", "south pole"]).flatmap(polygons))
def test_any_polygon_is_read_or_refused(polygon: dict[str, Any]) -> None:
    try:
        read = read_features(None, polygon)  # type: ignore[arg-type]
    except ToolError as error:
        assert any(reason in str(error) for reason in ("crosses", "no area", "at least 3"))
        return
    (shape,) = read.frame.geometry
    assert (
        shape.is_valid and not shape.is_empty and np.all(np.abs(shapely.get_coordinates(shape)) <= [180, 90])
    )


@given(points())
def test_any_point_is_read(point: dict[str, Any]) -> None:
    (shape,) = read_points(None, point).frame.geometry  # type: ignore[arg-type]
    assert [shape.x, shape.y] == point["coordinates"]


def test_every_form_of_input(ctx) -> None:
    box = shapely.geometry.mapping(shapely.box(0, 0, 1, 1))
    saved = ctx.save(
        gpd.GeoDataFrame(
            {"region_id": ["r1"], "name": ["One"]}, geometry=[shapely.box(0, 0, 1, 1)], crs="EPSG:4326"
        ),
        name="one",
    ).ref
    feature = {"type": "Feature", "id": 7, "geometry": box, "properties": {"name": "Box"}}
    for given_, ids, names in (
        (saved, ["r1"], ["One"]),
        ([saved], ["r1"], ["One"]),
        (box, ["1"], ["1"]),
        (json.dumps(feature), ["7"], ["Box"]),
        (
            {"type": "FeatureCollection", "features": [feature, feature | {"id": 8}]},
            ["7", "8"],
            ["Box", "Box"],
        ),
        ("geoId/31", ["geoId/31"], ["Nebraska"]),
        (["geoId/08", "country/FRA"], ["geoId/08", "country/FRA"], ["Colorado", "France"]),
    ):
        frame = read_regions(ctx, given_).frame
        assert (frame["region_id"].tolist(), frame["name"].tolist()) == (ids, names)
        assert frame.crs == "EPSG:4326"


def test_points_from_pairs_ids_names_tables_and_shapes(ctx) -> None:
    assert read_points(ctx, [-96.7, 40.8]).frame.geometry[0].coords[0] == (-96.7, 40.8)
    assert read_points(ctx, [[-96.7, 40.8], [0, 0]]).frame["place_id"].tolist() == ["point-1", "point-2"]
    named = read_points(ctx, ["Carhenge", "geonames/5072006"])
    assert named.frame["place_id"].tolist() == ["landmark/carhenge", "geonames/5072006"] and any(
        "Carhenge" in n for n in named.notes
    )
    table = ctx.save(pd.DataFrame({"Longitude": [10.0], "Latitude": [50.0], "name": ["x"]}), name="t").ref
    assert read_points(ctx, table).frame.geometry[0].coords[0] == (10, 50)
    middle = read_points(ctx, polygon([[179, 0], [-179, 0], [-179, 2], [179, 2], [179, 0]]))
    assert abs(middle.frame.geometry[0].x) == pytest.approx(180) and any("centres" in n for n in middle.notes)


def test_a_table_with_region_ids_gets_boundaries(ctx) -> None:
    table = ctx.save(pd.DataFrame({"region_id": ["geoId/31", "geoId/08"], "value": [1, 2]}), name="t").ref
    read = read_regions(ctx, table)
    assert read.frame["value"].tolist() == [1, 2] and read.frame.geometry[1].contains(
        shapely.Point(-105.5, 39)
    )


def test_ambiguous_and_unknown_names_give_candidates_not_a_guess(ctx) -> None:
    with pytest.raises(ToolError, match="several places: geonames/") as caught:
        read_points(ctx, ["Springfield"])
    assert "choose one by its id" in caught.value.hint
    with pytest.raises(ToolError) as caught:
        read_points(ctx, ["Xqzzyv Nowhere"])
    assert caught.value.kind == "not_found"
    with pytest.raises(ToolError, match="not a region id") as caught:
        read_regions(ctx, "Nebraska")
    assert "geoId/31 (Nebraska" in caught.value.hint


def test_fault_18_a_qualified_name_is_the_one_in_that_country(ctx) -> None:
    # Two towns there bear the name, and none of Australia's is among the candidates.
    with pytest.raises(ToolError, match="several places") as caught:
        read_points(ctx, ["Newcastle, UK"])
    assert caught.value.message.count("GBR") == 2 and "AUS" not in caught.value.message
    (newcastle,) = read_points(ctx, ["Newcastle upon Tyne, UK"]).frame["country"]
    assert newcastle == "GBR"
    (portland,) = read_points(ctx, ["Portland, Oregon"]).frame["place_id"]
    assert portland == "geonames/5746545"
    with pytest.raises(ToolError, match="no place is called"):
        read_points(ctx, ["Newcastle, Japan"])


def test_a_region_s_name_where_places_are_wanted_is_answered_with_its_id(ctx) -> None:
    with pytest.raises(ToolError) as caught:
        read_features(ctx, ["Nebraska"])
    assert "geoId/31 (Nebraska" in caught.value.hint


def test_regions_and_places_in_one_list_keep_their_ids(ctx) -> None:
    frame = read_features(ctx, ["geoId/31", "geonames/5072006", "geoId/08"]).frame
    assert frame["feature_id"].tolist() == ["geoId/31", "geonames/5072006", "geoId/08"]


def test_regions_must_be_areas(ctx) -> None:
    with pytest.raises(ToolError, match="must be polygons, got 1 of type Point"):
        read_regions(ctx, {"type": "Point", "coordinates": [0, 0]})


def test_old_crs_members_are_honoured(ctx) -> None:
    data = {
        "type": "Point",
        "coordinates": [2683304, 1247926],
        "crs": {"type": "name", "properties": {"name": "EPSG:2056"}},
    }
    read = read_features(ctx, data)
    assert read.frame.geometry[0].coords[0] == pytest.approx((8.5417, 47.3769), abs=1e-5) and read.notes
    crs84 = {
        "type": "Point",
        "coordinates": [8, 47],
        "crs": {"properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}},
    }
    assert read_features(ctx, crs84).frame.geometry[0].coords[0] == (8, 47)


def test_altitudes_are_dropped() -> None:
    frame = geojson.read_geojson({"type": "Point", "coordinates": [1, 2, 300]}, [])
    assert frame.geometry[0].coords[0] == (1, 2)
