"""GeoBenchX: the published form from a file and over a loopback server, what makes a task unsolvable, bad files.

All tasks in here are synthetic.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import evolve
from pytest_httpserver import HTTPServer

from gra_benchmark_geobenchx.benchmark import GeoBenchX
from gra_core import Query, QueryRequest, QuerySet
from gra_core.download import DownloadError
from gra_core.records import RecordError
from gra_core.testing import PluginConformance

NO_SOURCES: Any = SimpleNamespace()
REJECT = {"function_name": "reject_task", "arguments": {}, "comment": None}
LOAD = {
    "function_name": "load_data",
    "arguments": {"dataset": "Synthetic rainfall", "output_dataframe_name": "rain"},
    "comment": None,
}
MAP = {
    "function_name": "make_heatmap",
    "arguments": {"radius": 5},
    "comment": "Optional step, can be left out.",
}


class TestConformance(PluginConformance):
    plugin = "gra_benchmark_geobenchx.plugin"


def task(
    number: int,
    *solutions: list[dict[str, Any]],
    labels: tuple[str, ...] = ("Spatial operations", "Task Set 03"),
    **more: Any,
) -> dict[str, Any]:
    """A task as it is published, with the fields that are filled in by runs only."""
    return {
        "task_ID": f"TASK_{number}", "task_text": f"Synthetic task {number}?", "task_labels": list(labels),
        "reference_solution_description": None, "reference_solutions": [{"steps": steps} for steps in solutions],
        "generated_solution": None, "match_score_LLM": None, **more,
    }  # fmt: skip


def as_file(*tasks: dict[str, Any]) -> bytes:
    return json.dumps({"metadata": {}, "tasks": list(tasks)}, indent=4).encode()


@pytest.fixture(autouse=True)
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("GRA_GEOBENCHX_FILE", raising=False)


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Query, ...]]:
    def queries(*tasks: dict[str, Any], data: bytes | None = None) -> tuple[Query, ...]:
        (tmp_path / "tasks.json").write_bytes(as_file(*tasks) if data is None else data)
        monkeypatch.setenv("GRA_GEOBENCHX_FILE", str(tmp_path / "tasks.json"))
        return published().queries

    return queries


def published() -> QuerySet:
    return GeoBenchX().queries(QueryRequest(split="test"), NO_SOURCES)


Read = Callable[..., tuple[Query, ...]]


def test_the_published_fields_become_queries(read: Read) -> None:
    first, second = read(
        task(1, [LOAD, MAP]), task(2, [REJECT], labels=("Vague", "Heatmaps, Contour Lines", "Task Set 04"))
    )
    assert (first.id, first.text, first.domain, first.tier, first.solvable) == (
        "TASK_1",
        "Synthetic task 1?",
        "Spatial operations",
        "Task Set 03",
        True,
    )
    (flow,) = first.golden_workflows
    assert flow.datasets == ("Synthetic rainfall",)
    assert [s.text for s in flow.steps] == [
        'load data: dataset = "Synthetic rainfall", output_dataframe_name = "rain"',
        "make heatmap: radius = 5 (Optional step, can be left out.)",
    ]
    assert [s.optional for s in flow.steps] == [False, True]
    assert (second.solvable, second.golden_workflows, second.domain, second.tier) == (
        False,
        (),
        "Heatmaps, Contour Lines",
        "Task Set 04",
    )
    assert second.public()["solvable"] is False and "solvable" not in first.public()


@pytest.mark.parametrize(
    ("solutions", "labels", "choice", "solvable", "flows"),
    [
        (([LOAD],), (), "solve", True, 1),
        (([LOAD], [LOAD, MAP]), (), "solve", True, 2),
        (([REJECT],), (), "abstain", False, 0),
        (([REJECT], [REJECT]), (), "abstain", False, 0),
        (([], [REJECT]), (), "abstain", False, 0),
        (([LOAD, REJECT],), (), "abstain", False, 0),
        (([LOAD], [REJECT]), (), "either", True, 1),
        (([],), ("Control question",), "answer", True, 1),
    ],
)
def test_what_the_reference_solutions_say(
    read: Read, solutions: Any, labels: tuple[str, ...], choice: str, solvable: bool, flows: int
) -> None:
    (query,) = read(task(1, *solutions, labels=labels))
    assert (query.extra["decision"], query.solvable, len(query.golden_workflows)) == (choice, solvable, flows)
    titles = [flow.title for flow in query.golden_workflows]
    assert titles == ["reference solution 1", "reference solution 2"] if flows == 2 else titles in ([], [""])


def test_the_remark_on_a_task_is_kept(read: Read) -> None:
    (query,) = read(task(1, [REJECT], reference_solution_description="Too many steps."))
    assert query.extra["remark"] == "Too many steps."


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([task(1)], "task 1: no reference solution|reference_solutions is empty"),
        ([task(1, [])], "task 1: its reference solutions have no step"),
        ([task(1, [LOAD]), task(1, [LOAD])], "the same task_ID"),
        (
            [task(1, [{"name": "load_data"}])],
            "reference_solutions have another form: KeyError: 'function_name'",
        ),
        ([task(1, [{**LOAD, "arguments": ["rain"]}])], "another form"),
        ([{**task(1, [LOAD]), "reference_solutions": "reject"}], "another form"),
        ([{"text": "A task?", "answer": "1"}], "no field task_ID"),
        ([task(1, [LOAD], task_text="")], "record 1: task_text is empty"),
    ],
)
def test_files_that_will_not_do(read: Read, tasks: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read(*tasks)


def test_a_file_that_is_no_json(read: Read) -> None:
    with pytest.raises(RecordError, match="is not JSON"):
        read(data=b'{"tasks": [')


def test_it_is_fetched_once_and_its_checksum_enforced(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = as_file(task(1, [LOAD]), task(2, [REJECT]))
    path = "/benchmark_set/tasks_and_reference_solutions.json"
    httpserver.expect_request("/mirror" + path).respond_with_data(data)
    monkeypatch.setenv("GRA_BASE_URL_GEOBENCHX", httpserver.url_for("/mirror"))
    with pytest.raises(DownloadError, match="has SHA-256") as caught:
        published()
    assert "GRA_GEOBENCHX_FILE" in caught.value.hint and not (tmp_path / "cache").exists()
    monkeypatch.setattr(GeoBenchX, "file", evolve(GeoBenchX.file, sha256=hashlib.sha256(data).hexdigest()))
    httpserver.clear_log()
    assert published() == published() and len(httpserver.log) == 1


def test_whoever_runs_it_is_told_that_best_effort_prevents_abstention() -> None:
    notes = GeoBenchX().queries(QueryRequest(split="dev"), NO_SOURCES).notes
    assert any("--strict" in note for note in notes) and any(
        "sample written for this project" in note for note in notes
    )
