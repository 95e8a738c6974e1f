"""Datasets come back as they were stored; summaries are small JSON."""

from __future__ import annotations

import json

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
import xarray as xr

from gra_core import ToolError
from gra_geo.frames import coordinate_columns, id_column, kind_of, labelled, plain, rows_of
from gra_geo.raster import Raster


def features(crs: str | None) -> gpd.GeoDataFrame:
    shapes = [shapely.box(179, 0, 180, 1), shapely.box(-180, 0, -179, 1), shapely.Point(179.5, 0.5)]
    return gpd.GeoDataFrame(
        {"fips": ["01001", "01003", "01005"], "value": [1.5, np.nan, 3]}, geometry=shapes, crs=crs
    )


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:2056", None])
def test_features_keep_crs_codes_and_attributes(ctx, crs: str | None) -> None:
    frame = features(crs)
    frame.attrs = {"total": 3}
    back = ctx.load(ctx.save(frame, name="features").ref)
    assert (
        back.crs == frame.crs
        and back["fips"].tolist() == ["01001", "01003", "01005"]
        and back.attrs == {"total": 3}
    )
    assert back.geometry.geom_equals(frame.geometry).all()


def test_the_summary_of_features_says_where_they_are(ctx) -> None:
    summary = ctx.save(features("EPSG:4326"), name="features").summary
    json.dumps(summary, allow_nan=False)
    assert summary["rows"] == 3 and summary["crs"] == "EPSG:4326" and summary["bounds"] == [179, 0, -179, 1]
    assert summary["columns"] == {"fips": "text", "value": "number", "geometry": "geometry"}
    assert summary["geometry_types"] == {"Point": 1, "Polygon": 2}
    assert summary["head"][1]["value"] is None and summary["head"][2]["geometry"] == "Point (179.5, 0.5)"


def test_tables_keep_types_and_attributes(ctx) -> None:
    table = pd.DataFrame(
        {
            "n": [1, 2],
            "when": pd.to_datetime(["2020-01-01", "2021-01-01"]).tz_localize("UTC"),
            "tags": [["a"], []],
        }
    )
    table.attrs = {"total": np.int64(7)}
    reply = ctx.save(table, name="table")
    back = ctx.load(reply.ref)
    pd.testing.assert_frame_equal(back, table, check_like=True)
    assert back.attrs == {"total": 7} and reply.summary["columns"] == {
        "n": "integer",
        "when": "time",
        "tags": "object",
    }


def test_a_named_index_becomes_a_column_and_odd_columns_are_refused(ctx) -> None:
    table = pd.DataFrame({"v": [1, 2]}, index=pd.Index(["x", "y"], name="code"))
    assert ctx.load(ctx.save(table, name="t").ref).columns.tolist() == ["code", "v"]
    with pytest.raises(ToolError, match="values of one type"):
        ctx.save(pd.DataFrame({"mixed": [1, "a", [2]]}), name="bad")
    assert not [d for d in ctx.workspace.list() if d.manifest.name == "bad"]


def test_rasters_are_stored_from_arrays_and_files(ctx, synthetic_raster) -> None:
    array = xr.DataArray(
        np.ones((2, 3)), dims=("y", "x"), coords={"y": [1, 0], "x": [10, 11, 12]}, attrs={"crs": "EPSG:4326"}
    )
    reply = ctx.save(array, name="grid")
    back = ctx.load(reply.ref)
    assert isinstance(back, Raster) and back.bounds == (9.5, -0.5, 12.5, 1.5)
    copied = ctx.save(back, name="copy")
    assert copied.summary["bounds"] == [9.5, -0.5, 12.5, 1.5] and copied.summary["crs"] == "EPSG:4326"
    json.dumps([reply.summary, copied.summary], allow_nan=False)
    assert ctx.load(copied.ref).read().tolist() == array.values.tolist()


def test_plain_values() -> None:
    given = {
        "a": np.float32(0.5),
        "b": np.int64(3),
        "c": np.nan,
        "d": pd.NaT,
        "e": pd.Timestamp("2020-01-01"),
        1: [np.inf, np.bool_(True)],
    }
    assert plain(given) == {
        "a": 0.5,
        "b": 3,
        "c": None,
        "d": None,
        "e": "2020-01-01T00:00:00",
        "1": [None, True],
    }
    assert plain(1 / 3) == 0.3333333333 and plain(123456789012) == 123456789012


def test_rows_leave_geometry_out() -> None:
    rows = rows_of(features("EPSG:4326"), 2)
    assert rows == [{"fips": "01001", "value": 1.5}, {"fips": "01003", "value": None}]
    assert "geometry" in rows_of(features("EPSG:4326"), 1, geometry=True)[0]


def test_ids_names_and_coordinates_are_found() -> None:
    frame = features("EPSG:4326")
    assert labelled(frame)["feature_id"].tolist() == ["1", "2", "3"]
    named = labelled(frame.assign(GEOID_id=["x", "y", "z"], NAME=["A", None, "C"]))
    assert named["feature_id"].tolist() == ["x", "y", "z"] and named["name"].tolist() == ["A", "y", "C"]
    assert id_column(pd.DataFrame({"region_id": ["a", "a"], "place_id": ["b", "c"]})) == "place_id"
    assert coordinate_columns(pd.DataFrame(columns=["Longitude", "LAT"])) == ("Longitude", "LAT")
    assert coordinate_columns(pd.DataFrame(columns=["lon"])) is None
    assert kind_of(pd.Series(["a", None])) == "text" and kind_of(pd.Series([True])) == "boolean"


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:2056", "OGC:CRS84", "ESRI:54009"])
def test_a_crs_with_a_code_prints_as_its_code(ctx, crs: str) -> None:
    frame = features(crs)
    frame["centre"] = frame.to_crs("EPSG:3857").geometry.centroid
    back = ctx.load(ctx.save(frame, name="features").ref)
    assert (str(back.crs), str(back["centre"].crs)) == (crs, "EPSG:3857") and back.crs == frame.crs
    assert back.active_geometry_name == "geometry"


def test_a_crs_of_nobody_s_stays_as_it_is(ctx) -> None:
    own = "+proj=laea +lat_0=10 +lon_0=20 +datum=WGS84 +units=m +type=crs"
    back = ctx.load(ctx.save(features("EPSG:4326").to_crs(own), name="features").ref)
    assert back.crs == own and back.crs.to_authority() is None


def test_single_precision_is_shown_without_noise() -> None:
    table = pd.DataFrame(
        {"numpy": np.array([355.1, 1 / 3], "float32"), "pandas": pd.array([0.1, None], "Float32")}
    )
    assert rows_of(table) == [{"numpy": 355.1, "pandas": 0.1}, {"numpy": 0.3333333, "pandas": None}]
    assert plain(np.float32(16_777_216)) == 16_777_216 and plain(np.float32("inf")) is None
    assert plain(np.array([2.7], "float32")) == [2.7]


def test_the_summary_of_a_single_precision_grid(ctx) -> None:
    cells = np.array([[355.1, 2.7], [np.nan, 10.0]], "float32")
    array = xr.DataArray(
        cells, dims=("y", "x"), coords={"y": [1.0, 0.0], "x": [0.0, 1.0]}, attrs={"crs": "EPSG:4326"}
    )
    summary = next(f for f in ctx.workspace.formats if f.name == "geotiff").load().summarize(array, 3)
    assert (summary["min"], summary["max"]) == (2.7, 355.1)
