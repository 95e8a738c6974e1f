"""list_datasets, inspect_dataset, and the history of a dataset."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gra_core import Column, Lineage, SourceUse, ToolError, history, mapping_with
from gra_core.testing import ThreadMapper
from gra_skill_scratch_datasets.tools import inspect_dataset, list_datasets


def use(source: str, *, storable: bool, licence: str = "CC BY 4.0") -> SourceUse:
    return SourceUse(
        kind="places", source=source, operation="search", request={}, licence=licence, attribution=f"© {source}",
        storable=storable, retrieved_at="2026-01-01T00:00:00+00:00",
    )  # fmt: skip


@pytest.fixture
def places(workspace):
    frame = gpd.GeoDataFrame(
        {
            "code": ["01", "02", "02", None], "value": [1.0, 2.0, np.nan, 6.0], "n": [1, 2, 3, 4], "open": [True, False, True, True],
            "when": pd.to_datetime(["2024-01-01", "2024-06-01", None, "2023-01-01"]), "mixed": [[1], [2, 3], None, [4]],
        },
        geometry=shapely.points([[0, 0], [1, 1], [2, 2], [3, 3]]), crs="EPSG:4326",
    )  # fmt: skip
    lineage = Lineage(call_id="c1", tool="search_places", sources=(use("gazetteer", storable=True),))
    return workspace.put(
        frame,
        name="places",
        columns={"value": Column(unit="m", quantity="intensive")},
        lineage=lineage,
        notes=("a note",),
    ).ref


def test_an_empty_workspace_is_a_finding(context):
    assert list_datasets(context()).status == "empty"


def test_list_names_every_dataset(context, places, workspace):
    workspace.put({"a": 1}, name="facts")
    content = list_datasets(context()).content
    assert content["count"] == 2
    by_ref = {d["ref"]: d for d in content["datasets"]}
    assert by_ref[places]["rows"] == 4
    assert by_ref[places]["made_by"] == "search_places"
    assert by_ref[places]["crs"] == "EPSG:4326"
    assert by_ref["ds://facts-1"]["format"] == "json"


def test_statistics_of_columns(context, places):
    content = inspect_dataset(context(), places, rows=2).content
    columns = {c["name"]: c for c in content["columns"]}
    assert columns["value"] == {
        "name": "value",
        "type": "number",
        "nulls": 1,
        "unit": "m",
        "quantity": "intensive",
        "unique": 3,
        "min": 1.0,
        "max": 6.0,
        "mean": 3.0,
    }
    assert columns["code"]["most_frequent"] == {"02": 2, "01": 1}
    assert (columns["code"]["nulls"], columns["code"]["unique"]) == (1, 2)
    assert columns["open"]["true"] == 3
    assert (columns["when"]["min"], columns["when"]["max"]) == ("2023-01-01T00:00:00", "2024-06-01T00:00:00")
    assert columns["geometry"]["geometry_types"] == {"Point": 4}
    assert columns["mixed"]["type"] == "object"
    assert "min" not in columns["mixed"]
    assert len(content["head"]) == 2
    assert content["head"][0]["code"] == "01"
    assert (content["rows"], content["crs"], content["notes"]) == (4, "EPSG:4326", ["a note"])
    assert content["lineage"]["sources"][0]["attribution"] == "© gazetteer"
    assert content["lineage"]["may_be_stored"]


def test_columns_can_be_chosen_and_unknown_ones_are_named(context, places):
    content = inspect_dataset(context(), places, rows=0, columns=["n", "code"]).content
    assert [c["name"] for c in content["columns"]] == ["n", "code"]
    with pytest.raises(ToolError) as caught:
        inspect_dataset(context(), places, columns=["vlaue"])
    assert caught.value.kind == "bad_argument"
    assert "near names: value" in caught.value.hint


def test_a_raster_in_parts(context, workspace, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("gra_geo.parts.WORTH_CELLS", 1)
    cells = np.random.default_rng(4).normal(size=(1500, 2100))
    cells[:600, 1100:] = np.nan
    grid = xr.DataArray(
        cells,
        dims=("y", "x"),
        coords={"y": -np.arange(1500.0), "x": np.arange(2100.0)},
        attrs={"crs": "EPSG:32633"},
    )
    ref = workspace.put(grid, name="synthetic").ref
    whole = inspect_dataset(context(), ref).content["statistics"]
    mapper = ThreadMapper(2)
    with mapping_with(mapper):
        parts = inspect_dataset(context(), ref).content["statistics"]
    assert mapper.parts > 1 and parts == whole
    assert parts["cells"] == 1500 * 2100 - 600 * 1000
    assert parts["mean_of_cells"] == pytest.approx(np.nanmean(cells), rel=1e-9)
    assert (parts["min"], parts["max"]) == (np.nanmin(cells), np.nanmax(cells))


def test_rasters_and_plain_data(context, workspace):
    values = np.array([[1.0, 2.0, np.nan], [4.0, 5.0, 8.0]])
    grid = xr.DataArray(
        values, dims=("y", "x"), coords={"y": [1.5, 0.5], "x": [0.5, 1.5, 2.5]}, attrs={"crs": "EPSG:4326"}
    )
    ref = workspace.put(grid, name="grid").ref
    statistics = inspect_dataset(context(), ref).content["statistics"]
    assert statistics == {"band": 1, "cells": 5, "missing": 1, "min": 1.0, "max": 8.0, "mean_of_cells": 4.0}
    assert inspect_dataset(context(), workspace.put([1, 2, 3], name="list").ref, rows=2).content["head"] == [
        1,
        2,
    ]
    content = inspect_dataset(context(), workspace.put({"b": 1, "a": 2}, name="object").ref).content
    assert content["head"] == {"a": 2, "b": 1}
    with pytest.raises(ToolError, match="without columns"):
        inspect_dataset(context(), "ds://list-1", columns=["a"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ref=st.text(max_size=30)
    | st.sampled_from(
        [
            "ds://../../etc/passwd",
            "ds://a/../b",
            "ds:///etc/passwd",
            "file:///etc/passwd",
            "ds://",
            "ds://A-1",
            "ds://a%2f..-1",
            "ds://nothing-1\n",
        ]
    )
)
def test_no_reference_leaves_the_workspace(context, ref):
    with pytest.raises(ToolError) as caught:
        inspect_dataset(context(), ref)
    assert caught.value.kind in ("bad_argument", "not_found")


def test_licence_follows_derivation(workspace):
    bound = workspace.put(
        [1],
        name="bound",
        lineage=Lineage(tool="a", sources=(use("maps", storable=False, licence="Terms of Maps"),)),
    )
    free = workspace.put([2], name="free", lineage=Lineage(tool="b", sources=(use("open", storable=True),)))
    middle = workspace.put([3], name="middle", lineage=Lineage(tool="c", inputs=(bound.ref, free.ref)))
    last = workspace.put(
        [4], name="last", lineage=Lineage(tool="d", inputs=(middle.ref, last_ref := "ds://last-1"))
    )
    assert last.ref == last_ref  # its own input: a circle must not be walked forever
    assert history.trace(workspace, free.ref).refusal == ""
    assert "Terms of Maps" in history.trace(workspace, last.ref).refusal
    assert {u.source for u in history.trace(workspace, last.ref).uses} == {"maps", "open"}
    orphan = workspace.put([5], name="orphan", lineage=Lineage(tool="e", inputs=("ds://gone-1",)))
    assert "ds://gone-1" in history.trace(workspace, orphan.ref).refusal
    assert not history.described(history.trace(workspace, orphan.ref))["may_be_stored"]
