"""The tool run_python: datasets in and out, reports, errors of the right kind, lineage."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import rasterio
import shapely
import xarray as xr

from gra_core import Column, ToolError
from gra_skill_scratch_datasets.tools import run_python

pytestmark = pytest.mark.usefixtures("any_isolating")


@pytest.fixture
def counties(context):
    """Synthetic: three unit squares with codes that start with zero."""
    frame = gpd.GeoDataFrame(
        {"fips": ["01001", "01003", "31055"], "population": [10.0, 20.0, 30.0]},
        geometry=shapely.box([0, 1, 2], 0, [1, 2, 3], 1), crs="EPSG:4326",
    )  # fmt: skip
    return (
        context(tool="get_boundaries", call_id="call-0")
        .save(frame, name="counties", columns={"population": Column(unit="people")})
        .ref
    )


def failure(ctx, code, **arguments):
    with pytest.raises(ToolError) as caught:
        run_python(ctx, code, **arguments)
    assert [p.name for p in ctx.workspace.root.iterdir() if p.name != "datasets"] == []
    return caught.value


def test_a_computation_with_inputs_and_outputs(context, counties, workspace):
    code = """
c = load_dataset("c")
c["share"] = c["population"] / c["population"].sum()
save_dataset("shares", c, units={"share": "1"})
print("rows", len(c))
c["share"].max()
"""
    result = run_python(context(tool="run_python", call_id="call-7"), code, {"c": counties}, ["shares"])
    assert result.status == "ok"
    assert result.content["printed"] == "rows 3\n"
    assert result.content["value"] == 0.5
    (reply,) = result.datasets
    saved = workspace.open(reply.ref)
    assert saved.manifest.columns["share"].unit == "1"
    assert saved.manifest.lineage.inputs == (counties,)
    assert (saved.manifest.lineage.call_id, saved.manifest.lineage.tool) == ("call-7", "run_python")
    assert hashlib.sha256(code.encode()).hexdigest() in saved.manifest.notes[0]
    frame = workspace.get(reply.ref)
    assert list(frame["fips"]) == ["01001", "01003", "31055"]
    assert frame.crs == "EPSG:4326"
    assert [p.name for p in workspace.root.iterdir() if p.name != "datasets"] == []


def test_a_crs_prints_as_its_code(context, counties):
    code = 'c = load_dataset("c"); print(c.crs, c.to_crs(3857).crs.to_epsg())'
    assert run_python(context(), code, {"c": counties}).content["printed"] == "EPSG:4326 3857\n"


def test_a_list_names_inputs_by_their_reference(context, counties):
    result = run_python(
        context(), 'len(load_dataset("counties-1")) + len(load_dataset("ds://counties-1"))', [counties]
    )
    assert result.content["value"] == 6


def test_inputs_cannot_be_changed(context, counties, workspace):
    before = workspace.open(counties).path.read_bytes()
    error = failure(context(), f"open({str(workspace.open(counties).path)!r}, 'wb')", inputs=[counties])
    assert error.kind == "bad_argument"
    assert workspace.open(counties).path.read_bytes() == before


def test_other_datasets_of_the_workspace_are_not_visible(context, counties, workspace):
    error = failure(context(), f"open({str(workspace.open(counties).path)!r}, 'rb')")
    assert "Error" in error.message


def test_tables_series_and_indexes_keep_their_keys(context, workspace):
    code = """
import pandas as pd
t = pd.DataFrame({"k": ["b", "a", "b"], "v": [1, 2, 3]})
save_dataset("sums", t.groupby("k")["v"].sum())
save_dataset("filtered", t[t["v"] > 1])
save_dataset("wide", t.groupby("k").agg({"v": ["min", "max"]}))
save_dataset("numbers", {"n": 1, "missing": float("nan")})
"""
    replies = {r.summary["name"]: r.ref for r in run_python(context(), code).datasets}
    pd.testing.assert_frame_equal(
        workspace.get(replies["sums"]), pd.DataFrame({"k": ["a", "b"], "v": [2, 4]})
    )
    pd.testing.assert_frame_equal(
        workspace.get(replies["filtered"]), pd.DataFrame({"k": ["a", "b"], "v": [2, 3]})
    )
    assert list(workspace.get(replies["wide"]).columns) == ["k_", "v_min", "v_max"]
    assert workspace.get(replies["numbers"]) == {"n": 1, "missing": None}


def test_rasters_there_and_back(context, workspace, tmp_path):
    grid = xr.DataArray(
        np.arange(12.0).reshape(3, 4), dims=("y", "x"), coords={"y": [2.5, 1.5, 0.5], "x": [10.5, 11.5, 12.5, 13.5]},
        attrs={"crs": "EPSG:4326", "nodata": 5.0},
    )  # fmt: skip
    ref = context().save(grid, name="grid").ref
    code = """
