"""The command that merges experts' workflows, with a model that replies from a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

STEP = {"text": "Sum rainfall by district", "optional": False}
CONSENSUS = {
    "reasoning": "All sum rainfall.",
    "workflows": [
        {"title": "", "experts": [1, 2, 3], "datasets": ["Rainfall"], "steps": [STEP], "outputs": ["Ranking"]}
    ],
}
APART = {
    "reasoning": "One asks people.",
    "workflows": [
        {"title": "measured", "experts": [1, 2], "datasets": ["Rainfall"], "steps": [STEP], "outputs": []},
        {"title": "asked", "experts": [3], "datasets": ["Survey"], "steps": [{"text": "Ask"}], "outputs": []},
    ],
}
QUERIES = [
    {"id": "dry", "query": "Where was it dry?", "domain": "Public Health",
     "workflows": [["Sum rainfall"], {"datasets": ["Rainfall"], "steps": ["Average rainfall"]}, "Rank the districts by rainfall."]},
    {"id": "wet", "query": "Where was it wet?", "workflows": [["Sum rainfall"], ["Average rainfall"], ["Ask the districts"]]},
]  # fmt: skip


@pytest.fixture
def merge(gra_bench: Callable[..., Any], tmp_path: Path) -> Callable[..., tuple[int, Any, str]]:
    (tmp_path / "experts.json").write_text(json.dumps(QUERIES))

    def run(*lines: dict[str, Any], more: tuple[str, ...] = ()) -> tuple[int, Any, str]:
        (tmp_path / "script.jsonl").write_text("\n".join(map(json.dumps, lines)))
        model = f"judge-script:{tmp_path / 'script.jsonl'}"
        return gra_bench("workflow-merge", str(tmp_path / "experts.json"), "-m", model, *more)

    return run


BOTH = ({"query": "dry", "replies": [CONSENSUS]}, {"query": "wet", "replies": ["nothing", APART]})


def test_a_consensus_and_alternatives(merge: Callable[..., Any]) -> None:
    code, document, err = merge(*BOTH, more=("--json",))
    dry, wet = document["queries"]
    assert code == 0 and "dry: one consensus" in err and "wet: 2 alternatives" in err
    assert dry["golden_workflows"] == [
        {"steps": [STEP], "datasets": ["Rainfall"], "outputs": ["Ranking"], "title": ""}
    ]
    assert (dry["domain"], dry["experts"], wet["experts"]) == ("Public Health", [[1, 2, 3]], [[1, 2], [3]])
    assert [flow["title"] for flow in wet["golden_workflows"]] == ["measured", "asked"]
    assert dry["usage"]["requests"] == 1 and wet["usage"]["requests"] == 2


def test_the_benchmark_reads_what_comes_out(
    merge: Callable[..., Any], gra_bench: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "golden.jsonl"
    code, text, _ = merge(*BOTH, more=("--out", str(out)))
    assert code == 0 and text.startswith("2 queries in ")
    monkeypatch.setenv("GRA_GEOEXPERT_FILE", str(out))
    code, document, _ = gra_bench("queries", "geoexpert", "--json")
    assert code == 0
    assert [(q["id"], q["text"], len(q["golden_workflows"])) for q in document["queries"]] == [
        ("dry", "Where was it dry?", 1), ("wet", "Where was it wet?", 2),
    ]  # fmt: skip


def test_what_is_merged_is_not_asked_for_again(merge: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "golden.jsonl"
    broken = ({"query": "dry", "replies": [CONSENSUS]}, {"query": "wet", "replies": ["nothing"]})
    code, _, err = merge(*broken, more=("--out", str(out)))
    assert code == 1 and "wet: not merged: no readable grade in 3 replies" in err
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["dry"]
    before = out.read_text()
    code, document, _ = merge(*broken, more=("--out", str(out), "--json"))
    assert code == 1 and out.read_text() == before
    assert document["queries"][0]["golden_workflows"] and document["queries"][1]["error"]


def test_a_line_that_a_kill_cut_off_is_made_again(merge: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "golden.jsonl"
    merge(*BOTH, more=("--out", str(out)))
    whole = out.read_text()
    out.write_text(whole[:-40])
    code, _, _ = merge(*BOTH, more=("--out", str(out)))
    assert code == 0 and out.read_text() == whole


def test_without_a_file_the_result_is_lines(merge: Callable[..., Any]) -> None:
    code, text, _ = merge(*BOTH)
    assert code == 0 and [json.loads(line)["id"] for line in text.splitlines()] == ["dry", "wet"]


def test_wrong_use(merge: Callable[..., Any], gra_bench: Callable[..., Any], tmp_path: Path) -> None:
    code, _, err = gra_bench("workflow-merge", str(tmp_path / "none.json"), "-m", "nop")
    assert code == 2 and "cannot be read" in err
    (tmp_path / "bad.json").write_text(json.dumps([{"query": "Where?", "steps": []}]))
    code, _, err = gra_bench("workflow-merge", str(tmp_path / "bad.json"), "-m", "nop")
    assert code == 2 and "no field workflows (also: expert_workflows" in err
    (tmp_path / "bad.json").write_text(json.dumps([{"query": "Where?", "workflows": [{"datasets": ["x"]}]}]))
    code, _, err = gra_bench("workflow-merge", str(tmp_path / "bad.json"), "-m", "nop")
    assert code == 2 and "record 1: a workflow without steps" in err
    code, _, err = merge(*BOTH, more=("--out", str(tmp_path / "experts.json")))
    assert code == 2 and "holds something else" in err
