"""The main job as a newcomer runs it: GeoKTools on the embedded atlas, four configurations, model oracle."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def gra_bench(*arguments: str) -> tuple[int, Any, str]:
    done = subprocess.run(
        [sys.executable, "-m", "gra_bench.cli", *arguments], capture_output=True, text=True, check=False
    )
    return (
        done.returncode,
        json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout,
        done.stderr,
    )


@pytest.fixture(scope="module")
def main_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("main") / "run"
    code, document, err = gra_bench("run", "--json", "--run-dir", str(folder))
    assert code == 0, err
    return folder, document


def test_the_tools_answer_every_query_and_no_tools_answer_none(main_run: tuple[Path, dict[str, Any]]) -> None:
    means = {row["configuration"]: row["mean"] for row in main_run[1]["results"]}
    assert means["gra"] == means["llm-tools"] == 1.0
    assert means["llm"] == means["llm-basic"] == 0.0
    for row in main_run[1]["results"]:
        assert row["n"] == row["scored"] and row["failed"] == row["limit"] == 0


def test_every_query_alone_scores_one(main_run: tuple[Path, dict[str, Any]]) -> None:
    lines = (main_run[0] / "results.jsonl").read_text().splitlines()
    wrong = [
        r["query"]
        for r in map(json.loads, lines)
        if r["configuration"] in ("gra", "llm-tools") and r["score"] != 1.0
    ]
    assert wrong == []


def test_resuming_makes_no_model_call(main_run: tuple[Path, dict[str, Any]]) -> None:
    code, document, err = gra_bench("run", "--json", "--run-dir", str(main_run[0]), "--resume")
    assert code == 0, err
    assert document["new_model_calls"] == document["new_trials"] == 0
    assert document["results"] == main_run[1]["results"]


@pytest.mark.parametrize("disclosure", ["runner", "all"])
def test_the_other_modes_of_disclosure_answer_too(disclosure: str, tmp_path: Path) -> None:
    (tmp_path / "mode.toml").write_text(f'name = "mode"\nextends = "gra"\ndisclosure = "{disclosure}"\n')
    code, document, err = gra_bench(
        "run", "-c", str(tmp_path / "mode.toml"), "--limit", "6", "--json", "--run-dir", str(tmp_path / "run")
    )
    assert code == 0 and document["results"][0]["mean"] == 1.0, err


def test_the_test_split_is_answerable_as_well(tmp_path: Path) -> None:
    code, document, err = gra_bench(
        "run",
        "-c",
        "llm-tools",
        "--split",
        "test",
        "--limit",
        "60",
        "--json",
        "--run-dir",
        str(tmp_path / "run"),
    )
    assert code == 0 and document["results"][0]["mean"] == 1.0, err


def test_numbers_can_be_followed_to_source_and_licence(main_run: tuple[Path, dict[str, Any]]) -> None:
    manifests = list(main_run[0].glob("workspaces/*/datasets/*/manifest.json"))
    assert manifests
    for path in manifests:
        lineage = json.loads(path.read_text())["lineage"]
        assert lineage["call_id"] and lineage["tool"]
        assert lineage["sources"] or lineage["inputs"] or lineage["arguments"]
        assert all(use["licence"] and use["retrieved_at"] for use in lineage["sources"])
