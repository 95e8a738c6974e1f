"""Outputs are foreign files: links, pipes, devices, lies and bombs are refused, and nothing outside is ever read."""

from __future__ import annotations

import json
import os
import pickle
import stat
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import ToolError
from gra_skill_scratch_datasets import collection, safely
from gra_skill_scratch_datasets.tools import run_python


@pytest.fixture
def outputs(tmp_path):
    folder = tmp_path / "run" / "outputs"
    folder.mkdir(parents=True)
    return folder


def take(outputs: Path, index: object, *, max_bytes: int = 1 << 20) -> list[collection.Output]:
    (outputs / "index.json").unlink(missing_ok=True)
    (outputs / "index.json").write_text(json.dumps(index))
    staging = outputs.parent.parent / f"staging-{len(list(outputs.parent.parent.iterdir()))}"
    return collection.collect(outputs.parent, staging, max_bytes)


def refusal(outputs: Path, index: object, **arguments: int) -> str:
    with pytest.raises(ToolError) as caught:
        take(outputs, index, **arguments)
    assert caught.value.kind == "bad_argument"
    return caught.value.message


TABLE = {"t": {"file": "t.parquet", "format": "parquet", "units": {"a": "m"}}}


def test_a_good_table_is_copied_out(outputs):
    pd.DataFrame({"a": [1, 2]}).to_parquet(outputs / "t.parquet")
    (output,) = take(outputs, TABLE)
    assert (output.name, output.format, output.units) == ("t", "parquet", {"a": "m"})
    assert pd.read_parquet(output.path)["a"].tolist() == [1, 2]
    assert outputs not in output.path.parents


def test_nothing_saved_is_nothing_taken(tmp_path):
    (tmp_path / "outputs").mkdir()
    assert collection.collect(tmp_path, tmp_path / "staging", 1000) == []


@pytest.mark.parametrize("trick", ["symlink", "hard link", "fifo", "folder", "socket-like missing"])
def test_only_files_of_their_own_are_taken(outputs, tmp_path, trick):
    secret = tmp_path / "secret.parquet"
    pd.DataFrame({"secret": [1]}).to_parquet(secret)
    target = outputs / "t.parquet"
    if trick == "symlink":
        target.symlink_to(secret)
    elif trick == "hard link":
        os.link(secret, target)
    elif trick == "fifo":
        os.mkfifo(target)
    elif trick == "folder":
        target.mkdir()
    assert "was not taken" in refusal(outputs, TABLE)


def test_a_linked_output_folder_is_not_entered(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    pd.DataFrame({"secret": [1]}).to_parquet(outside / "t.parquet")
    (outside / "index.json").write_text(json.dumps(TABLE))
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "outputs").symlink_to(outside)
    with pytest.raises(ToolError):
        collection.collect(tmp_path / "run", tmp_path / "staging", 1 << 20)


def test_an_index_that_is_a_link_or_no_index(outputs, tmp_path):
    (tmp_path / "other.json").write_text("{}")
    (outputs / "index.json").symlink_to(tmp_path / "other.json")
    with pytest.raises(ToolError):
        collection.collect(outputs.parent, tmp_path / "s", 1000)
    for index in (
        [1],
        {"t": 1},
        {"t": {"format": "pickle"}},
        {"../t": {"format": "json"}},
        {"": {"format": "json"}},
        {str(i): {} for i in range(99)},
    ):
        refusal(outputs, index)
    (outputs / "index.json").write_text("[" * 100_000)
    with pytest.raises(ToolError):
        collection.collect(outputs.parent, tmp_path / "s2", 1000)


@given(
    name=st.text(max_size=40)
    | st.sampled_from(["../../etc/passwd", "a/b", "..", ".", "a\0b", "/etc/passwd", "x\n", "ds://a-1"])
)
def test_names_never_leave_the_folder(tmp_path_factory, name):
    folder = tmp_path_factory.mktemp("plain")
    if not collection.NAME.fullmatch(name):
        with pytest.raises(ToolError):
            collection._taken(folder, folder, name, {"format": "json"}, 10)
    if "/" in name or name in ("", ".", "..") or "\0" in name:
        with pytest.raises(OSError, match="plain file name"), safely.opened(folder, name, 10):
            pass


