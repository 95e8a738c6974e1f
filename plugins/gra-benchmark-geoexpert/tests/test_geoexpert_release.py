"""The loader of the published split: names and forms may vary, what is missing is named. All queries are synthetic."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gra_benchmark_geoexpert.benchmark import GeoExpert
from gra_core import Query, QueryRequest, QuerySet, UsageError
from gra_core.download import DownloadError
from gra_core.records import RecordError

NO_SOURCES: Any = SimpleNamespace()
FLOW = {
    "datasets": ["Rainfall"],
    "steps": ["Sum it", {"text": "Map it", "optional": True}],
    "outputs": ["Ranking"],
}
OTHER = {"datasets": ["Gauges"], "steps": ["Read the gauges"], "outputs": ["Ranking"]}


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Query, ...]]:
    def queries(data: Any, name: str = "release.json") -> tuple[Query, ...]:
        (tmp_path / name).write_text(data if isinstance(data, str) else json.dumps(data))
        monkeypatch.setenv("GRA_GEOEXPERT_FILE", str(tmp_path / name))
        return release().queries

    return queries


def release(split: Any = "dev", **more: Any) -> QuerySet:
    return GeoExpert().queries(QueryRequest(split=split, **more), NO_SOURCES)


Read = Callable[..., tuple[Query, ...]]


@pytest.mark.parametrize(
    "record",
    [
        {"id": "q1", "query": "Where?", "domain": "Public Health", "golden_workflow": FLOW},
        {"query_id": "q1", "prompt": "Where?", "category": "public health", "golden_plan": FLOW},
        {"qid": "q1", "question": "Where?", "Domain Label": "Health", "consensusGoldenWorkflow": json.dumps(FLOW)},
        {"id": "q1", "user_query": "Where?", "topic": "Public Health", "golden_workflows": [FLOW]},
        {"id": "q1", "text": "Where?", "domain": "Public Health",
         "workflow": "Datasets:\n- Rainfall\nSteps:\n1. Sum it\n2. (Optional) Map it\nOutputs:\n- Ranking"},
    ],
)  # fmt: skip
def test_names_and_forms_may_vary(read: Read, record: dict[str, Any]) -> None:
    (query,) = read([record])
    assert (query.id, query.text, query.domain, query.split) == ("q1", "Where?", "Public Health", "dev")
    (flow,) = query.golden_workflows
    assert (flow.datasets, flow.outputs) == (("Rainfall",), ("Ranking",))
    assert [(s.text, s.optional) for s in flow.steps] == [("Sum it", False), ("Map it", True)]
    assert query.extra == {"edition": "published"}


def test_json_lines_and_csv(read: Read) -> None:
    records = [
        {"query": "Where?", "golden_workflow": json.dumps(FLOW)},
        {"query": "How,\nmany?", "golden_workflow": "Count them."},
    ]
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, ["query", "golden_workflow"])
    writer.writeheader()
    writer.writerows(records)
    made = read("\n".join(map(json.dumps, records)), "release.jsonl")
    assert made == read(out.getvalue(), "release.csv")
    assert [q.id for q in made] == ["geoexpert-1", "geoexpert-2"]
    assert made[1].golden_workflows[0].steps[0].text == "Count them."


def test_alternatives_where_experts_could_not_agree(read: Read) -> None:
    first, second, third = read(
        [
            {"query": "A?", "golden_workflow": FLOW, "alternative_workflows": None},
            {"query": "B?", "golden_workflow": None, "alternative_workflows": [FLOW, OTHER]},
            {
                "query": "C?",
                "golden_workflow": "",
                "alternative_workflows": {"Expert 1": FLOW, "Expert 2": OTHER},
            },
        ]
    )
    assert [len(q.golden_workflows) for q in (first, second, third)] == [1, 2, 2]
    assert [flow.title for flow in third.golden_workflows] == ["Expert 1", "Expert 2"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"golden_workflow": FLOW, "area": "x"}], r"no field query \(also: question, prompt"),
        (
            [{"query": "A?", "rubric": "x"}],
            r"no field golden_workflow or golden_workflows \(also: .*golden_plan",
        ),
        ([{"query": "A?", "golden_workflow": FLOW}, {"query": "B?"}], "record 2: golden_workflow is empty"),
        (
            [{"query": "A?", "golden_workflow": FLOW}, {"query": " ", "golden_workflow": FLOW}],
            "record 2: query is empty",
        ),
        (
            [{"query": "A?", "golden_workflow": {"datasets": ["Rainfall"]}}],
            "record 1: a workflow without steps",
        ),
        ([{"id": 1, "query": "A?", "golden_workflow": FLOW}] * 2, "two records have the same id"),
        ("{", "is not JSON"),
        ("<html></html>", "is a web page"),
        ("", "is empty"),
    ],
)
def test_files_that_will_not_do(read: Read, data: Any, message: str) -> None:
    with pytest.raises(RecordError, match=message) as caught:
        read(data)
    assert "release.json" in caught.value.message


def test_fields_found_are_listed(read: Read) -> None:
    with pytest.raises(RecordError) as caught:
        read([{"frage": "Wo?", "golden_workflow": FLOW}])
    assert "frage, golden_workflow" in caught.value.hint


def test_a_path_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRA_GEOEXPERT_FILE", "/no/such/release.json")
    with pytest.raises(DownloadError, match="cannot be read") as caught:
        release()
    assert "geospatial-reasoning-benchmarks" in caught.value.hint


def test_the_two_editions_are_never_mixed(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    made = read([{"id": "own-florida-shelters", "query": "Theirs?", "golden_workflow": FLOW}])
    assert len(made) == 1 and release("all").queries == made and release().notes == ()
    assert GeoExpert().reference(made[0]) is None and GeoExpert().skills(made[0]) == ()
    with pytest.raises(UsageError, match="development split only"):
        release("test")
    published = release().dataset_hash
    monkeypatch.delenv("GRA_GEOEXPERT_FILE")
    assert release().dataset_hash != published and all(
        q.extra["edition"] == "own" for q in release("all").queries
    )


def test_the_hash_follows_the_file(read: Read) -> None:
    read([{"query": "A?", "golden_workflow": FLOW}])
    before = release().dataset_hash
    read([{"query": "A?", "golden_workflow": OTHER}])
    assert release().dataset_hash != before
