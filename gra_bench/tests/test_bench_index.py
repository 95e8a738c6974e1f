"""The index beside a run: right, kept, extended and made anew."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from synthetic_run import CONFIGURATIONS, a_query, a_result, compact, line, some_events, write_run

from gra_bench.index import FILE, RunIndex
from gra_bench.row import COLUMNS
from gra_bench.scores import read_scores, scored_results
from gra_bench.store import read_events, read_results
from gra_bench.summary import summarize
from gra_core import UsageError


def by_reading_all(folder: Path) -> list[dict]:
    return summarize(scored_results(read_results(folder).values(), read_scores(folder)), CONFIGURATIONS)


def events_by_reading_all(folder: Path, trial: str, attempt: str) -> list[dict]:
    return [e for e in read_events(folder, trial) if e["attempt"] == attempt]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run", trials=40, events=10)


def test_it_says_what_reading_everything_says(run: Path) -> None:
    index = RunIndex(run)
    assert index.summary() == json.loads(json.dumps(by_reading_all(run)))
    results = read_results(run)
    rows = [dict(zip(COLUMNS, json.loads(row), strict=True)) for row in index.rows()]
    assert [r["trial"] for r in rows] == list(results)
    for row in rows:
        result = results[row["trial"]]
        assert (row["scores"], row["status"], row["model_calls"]) == (
            [[0, result["score"]]],
            result["outcome"]["status"],
            result["outcome"]["model_calls"],
        )
        assert row["tool_calls"] == sum(result["outcome"]["tools"].values()) and row["cost_usd"] == float(
            result["outcome"]["cost_usd"]
        )
        assert index.result(row["trial"]) == result
        assert index.events(row["trial"], result["attempt"]) == events_by_reading_all(
            run, row["trial"], result["attempt"]
        )
    assert index.result("no such trial") is None and index.events("no", "such") == []


def test_it_is_kept_and_not_made_twice(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = RunIndex(run)
    summary, rows, trial = first.summary(), first.rows(), next(iter(read_results(run).values()))
    events = first.events(trial["trial"], trial["attempt"])
    monkeypatch.setattr("gra_bench.index.whole_lines", None)  # nothing may be read from the start any more
    second = RunIndex(run)
    assert (second.summary(), second.rows(), second.events(trial["trial"], trial["attempt"])) == (
        summary,
        rows,
        events,
    )


def test_a_run_that_grows(run: Path) -> None:
    index = RunIndex(run)
    index.summary(), index.events("", "")
    import random

    for number in (100, 101):
        query = a_query(number)
        result = a_result(query, "gra", "synthetic:one", 0, random.Random(number))
        with (run / "events.jsonl").open("a") as log, (run / "results.jsonl").open("a") as results:
            lines = [line(result, e) for e in some_events(query, result, 6, 0)]
            log.writelines(lines[:-1])
            log.write(lines[-1][:20])  # a record that is being written
            log.flush()
            assert len(index.events(result["trial"], result["attempt"])) == len(lines) - 1
            log.write(lines[-1][20:])
            results.write(compact(result))
        assert len(index.rows()) == 41 + number - 100
        assert index.events(result["trial"], result["attempt"]) == events_by_reading_all(
            run, result["trial"], result["attempt"]
        )
    assert index.summary() == json.loads(json.dumps(by_reading_all(run)))


def test_the_last_result_of_a_trial_counts_and_scores_may_come_later(run: Path) -> None:
    index = RunIndex(run)
    first = next(iter(read_results(run).values()))
    again = first | {"attempt": "later", "score": 0.25}
    with (run / "results.jsonl").open("a") as results:
        results.write(compact(again))
    assert index.result(first["trial"]) == again and len(index.rows()) == 40
    usage = first["outcome"]["usage"]
    score = {
        "schema_version": 1, "trial": first["trial"], "attempt": "later", "benchmark": "synthetic", "scorer": "grader", "judge": "j", "passes": 3,
        "score": 1.0, "scoring": {}, "judge_calls": 3, "judge_usage": usage, "judge_cost_usd": "0.1",
    }  # fmt: skip
    (run / "scores.jsonl").write_text(compact(score))
    assert [v["scorer"] for v in index.views()] == ["blanks", "grader"]
    rows = [dict(zip(COLUMNS, json.loads(row), strict=True)) for row in index.rows()]
    assert next(r["scores"] for r in rows if r["trial"] == first["trial"]) == [[0, 0.25], [1, 1.0]]
    assert index.summary() == json.loads(json.dumps(by_reading_all(run)))


def test_another_run_in_the_same_place(run: Path, tmp_path: Path) -> None:
    RunIndex(run).summary()
    RunIndex(run).events("", "")
    other = write_run(tmp_path / "other", trials=40, events=10, seed=5)
    for name in ("results.jsonl", "events.jsonl"):
        (run / name).write_bytes((other / name).read_bytes())
    index = RunIndex(run)
    assert index.summary() == json.loads(json.dumps(by_reading_all(other)))
    result = next(iter(read_results(run).values()))
    assert index.events(result["trial"], result["attempt"]) == events_by_reading_all(
        run, result["trial"], result["attempt"]
    )


def test_a_torn_or_foreign_index_is_made_anew(run: Path) -> None:
    wanted = RunIndex(run).summary()
    whole = (run / FILE).read_bytes()
    for broken in (
        b"not a database at all" * 100,
        whole[: len(whole) // 2],
        whole[:100] + bytes(4000) + whole[4100:],
        b"",
    ):
        (run / FILE).write_bytes(broken)
        assert RunIndex(run).summary() == wanted
    for start in range(0, len(whole), 4096):  # any single page
        (run / FILE).write_bytes(whole[:start] + b"\xff" * 4096 + whole[start + 4096 :])
        index = RunIndex(run)
        assert index.summary() == wanted and len(index.rows()) == 40
        index.close()
    with sqlite3.connect(run / FILE) as base:
        base.execute("update meta set value = '0' where name = 'version'")
        base.execute("update meta set value = '[]' where name = 'summary'")
    assert RunIndex(run).summary() == wanted


def test_a_place_that_cannot_be_written(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = sqlite3.connect

    def connect(target: object, **options: object) -> sqlite3.Connection:
        if str(target) != ":memory:":
            raise sqlite3.OperationalError("unable to open database file")
        return real(target, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(sqlite3, "connect", connect)
    assert (
        RunIndex(run).summary() == json.loads(json.dumps(by_reading_all(run))) and not (run / FILE).exists()
    )


READ = """
import sys
from pathlib import Path
from gra_bench.index import RunIndex
index = RunIndex(Path(sys.argv[1]))
print(len(index.summary()), len(index.rows()), len(index.events("", "")))
"""


def test_several_processes_at_once(run: Path) -> None:
    command = [sys.executable, "-c", READ, str(run)]
    readers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [reader.communicate(timeout=60)[0].split() for reader in readers] == [["4", "40", "0"]] * 3


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.text(max_size=5)), max_size=30), st.integers(0, 30))
def test_any_mix_of_events_is_found_again(
    tmp_path_factory: pytest.TempPathFactory, log: list[tuple[str, str]], cut: int
) -> None:
    folder = write_run(tmp_path_factory.mktemp("mixed"), trials=1)
    lines = [
        compact(
            {
                "trial": name,
                "attempt": "1",
                "seq": n,
                "kind": "answered",
                "at": "",
                "elapsed_s": 0.0,
                "data": {"text": text},
            }
        )
        for n, (name, text) in enumerate(log)
    ]
    (folder / "events.jsonl").write_text("".join(lines[:cut]))
    index = RunIndex(folder)
    index.events("a", "1")
    (folder / "events.jsonl").write_text("".join(lines))
    for name in "abc":
        assert index.events(name, "1") == events_by_reading_all(folder, name, "1")


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a run directory"):
        RunIndex(tmp_path)