def test_formats_are_told_by_content(outputs):
    class Harmful:
        def __reduce__(self):
            return (os.mkdir, (str(outputs / "unpickled"),))

    (outputs / "t.parquet").write_bytes(pickle.dumps(Harmful()))
    assert "was not taken" in refusal(outputs, TABLE)
    assert not (outputs / "unpickled").exists()
    (outputs / "r.tif").write_text(
        "<VRTDataset rasterXSize='1' rasterYSize='1'><SRS>EPSG:4326</SRS></VRTDataset>"
    )
    assert "was not taken" in refusal(outputs, {"r": {"format": "geotiff"}})


def test_size_is_bounded_on_disk_and_in_memory(outputs, monkeypatch):
    pd.DataFrame({"a": range(10_000)}).to_parquet(outputs / "t.parquet")
    assert "bytes, at most" in refusal(outputs, TABLE, max_bytes=1000)
    monkeypatch.setattr(collection, "MAX_CELLS", 5000)
    assert "too many" in refusal(outputs, TABLE)


def test_a_small_file_that_unfolds_is_refused(outputs, monkeypatch):
    text = "x" * 100_000
    table = pa.table(
        {
            "a": pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), pa.array([text])).cast(
                pa.string()
            )
        }
    )
    pq.write_table(table, outputs / "t.parquet", compression="zstd")
    assert (outputs / "t.parquet").stat().st_size < 1 << 20
    monkeypatch.setattr(collection, "MAX_LOADED", 200 << 20)
    assert "when read" in refusal(outputs, TABLE)


def test_forged_json_stays_json(isolating, context, workspace):
    """What code writes past the helpers must not break what reads the reply."""
    code = r"""
import json, os
open("outputs/j.json", "w").write('{"a": NaN, "b": "\\ud800"}')
json.dump({"j": {"format": "json", "units": {"a": "\ud800", "b": 1}}}, open("outputs/index.json", "w"))
open("report.json", "w").write('{"status": "ok", "value": [NaN, Infinity, "\\udfff"]}')
os._exit(0)
"""
    result = run_python(context(sandbox=isolating.name), code)
    json.dumps(result.for_model(), allow_nan=False, ensure_ascii=False).encode()
    assert result.content["value"] == [None, None, "?"]
    assert workspace.get(result.datasets[0].ref) == {"a": None, "b": "?"}


@pytest.mark.parametrize("text", ["[" * 50_000, "{", "1e", ""])
def test_broken_json_is_refused(outputs, text):
    (outputs / "j.json").write_text(text)
    assert "was not taken" in refusal(outputs, {"j": {"format": "json"}})


def test_lists_in_tables_are_refused(outputs):
    pq.write_table(pa.table({"a": [[1, 2], [3]]}), outputs / "t.parquet")
    assert "columns of lists" in refusal(outputs, TABLE)


def test_forged_outputs_through_the_tool(isolating, context, workspace, tmp_path):
    """The code writes index and files itself, pointing at what it must not have."""
    secret = tmp_path / "secret.json"
    secret.write_text('{"password": "hunter2"}')
    code = f"""
import json, os
os.symlink({str(secret)!r}, "outputs/s.json")
json.dump({{"s": {{"file": "s.json", "format": "json"}}}}, open("outputs/index.json", "w"))
"""
    with pytest.raises(ToolError, match="was not taken"):
        run_python(context(sandbox=isolating.name), code)
    swapped = f"import os\nos.rmdir('outputs')\nos.symlink({str(tmp_path)!r}, 'outputs')"
    (tmp_path / "index.json").write_text('{"secret": {"format": "json"}}')
    with pytest.raises(ToolError, match="was not taken"):
        run_python(context(sandbox=isolating.name), swapped)
    reported = f"import os\nos.symlink({str(secret)!r}, 'report.json')\nos._exit(0)"
    with pytest.raises(ToolError, match="did not run to its end"):
        run_python(context(sandbox=isolating.name), reported)
    assert workspace.list() == []


def test_folders_of_any_shape_are_removed(tmp_path):
    top = tmp_path / "top"
    top.mkdir()
    keep = tmp_path / "keep"
    keep.write_text("kept")
    here = os.open(top, os.O_RDONLY)
    start = os.getcwd()
    try:
        os.chdir(here)
        for _ in range(2500):
            os.mkdir("d")
            os.chdir("d")
        Path("f").write_text("deep")
    finally:
        os.chdir(start)
        os.close(here)
    (top / "link").symlink_to(tmp_path)
    os.mkdir(top / "locked", 0)
    (top / "file").write_text("x")
    (top / "file").chmod(0)
    safely.remove(top)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["keep"]
    assert stat.S_ISREG(keep.stat().st_mode)
