"""Benchmarks that someone else publishes: a sample of ours as split dev, the published file otherwise, never mixed."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import evolve

from gra_core import Query, QueryRequest, UsageError
from gra_core.download import DownloadError, PublishedFile
from gra_core.published import PublishedBenchmark
from gra_core.records import read_records

SAMPLE = [{"id": "sample-1", "q": "One of ours?"}]
PUBLISHED = [{"id": "1", "q": "Theirs?"}, {"id": "2", "q": "Theirs too?"}]


class Synthetic(PublishedBenchmark):
    file = PublishedFile(title="Synthetic set", name="synthetic/all.json", file_env="SYNTHETIC_FILE")
    sample = ("synthetic_package", "sample.json")

    def read(self, file: Any, split: Any) -> list[Query]:
        rows = read_records(file.data, str(file.path))
        return [Query(id=r["id"], benchmark="synthetic", text=r["q"], split=split) for r in rows]


@pytest.fixture
def benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Synthetic:
    package = tmp_path / "package"
    package.mkdir()
    (package / "sample.json").write_text(json.dumps(SAMPLE))
    (tmp_path / "published.json").write_text(json.dumps(PUBLISHED))
    monkeypatch.setattr("importlib.resources.files", lambda name: package)
    monkeypatch.setenv("SYNTHETIC_FILE", str(tmp_path / "published.json"))
    monkeypatch.setenv("GRA_CACHE_DIR", str(tmp_path / "cache"))
    return Synthetic()


def ids(benchmark: Synthetic, **request: Any) -> list[str]:
    return [q.id for q in benchmark.queries(QueryRequest(**request), SimpleNamespace()).queries]  # type: ignore[arg-type]


def test_the_sample_and_the_published_set_are_never_mixed(benchmark: Synthetic) -> None:
    assert ids(benchmark, split="dev") == ["sample-1"]
    assert ids(benchmark, split="test") == ids(benchmark, split="all") == ["1", "2"]
    assert ids(benchmark, split="test", limit=1) == ["1"]
    assert ids(benchmark, split="test", ids=("2",)) == ["2"]
    with pytest.raises(UsageError, match="unknown query sample-1"):
        ids(benchmark, split="all", ids=("sample-1",))


def test_whoever_runs_the_sample_is_told(benchmark: Synthetic) -> None:
    request = QueryRequest(split="dev")
    assert "not Synthetic set" in benchmark.queries(request, SimpleNamespace()).notes[0]  # type: ignore[arg-type]
    assert benchmark.queries(evolve(request, split="test"), SimpleNamespace()).notes == ()  # type: ignore[arg-type]


def test_the_hash_follows_the_file_and_not_the_part_asked_for(benchmark: Synthetic, tmp_path: Path) -> None:
    def value(**request: Any) -> str:
        return benchmark.queries(QueryRequest(**request), SimpleNamespace()).dataset_hash  # type: ignore[arg-type]

    before = value(split="test")
    assert before == value(split="all") == value(split="test", limit=1) != value(split="dev")
    changed = [dict(PUBLISHED[0], q="Changed?"), PUBLISHED[1]]
    (tmp_path / "published.json").write_text(json.dumps(changed))
    assert value(split="test") != before


def test_the_published_split_without_the_file(benchmark: Synthetic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SYNTHETIC_FILE")
    assert ids(benchmark, split="dev") == ["sample-1"]
    with pytest.raises(DownloadError, match="Synthetic set"):
        ids(benchmark, split="test")
