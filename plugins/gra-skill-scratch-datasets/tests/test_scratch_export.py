"""export_dataset: files that read back the same, whole or not at all, and never against a licence."""

from __future__ import annotations

import json

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import rasterio
import shapely
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gra_core import Lineage, SourceUse, ToolError
from gra_skill_scratch_datasets import exporting
from gra_skill_scratch_datasets.tools import export_dataset


@pytest.fixture
def zones(workspace):
    frame = gpd.GeoDataFrame(
        {"code": ["01", "02"], "v": [1.5, 2.5]},
        geometry=shapely.points([[500000, 0], [500000, 4649776]]),
        crs="EPSG:32633",
    )
    return workspace.put(frame, name="zones").ref


@pytest.fixture
def grid(workspace):
    array = xr.DataArray(
        np.arange(6.0).reshape(2, 3),
        dims=("y", "x"),
        coords={"y": [1.5, 0.5], "x": [0.5, 1.5, 2.5]},
        attrs={"crs": "EPSG:4326"},
    )
    return workspace.put(array, name="grid").ref


def test_every_format_reads_back(context, workspace, zones, grid):
    exports = workspace.root / "exports"
    export_dataset(context(), zones, "csv", "zones.csv")
    table = pd.read_csv(exports / "zones.csv", dtype=str)
    assert list(table["code"]) == ["01", "02"]
    assert table["geometry"][0] == "POINT (500000 0)"
    result = export_dataset(context(), zones, "geojson", "zones.geojson")
    data = json.loads((exports / "zones.geojson").read_text())
    # UTM 33N has its central meridian at 15 degrees east, where x is 500 km; its origin is the equator.
    assert data["features"][0]["geometry"]["coordinates"] == pytest.approx([15.0, 0.0], abs=1e-6)
    assert "converted from EPSG:32633" in result.notes[0]
    export_dataset(context(), zones, "gpkg", "zones.gpkg")
    assert gpd.read_file(exports / "zones.gpkg").crs.to_epsg() == 32633
    export_dataset(context(), zones, "parquet")
    assert list(gpd.read_parquet(exports / "zones-1.parquet")["code"]) == ["01", "02"]
    export_dataset(context(), grid, "geotiff", "sub/folder/grid")
    with rasterio.open(exports / "sub" / "folder" / "grid.tif") as raster:
        assert raster.read(1).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert not [p for p in exports.rglob("*") if p.name.startswith(".")]


def test_what_a_format_cannot_hold_is_said(context, workspace, zones, grid):
    table = workspace.put(pd.DataFrame({"a": [1]}), name="table").ref
    for ref, form in ((table, "geojson"), (table, "gpkg"), (zones, "geotiff"), (grid, "csv"), (grid, "gpkg")):
        with pytest.raises(ToolError) as caught:
            export_dataset(context(), ref, form)
        assert caught.value.kind == "bad_argument"
    assert list((workspace.root / "exports").rglob("*")) == []


def test_a_licence_that_forbids_storing_forbids_exporting(context, workspace):
    use = SourceUse(
        kind="places",
        source="maps",
        operation="search",
        request={},
        licence="Terms of Maps",
        attribution="",
        storable=False,
        retrieved_at="",
    )
    bound = workspace.put(pd.DataFrame({"a": [1]}), name="bound", lineage=Lineage(sources=(use,)))
    derived = workspace.put(pd.DataFrame({"a": [2]}), name="derived", lineage=Lineage(inputs=(bound.ref,)))
    for ref in (bound.ref, derived.ref):
        with pytest.raises(ToolError, match="Terms of Maps") as caught:
            export_dataset(context(), ref, "csv")
        assert caught.value.kind == "not_available"
    assert not (workspace.root / "exports").exists()


def test_nothing_is_replaced_and_nothing_half_written(context, workspace, zones, monkeypatch):
    export_dataset(context(), zones, "csv", "a.csv")
    before = (workspace.root / "exports" / "a.csv").read_bytes()
    with pytest.raises(ToolError, match="exists already"):
        export_dataset(context(), zones, "csv", "a.csv")
    assert (workspace.root / "exports" / "a.csv").read_bytes() == before

    def break_off(frame, path, notes):
        path.write_text("half")
        raise OSError("disk full")

    monkeypatch.setitem(exporting.WRITERS, "csv", break_off)
    with pytest.raises(OSError, match="disk full"):
        export_dataset(context(), zones, "csv", "b.csv")
    assert [p.name for p in (workspace.root / "exports").iterdir()] == ["a.csv"]


def test_other_folders_only_when_allowed(context, workspace, zones, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(ToolError, match="outside the folders"):
        export_dataset(context(), zones, "csv", str(out / "z.csv"))
    result = export_dataset(context(export_dirs=[str(out)]), zones, "csv", str(out / "z.csv"))
    assert result.content["path"] == str(out / "z.csv")
    assert (out / "z.csv").exists()


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.lists(st.sampled_from(["..", ".", "a", "/", "~", "link", "\0", "etc", "x.csv"]), max_size=6).map(
        "/".join
    )
    | st.text(max_size=20)
)
def test_no_path_leaves_the_exports(context, workspace, zones, tmp_path, path):
    exports = workspace.root / "exports"
    exports.mkdir(exist_ok=True)
    if not (exports / "link").is_symlink():
        (exports / "link").symlink_to(tmp_path)
    ctx = context()
    try:
        target, label = exporting.destination(ctx, path, "csv")
    except ToolError as error:
        assert error.kind == "bad_argument"
    else:
        assert target.is_relative_to(exports.resolve())
        assert label.startswith("exports/")
