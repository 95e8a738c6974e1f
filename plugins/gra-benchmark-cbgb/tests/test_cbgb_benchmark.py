"""CBGB: the published CSV from a file and over a loopback server, bad files, tiers, numbers, scoring.

All questions in here are synthetic.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from gra_benchmark_cbgb.benchmark import Cbgb
from gra_benchmark_cbgb.plugin import gra_benchmarks
from gra_core import Query, QueryRequest, QuerySet, Score
from gra_core.download import DownloadError
from gra_core.records import RecordError
from gra_core.registry import Registry
from gra_core.testing import PluginConformance

NO_SOURCES: Any = SimpleNamespace()
HEADER = ("id", "title", "difficulty", "question", "expected_answer")


class TestConformance(PluginConformance):
    plugin = "gra_benchmark_cbgb.plugin"


def as_csv(rows: list[tuple[Any, ...]], header: tuple[str, ...] = HEADER) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def synthetic(number: int, **changes: Any) -> tuple[Any, ...]:
    made = {
        "id": f"q{number}", "title": f"Synthetic {number}", "difficulty": ("Easy", "Intermediate", "Difficult")[number % 3],
        "question": f"How much, in km,\nis synthetic quantity {number}?", "expected_answer": f"{number}.5",
    }  # fmt: skip
    return tuple((made | changes).values())


@pytest.fixture(autouse=True)
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("GRA_CBGB_FILE", raising=False)
    monkeypatch.setenv("GRA_CBGB_EDITION", "45")


@pytest.fixture
def give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def write(text: str, name: str = "published.csv") -> None:
        (tmp_path / name).write_text(text)
        monkeypatch.setenv("GRA_CBGB_FILE", str(tmp_path / name))

    return write


def published() -> QuerySet:
    return Cbgb().queries(QueryRequest(split="test"), NO_SOURCES)


def test_the_published_columns_become_queries(give: Callable[..., None]) -> None:
    give(as_csv([synthetic(1), synthetic(2)]))
    first, second = published().queries
    assert (first.id, first.tier, first.answer, first.split) == ("q1", "Intermediate", 1.5, "test")
    assert first.text == "How much, in km,\nis synthetic quantity 1?"
    assert first.extra == {"title": "Synthetic 1", "edition": "45"}
    assert second.tier == "Difficult" and second.cluster == "q2"


def test_json_will_do_as_well(give: Callable[..., None]) -> None:
    rows = [{"ID": 7, "Tier": "easy", "Prompt": "How many?", "Answer": 12}]
    give(json.dumps(rows), "published.json")
    (query,) = published().queries
    assert (query.id, query.tier, query.text, query.answer) == ("7", "Easy", "How many?", 12)


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("1234", 1234),
        (" 0.50 ", 0.5),
        ("-3", -3),
        ("1.2e-5", 1.2e-5),
        ("1,234.5", "1,234.5"),
        ("12%", "12%"),
        ("0", 0),
    ],
)
def test_numbers_as_they_may_be_written(give: Callable[..., None], written: str, answer: Any) -> None:
    give(as_csv([synthetic(1, expected_answer=written)]))
    assert published().queries[0].answer == answer


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            as_csv([("q1", "Easy", "How?", 1)], ("id", "difficulty", "question", "value")),
            r"no field expected_answer \(also: answer",
        ),
        (as_csv([("t", "How?", 1)], ("title", "question", "answer")), "no field id .*; difficulty"),
        (as_csv([synthetic(1), synthetic(2, question="")]), "record 2: question is empty"),
        (
            as_csv([synthetic(1, difficulty="Hard")]),
            "difficulty 'Hard' is none of Easy, Intermediate, Difficult",
        ),
        (as_csv([synthetic(1, expected_answer="about a lot")]), "is no number"),
        (as_csv([synthetic(1), synthetic(1)]), "same id"),
        ("<html>not found</html>", "is a web page"),
        ("", "is empty"),
    ],
)
def test_files_that_will_not_do(give: Callable[..., None], text: str, message: str) -> None:
    give(text)
    with pytest.raises(RecordError, match=message):
        published()


def test_it_is_fetched_once(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    httpserver.expect_request("/bucket/eval_set_2025_05_08.csv").respond_with_data(
        as_csv([synthetic(n) for n in range(45)])
    )
    monkeypatch.setenv("GRA_BASE_URL_CBGB", httpserver.url_for("/bucket"))
    first, again = published(), published()
    assert first == again and len(first.queries) == 45 and len(httpserver.log) == 1
    assert (tmp_path / "cache/cbgb/eval_set_2025_05_08.csv").is_file()


def test_an_error_page_is_not_kept(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    httpserver.expect_request("/eval_set_2025_05_08.csv").respond_with_data("<html>Sign in</html>")
    monkeypatch.setenv("GRA_BASE_URL_CBGB", httpserver.url_for(""))
    with pytest.raises(RecordError):
        published()
    assert not (tmp_path / "cache").exists()


def test_where_it_cannot_be_fetched_the_message_says_what_to_do(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    httpserver.expect_request("/eval_set_2025_05_08.csv").respond_with_data("no", status=403)
    monkeypatch.setenv("GRA_BASE_URL_CBGB", httpserver.url_for(""))
    with pytest.raises(DownloadError, match=r"CBGB: .* answered 403") as caught:
        published()
    for part in ("https://storage.googleapis.com/cbgb-1/", "cbgb/eval_set_2025_05_08.csv", "GRA_CBGB_FILE"):
        assert part in caught.value.hint


def test_the_original_criterion(give: Callable[..., None], gra_registry: Registry) -> None:
    """Two significant figures by hand: 1234.5 is 1200; 1249 is 1200 and 1251 is 1300."""
    give(as_csv([synthetic(1, expected_answer="1,234.5")]))
    (query,) = published().queries
    (benchmark,) = gra_benchmarks()
    assert benchmark.scorers[0] == "two-significant-figures" and benchmark.autoraters == ("answer-autorater",)

    def score(answer: str) -> Score:
        return gra_registry.scorers[benchmark.scorers[0]].score(query, answer)

    assert [
        score(a).value for a in ("[1234.5]", "[1249]", "[1150.1]", "[1251]", "[-1234]", "[123]", "no idea")
    ] == [1, 1, 1, 0, 0, 0, 0]
    assert "answer-autorater" in gra_registry.autoraters


def test_another_answer_is_another_set(give: Callable[..., None]) -> None:
    give(as_csv([synthetic(1)]))
    before = published()
    give(as_csv([synthetic(1, expected_answer="9")]))
    assert published().dataset_hash != before.dataset_hash


def test_the_sample_needs_no_file_and_no_edition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRA_CBGB_EDITION", "no such edition")
    made = Cbgb().queries(QueryRequest(split="dev"), NO_SOURCES)
    assert [q.tier for q in made.queries] == ["Easy", "Easy", "Intermediate", "Difficult"]
    assert all(q.id.startswith("sample-") and q.extra["edition"] == "sample" for q in made.queries)
    assert Cbgb().reference(Query(id="q1", benchmark="cbgb", text="?")) is None
