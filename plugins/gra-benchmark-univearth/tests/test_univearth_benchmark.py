"""UnivEARTH: the published format from files and over a loopback server, bad files, and the hash that names a set.

All rows in here are synthetic.
"""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest

from gra_benchmark_univearth.benchmark import UnivEarth
from gra_core import QueryRequest, QuerySet
from gra_core.download import DownloadError
from gra_core.records import RecordError
from gra_core.testing import PluginConformance

NO_SOURCES: Any = SimpleNamespace()


class TestConformance(PluginConformance):
    plugin = "gra_benchmark_univearth.plugin"


def row(number: int, **changes: Any) -> dict[str, Any]:
    made = {
        "question": f"Synthetic question {number}?", "answer": ("Yes", "No")[number % 2], "url": f"https://example.org/{number}",
        "post_id": 1000 + number, "tag": ("Land", "Water")[number % 2], "supporting_sentences": f"Synthetic sentence {number}.",
    }  # fmt: skip
    return made | changes


@pytest.fixture(autouse=True)
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("GRA_UNIVEARTH_FILE", raising=False)


@pytest.fixture
def give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def write(data: str | bytes, name: str = "rows.jsonl") -> None:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        monkeypatch.setenv("GRA_UNIVEARTH_FILE", str(path))

    return write


def published(**request: Any) -> QuerySet:
    return UnivEarth().queries(QueryRequest(split="test", **request), NO_SOURCES)


def lines(rows: list[dict[str, Any]]) -> str:
    return "\n".join(map(json.dumps, rows))


# -- files ---------------------------------------------------------------------------------------------------------


def as_csv(rows: list[dict[str, Any]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize(("write", "name"), [(lines, "a.jsonl"), (json.dumps, "a.json"), (as_csv, "a.csv")])
def test_the_published_fields_become_queries(
    give: Callable[..., None], write: Callable[..., str], name: str
) -> None:
    give(write([row(1), row(2)]), name)
    first, second = published().queries
    assert (first.id, first.text, first.answer, first.domain, first.split) == (
        "1001",
        "Synthetic question 1?",
        "No",
        "Water",
        "test",
    )
    assert (second.id, second.answer, second.domain) == ("1002", "Yes", "Land")
    assert first.extra["labels"] == ["Yes", "No", "Inconclusive"] and first.extra["edition"] == "published"
    assert (
        first.extra["url"] == "https://example.org/1"
        and first.extra["supporting_sentences"] == "Synthetic sentence 1."
    )


def test_fields_under_other_names(give: Callable[..., None]) -> None:
    give(lines([{"Question": "Q?", "Label": "yes", "Topic": "Heat"}]))
    (query,) = published().queries
    assert (query.id, query.answer, query.domain) == ("row-1", "Yes", "Heat")


@pytest.mark.parametrize(
    ("written", "label"),
    [("yes", "Yes"), ("NO.", "No"), (True, "Yes"), (False, "No"), ("inconclusive", "Inconclusive")],
)
def test_labels_as_they_may_be_written(give: Callable[..., None], written: Any, label: str) -> None:
    give(lines([row(1, answer=written)]))
    assert published().queries[0].answer == label


def test_several_questions_of_one_post_have_ids_of_their_own(give: Callable[..., None]) -> None:
    give(lines([row(1, post_id=7), row(2, post_id=8), row(3, post_id=7)]))
    assert [q.id for q in published().queries] == ["7-1", "8", "7-2"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"answer": "Yes"}], r"no field question \(also: query, prompt\)"),
        ([{"question": "Q?", "verdict": "Yes"}], "no field answer"),
        ([row(1), row(2, question=" ")], "record 2: question is empty"),
        ([row(1), row(2, answer="Maybe")], "record 2: the answer 'Maybe' is none of Yes, No, Inconclusive"),
        ([row(1, answer=1)], "the answer 1 is none"),
        ([row(1, post_id="7"), row(2, post_id="7"), row(3, post_id="7-1")], "same id"),
    ],
)
def test_files_that_will_not_do(give: Callable[..., None], rows: list[dict[str, Any]], message: str) -> None:
    give(lines(rows))
    with pytest.raises(RecordError, match=message):
        published()


def test_another_number_of_questions_is_noted(give: Callable[..., None]) -> None:
    give(lines([row(n) for n in range(141)]))
    assert published().notes == ("the file has 141 questions; published results are on 140",)
    give(lines([row(n) for n in range(140)]))
    assert published().notes == ()


def test_the_hash_changes_with_the_answers(give: Callable[..., None]) -> None:
    give(lines([row(1)]))
    before = published().dataset_hash
    give(lines([row(1, answer="Yes")]))
    assert published().dataset_hash != before


# -- the rows service ----------------------------------------------------------------------------------------------


class Service:
    """The rows service of a dataset viewer: at most 100 rows a reply."""

    def __init__(self) -> None:
        self.rows = [row(n) for n in range(140)]
        self.asked: list[dict[str, list[str]]] = []
        self.change: Callable[[dict[str, Any]], Any] = lambda page: page
        self.url = ""


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    state = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = parse_qs(urlparse(self.path).query)
            state.asked.append(asked)
            start, length = int(asked["offset"][0]), min(100, int(asked["length"][0]))
            page = {
                "features": [{"feature_idx": 0, "name": "question", "type": {"dtype": "string", "_type": "Value"}}],
                "rows": [{"row_idx": i, "row": r, "truncated_cells": []} for i, r in enumerate(state.rows)][start : start + length],
                "num_rows_total": len(state.rows), "num_rows_per_page": 100, "partial": False,
            }  # fmt: skip
            body = json.dumps(state.change(page)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("GRA_BASE_URL_UNIVEARTH", state.url)
    yield state
    server.shutdown()
    server.server_close()


def test_all_pages_are_fetched_once(service: Service) -> None:
    first, again = published(), published()
    assert [q.text for q in first.queries] == [r["question"] for r in service.rows]
    assert first == again and len(service.asked) == 2
    assert [a["offset"] for a in service.asked] == [["0"], ["100"]]
    assert {a["dataset"][0] for a in service.asked} == {"AaronKao/UnivEARTH"}


def test_without_its_rows_the_service_keeps_nothing(service: Service, tmp_path: Path) -> None:
    service.change = lambda page: {"error": "The dataset viewer is not ready yet."}
    with pytest.raises(DownloadError, match="no reply of the rows service") as caught:
        published()
    assert "GRA_UNIVEARTH_FILE" in caught.value.hint and not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": []}, "0 of 140 rows"),
        ({"num_rows_total": "140"}, "another type"),
        ({"num_rows_total": 10**9}, "of 1000000000 rows"),
        ({"rows": [{"row_idx": 0, "row": row(1), "truncated_cells": ["question"]}]}, "cut some cells short"),
    ],
)
def test_replies_that_will_not_do(service: Service, change: dict[str, Any], message: str) -> None:
    service.change = lambda page: page | change
    with pytest.raises(DownloadError, match=message):
        published()


def test_rows_of_another_dataset_are_not_kept(service: Service, tmp_path: Path) -> None:
    service.rows = [{"text": "something else"}]
    with pytest.raises(RecordError, match="no field question"):
        published()
    assert not (tmp_path / "cache").exists()
