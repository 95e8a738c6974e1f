"""What a benchmark wants to be known reaches whoever runs it; scorers are told how a trial ended, or there are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from attrs import evolve

from gra_core import Benchmark, Score, Scorer, hookimpl

RUN = ("run", "-b", "sums", "-c", "plain", "-m", "adder:1", "--json", "--limit", "2")


@pytest.fixture
def noted(sums: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    plain = sums.Sums.queries
    monkeypatch.setattr(
        sums.Sums,
        "queries",
        lambda self, request, sources: evolve(plain(self, request, sources), notes=("of synthetic sums",)),
    )
    return sums


def test_notes_are_told_and_kept(noted: ModuleType, gra_bench: Callable[..., Any], tmp_path: Path) -> None:
    code, _, err = gra_bench(*RUN, "--run-dir", str(tmp_path / "run"))
    assert code == 0 and "Note: sums: of synthetic sums" in err
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["notes"] == [
        "sums: of synthetic sums"
    ]
    for form in ("table", "markdown"):
        code, text, _ = gra_bench("report", str(tmp_path / "run"), "--format", form)
        assert code == 0 and "Note: sums: of synthetic sums" in text
    assert gra_bench("report", str(tmp_path / "run"), "--json")[1]["notes"] == ["sums: of synthetic sums"]
    code, document, err = gra_bench("queries", "sums", "--json")
    assert code == 0 and len(document["queries"]) == 6 and "Note: sums: of synthetic sums" in err


def test_a_benchmark_without_a_scorer_leaves_trials_unscored(
    sums: ModuleType, gra_bench: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @hookimpl
    def gra_benchmarks() -> list[Benchmark]:
        return [Benchmark(name="sums", title="Synthetic sums", factory="bench_plugin:Sums")]

    monkeypatch.setattr(sums, "gra_benchmarks", gra_benchmarks)
    code, document, _ = gra_bench(*RUN, "--run-dir", str(tmp_path / "run"))
    row = document["results"][0]
    assert code == 0 and (row["n"], row["scored"], row["unscored"], row["mean"]) == (2, 0, 2, None)


def test_scorers_are_told_how_a_trial_ended_when_they_ask() -> None:
    def asks(query: Any, answer: str, status: str) -> Score:
        return Score(value=float(status == "abstained"))

    def does_not(query: Any, answer: str) -> Score:
        return Score(value=0.5)

    query: Any = None
    assert Scorer(name="a", function=asks).score(query, "", "abstained").value == 1
    assert Scorer(name="a", function=asks).score(query, "").value == 0
    assert Scorer(name="b", function=does_not).score(query, "", "abstained").value == 0.5
