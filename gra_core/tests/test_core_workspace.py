"""Scratch datasets: written whole or not at all, references that cannot leave the workspace, lineage."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gra_core import Column, Lineage, ToolContext, ToolError, Workspace
from gra_core.format import JsonHandler
from gra_core.history import trace
from gra_core.source import SourceUse
from gra_core.sources import Sources
from gra_core.testing import registry_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(), children, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


@given(value=JSON)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_what_is_put_is_got(workspace: Workspace, value: Any) -> None:
    dataset = workspace.put(value, name="Some data!")
    assert workspace.get(dataset.ref) == value
    assert json.dumps(dataset.reply().summary)


def test_names_become_references_that_count_up(workspace: Workspace) -> None:
    refs = [
        workspace.put(1, name=n).ref for n in ("Nebraska counties", "Nebraska counties", "Äé", "../../etc")
    ]
    assert refs == ["ds://nebraska-counties-1", "ds://nebraska-counties-2", "ds://data-1", "ds://etc-1"]


@pytest.mark.parametrize(
    "ref",
    ["ds://../secret", "ds://a/b", "ds://a/../../x", "../x", "/etc/passwd", "ds://", "DS://a-1", "ds://A-1", "gs://a-1",
     "ds://a-1\n", "ds://.", "ds://a-1/data.json", 7, None, ["ds://a-1"], {}],
)  # fmt: skip
def test_what_is_no_reference_is_refused(workspace: Workspace, ref: Any) -> None:
    workspace.put(1, name="a")
    with pytest.raises(ToolError) as caught:
        workspace.get(ref)
    assert caught.value.kind == "bad_argument" and "ds://a-1" in caught.value.hint


@given(text=st.text(max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
def test_no_text_escapes(workspace: Workspace, text: str) -> None:
    try:
        path = workspace.open("ds://" + text).path
    except ToolError:
        return
    assert workspace.root.resolve() in path.resolve().parents


def test_a_foreign_reference_says_what_is_here(workspace: Workspace) -> None:
    workspace.put([1], name="mine")
    with pytest.raises(ToolError, match="no dataset ds://yours-1") as caught:
        workspace.get("ds://yours-1")
    assert caught.value.kind == "not_found" and "ds://mine-1" in caught.value.hint


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(self: JsonHandler, value: Any, path: Path) -> None:
        path.write_text("half")
        raise OSError("disk full")

    workspace = Workspace(tmp_path)
    monkeypatch.setattr(JsonHandler, "write", half)
    with pytest.raises(OSError, match="disk full"):
        workspace.put([1], name="x")
    assert workspace.list() == [] and [p.name for p in tmp_path.iterdir()] == ["datasets"]


def test_a_type_without_format_says_which_there_are(workspace: Workspace) -> None:
    with pytest.raises(TypeError, match=r"complex.*builtins\.dict"):
        workspace.put(1j, name="x")


def test_nan_is_no_json(workspace: Workspace) -> None:
    with pytest.raises(ValueError):
        workspace.put([float("nan")], name="x")
    assert workspace.list() == []


def test_lineage_names_call_inputs_and_units(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    first = workspace.put([1, 2], name="first")
    context = ToolContext(
        workspace=workspace,
        sources=Sources(registry_of()),
        call_id="c7",
        tool="add",
        arguments={"a": first.ref},
    )
    context.load(first.ref)
    context.load(first.ref)
    saved = context.save([3], name="sum", columns={"value": Column(unit="m", quantity="intensive")})
    manifest = workspace.open(saved.ref).manifest
    assert manifest.lineage == Lineage(
        call_id="c7", tool="add", arguments={"a": first.ref}, inputs=(first.ref,)
    )
    assert saved.summary["units"] == {"value": "m"}


def test_datasets_are_listed_oldest_first_and_survive_reopening(tmp_path: Path) -> None:
    for name in ("b", "a"):
        Workspace(tmp_path).put(name, name=name)
    assert {d.manifest.name for d in Workspace(tmp_path).list()} == {"a", "b"}
    assert Workspace(tmp_path).annotate("ds://a-1", notes=("checked",)).manifest.notes == ("checked",)
    assert Workspace(tmp_path).open("ds://a-1").manifest.notes == ("checked",)


def test_a_licence_that_forbids_storing_forbids_it_for_what_is_derived(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    use = SourceUse(
        kind="k",
        source="closed",
        operation="get",
        request={},
        licence="terms",
        attribution="",
        storable=False,
        retrieved_at="",
    )
    first = workspace.put([1], name="first", lineage=Lineage(sources=(use,)))
    second = workspace.put([2], name="second", lineage=Lineage(inputs=(first.ref,)))
    free = workspace.put([3], name="free")
    assert "closed" in trace(workspace, second.ref).refusal
    assert trace(workspace, free.ref).refusal == ""
    third = workspace.put([4], name="third", lineage=Lineage(inputs=("ds://gone-1",)))
    assert "ds://gone-1" in trace(workspace, third.ref).refusal