r = load_dataset("grid-1")
print(r.dims, float(r.sel(x=11.5, y=2.5)), int(r.isnull().sum()), r.attrs["crs"])
save_dataset("doubled", r * 2.5, crs=r.attrs["crs"])  # 2 becomes 5, the file's nodata value, and stays data
save_dataset("cut", r.isel(x=slice(2, 4)))
import numpy as np
save_dataset("flags", np.ones((2, 2), bool), crs="EPSG:32633", transform=(10, 0, 500000, 0, -10, 4000000))
"""
    result = run_python(context(), code, [ref])
    assert result.content["printed"] == "('y', 'x') 1.0 1 EPSG:4326\n"
    paths = {r.summary["name"]: workspace.open(r.ref).path for r in result.datasets}
    with rasterio.open(paths["doubled"]) as doubled:
        values = doubled.read(1)
        assert doubled.bounds == (10.0, 0.0, 14.0, 3.0)
        assert np.isnan(values[1, 1])
        assert values[2, 3] == 27.5
        assert values[0, 2] == 5.0
        assert np.isnan(doubled.nodata)
    with rasterio.open(paths["cut"]) as cut:
        assert cut.bounds == (12.0, 0.0, 14.0, 3.0)
    with rasterio.open(paths["flags"]) as flags:
        assert (flags.dtypes[0], flags.crs.to_epsg()) == ("uint8", 32633)


def test_no_dataset_without_a_crs(context):
    code = "import geopandas as gpd, shapely\nsave_dataset('p', gpd.GeoDataFrame(geometry=[shapely.Point(0, 0)]))"
    assert "has no CRS" in failure(context(), code).message
    assert (
        "crs=… and transform=…"
        in failure(context(), "import numpy as np\nsave_dataset('p', np.zeros((2, 2)))").message
    )


@pytest.mark.parametrize(
    ("code", "kind", "parts"),
    [
        ("a = 1\nb = 2\na / 0", "bad_argument", ['File "<code>", line 3', "a / 0", "ZeroDivisionError"]),
        (
            "def f(x):\n    return g(x)\n\ndef g(x):\n    raise ValueError('no')\n\nf(1)",
            "bad_argument",
            ["line 7", "line 2", "line 5", "ValueError: no"],
        ),
        ("x = (", "bad_argument", ["line 1", "SyntaxError"]),
        ("def f():\n    return f()\nf()", "bad_argument", ["RecursionError", "line 2"]),
        ("import sys\nsys.exit(3)", "bad_argument", ["sys.exit(3)"]),
        ("import os\nprint('before')\nos._exit(0)", "bad_argument", ["did not run to its end", "before"]),
        ("import ctypes\nctypes.string_at(0)", "bad_argument", ["SIGSEGV"]),
        (
            "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
            "bad_argument",
            ["did not run to its end"],
        ),
        (
            f"import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill({os.getpid()}, 9)",
            "bad_argument",
            ["Error"],
        ),
        ("while True: pass", "timeout", ["not finished within 2 s"]),
        (
            "b = []\nwhile True:\n    b.append(bytearray(30 << 20))",
            "quota",
            ["limit of memory", "line 3", "MemoryError"],
        ),
        ("import numpy as np\nnp.zeros(1 << 40)", "quota", ["limit of memory", "line 2"]),
        ("import os\nwhile True:\n    os.fork()", "quota", ["limit of processes", "line 3"]),
        ("open('big', 'wb').write(bytes(200 << 20))", "quota", ["limit of disk"]),
        (
            "import socket\nsocket.create_connection(('127.0.0.1', 80))",
            "bad_argument",
            ["PermissionError", "line 2"],
        ),
        ("import urllib.request\nurllib.request.urlopen('http://example.com')", "bad_argument", ["Error"]),
        ("open('/etc/passwd').read()", "bad_argument", ["Error", "/etc/passwd"]),
        ("import os\nos.listdir(os.path.dirname(os.getcwd()))", "bad_argument", ["line 2"]),
        ("open('/tmp/outside.txt', 'w')", "bad_argument", ["Error", "line 1"]),
        ("import no_such_package", "bad_argument", ["ModuleNotFoundError"]),
        ("load_dataset('zz')", "bad_argument", ["no input 'zz'"]),
        ("save_dataset('../x', 1)", "bad_argument", ["output name"]),
        ("save_dataset('x', object())", "bad_argument", ["cannot be stored as JSON"]),
    ],
)
def test_errors_have_their_kind_and_show_the_line(isolating, context, code, kind, parts):
    if isolating.name == "bubblewrap" and "listdir" in code:
        code = code.replace("os.path.dirname(os.getcwd())", "'/etc/ssl'")
    if isolating.name == "bubblewrap" and "os.getppid()" in code:
        code = "1 / 0"  # inside its own process namespace it has nobody to kill; see the tests of isolation
        parts = ["Error"]
    ctx = context(
        sandbox=isolating.name,
        sandbox_limits={"memory_bytes": 400 << 20, "processes": 8, "disk_bytes": 50 << 20},
    )
    error = failure(ctx, code, timeout_s=2.0 if kind == "timeout" else 60.0)
    assert error.kind == kind, error
    assert all(part in error.message for part in parts), error.message
    assert len(error.message) < 6000
    assert error.hint
    assert str(Path(run_python.__code__.co_filename).parent) not in error.message


def test_leaving_early_without_fault_is_no_error(context):
    result = run_python(context(), "import sys\nprint('done')\nsys.exit()")
    assert result.content["printed"] == "done\n"
    assert "left early" in result.notes[0]


def test_output_is_cut_and_said(context):
    result = run_python(context(sandbox_limits={"output_bytes": 1000}), "print('y' * 100_000)")
    assert "bytes left out" in result.content["printed"]
    assert any("cut" in note for note in result.notes)


def test_values_of_the_last_expression(context):
    cases = {
        "1 + 1": {"value": 2}, "import numpy as np\nnp.float32(0.5)": {"value": 0.5}, "x = 1": {}, "None": {},
        "float('inf')": {"value": None}, "[(1, 'a'), {2}]": {"value": [[1, "a"], [2]]}, "object": {"value_text": "<class 'object'>"},
    }  # fmt: skip
    for code, expected in cases.items():
        content = run_python(context(), code).content
        assert {k: v for k, v in content.items() if k.startswith("value")} == expected, code
    table = run_python(context(), "import pandas as pd\npd.DataFrame({'a': range(500)})").content[
        "value_text"
    ]
    assert "500 rows" in table
    assert len(table) < 1000


def test_missing_outputs_and_wrong_references(context, counties):
    assert "without saving total" in failure(context(), "x = 1", outputs=["total"]).message
    assert failure(context(), "1", inputs=["ds://nothing-1"]).kind == "not_found"
    assert failure(context(), "1", inputs={"a": "../../etc/passwd"}).kind == "bad_argument"
    assert failure(context(), "1", inputs={"a b": counties}).kind == "bad_argument"
    assert failure(context(), "   ").kind == "bad_argument"


def test_the_trials_deadline_bounds_the_run(context):
    started = time.monotonic()
    error = failure(context(seconds=5.0), "while True: pass", timeout_s=600.0)
    assert error.kind == "timeout"
    assert time.monotonic() - started < 15.0
    assert failure(context(seconds=1.0), "1").kind == "timeout"
    assert "lowered" in run_python(context(seconds=30.0), "1", timeout_s=600.0).notes[0]


def test_unprotected_only_when_named(context):
    result = run_python(context(sandbox="none"), "import os; os.environ.get('GRA_SECRET', 'unset')")
    assert result.content["sandbox"] == "none"
    assert "without protection" in result.notes[0]
    error = failure(context(sandbox="docker"), "1")
    assert error.kind == "not_available"


def test_no_sandbox_means_an_error_not_an_unprotected_run(context, monkeypatch, tmp_path):
    from gra_skill_scratch_datasets.sandboxes import backends

    monkeypatch.setattr(backends, "probe_sandlock", lambda: "the kernel has no Landlock")
    monkeypatch.setattr(backends, "probe_bubblewrap", lambda: "program bwrap is not installed")
    mark = tmp_path / "ran"
    error = failure(context(), f"open({str(mark)!r}, 'w')")
    assert error.kind == "not_available"
    assert "the kernel has no Landlock" in error.message
    assert not mark.exists()


def test_a_fork_does_not_report_twice(context, any_isolating):
    if any_isolating.name != "sandlock":
        pytest.skip("only sandlock lets new processes be made")
    result = run_python(
        context(),
        "import os\npid = os.fork()\nif pid == 0:\n    raise SystemExit(5)\nos.waitpid(pid, 0)\n'parent'",
    )
    assert result.content["value"] == "parent"
