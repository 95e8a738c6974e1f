"""Scoring again: beside the results, resumable, with every request to a judge accounted for and kept apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

RUN = ("run", "-b", "sums", "-c", "plain", "-m", "adder:1", "--json")
Call = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.fixture
def run(sums: ModuleType, gra_bench: Call, folder: Path) -> Call:
    return lambda *more: gra_bench(*RUN, "--run-dir", str(folder), *more)


@pytest.fixture
def score(sums: ModuleType, gra_bench: Call, folder: Path) -> Call:
    def call(*more: str, scorer: str = "close", judge: str | None = "grader:1") -> tuple[int, Any, str]:
        judged = ("--judge", judge) if judge else ()
        return gra_bench("score", str(folder), "--scorer", scorer, *judged, "--json", *more)

    return call


def by_scorer(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["scorer"]: row for row in document["results"]}


def test_a_run_with_a_judge_has_a_row_for_each_scorer(run: Call, sums: ModuleType) -> None:
    code, document, _ = run("--judge", "grader:1")
    assert code == 0
    rows = by_scorer(document)
    assert (rows["equal"]["mean"], rows["equal"]["judge"], rows["equal"]["judge_calls"]) == (1.0, None, 0)
    assert (rows["close"]["mean"], rows["close"]["judge"], rows["close"]["judge_passes"]) == (
        0.5,
        "grader:1",
        3,
    )
    assert rows["close"]["n"] == rows["close"]["scored"] == 6
    # 6 trials, three passes each; agent and judge are never added up.
    assert len(sums.JUDGED) == 18 and rows["close"]["judge_calls"] == 18
    for row in rows.values():
        assert row["usage"]["input"] == 6000 and row["model_calls"] == 6
    assert rows["close"]["judge_usage"]["input"] == 18 * 500 and rows["close"]["judge_cost_usd"] is None
    assert document["new_model_calls"] == 6
    assert document["judge"]["new_judge_calls"] == 18 and document["judge"]["unscored"] == 0


def test_a_judge_sees_the_query_and_the_trajectory(run: Call, sums: ModuleType) -> None:
    run("--judge", "grader:1", "--judge-passes", "1", "--limit", "1")
    assert sums.JUDGED == ["sum-0: 0 after 6 events from trial_started to trial_finished"]


def test_scoring_adds_and_changes_nothing(run: Call, score: Call, folder: Path, sums: ModuleType) -> None:
    run()
    before = {p.name: p.read_bytes() for p in folder.glob("*.json*")}
    sums.CALLS.clear()
    code, document, _ = score()
    assert code == 0 and sums.CALLS == []
    assert document["new_scores"] == 6 and document["results"][0]["mean"] == 0.5
    assert {name: (folder / name).read_bytes() for name in before} == before
    lines = [json.loads(line) for line in (folder / "scores.jsonl").read_text().splitlines()]
    assert len(lines) == 6 and all(len(line["scoring"]["extra"]["passes"]) == 3 for line in lines)
    calls = [json.loads(line) for line in (folder / "judge.jsonl").read_text().splitlines()]
    assert (
        len(calls) == 18
        and {c["pass"] for c in calls} == {1, 2, 3}
        and all(c["text"] == "GRADE 0.5" for c in calls)
    )


def test_what_is_scored_is_not_scored_again(run: Call, score: Call, sums: ModuleType) -> None:
    run()
    first = score()[1]
    sums.JUDGED.clear()
    code, second, _ = score()
    assert code == 0 and sums.JUDGED == [] and second["new_scores"] == 0
    assert second["results"] == first["results"]


def test_another_judge_version_or_number_of_passes_is_another_score(
    run: Call, score: Call, sums: ModuleType, gra_bench: Call, folder: Path
) -> None:
    run()
    score()
    assert score(judge="grader:2")[1]["new_scores"] == 6
    assert score("--judge-passes", "1")[1]["new_judge_calls"] == 6
    sums.BEHAVIOUR["version"] = "2"
    assert score()[1]["new_scores"] == 6
    code, report, _ = gra_bench("report", str(folder), "--scorer", "close", "--json")
    assert code == 0
    assert [(r["judge"], r["judge_passes"], r["n"]) for r in report["results"]] == [
        ("grader:1", 1, 6),
        ("grader:1", 3, 6),
        ("grader:2", 3, 6),
    ]
    # Both versions were paid for.
    assert [r["judge_calls"] for r in report["results"]] == [6, 36, 18]


def test_a_daily_quota_of_the_judge_stops_scoring_and_it_can_go_on(
    run: Call, score: Call, sums: ModuleType
) -> None:
    run("--concurrency", "1")
    sums.BEHAVIOUR["judge_quota"] = {3}
    code, document, err = score("--concurrency", "1")
    assert code == 1 and "quota of the judge" in document["stopped"] and "goes on" in err
    assert (
        document["new_scores"] == 3 and document["unscored"] == 3 and document["results"][0]["pending"] == 3
    )
    assert document["unfinished"] == {
        "ratings": 1,
        "judge_calls": 1,
        "judge_usage": {**document["unfinished"]["judge_usage"], "input": 500},
    }
    sums.BEHAVIOUR.clear()
    before = len(sums.JUDGED)
    code, document, _ = score()
    assert code == 0 and document["results"][0]["scored"] == 6 and len(sums.JUDGED) - before == 9
    used = document["results"][0]["judge_usage"]["input"] + document["unfinished"]["judge_usage"]["input"]
    assert used == 500 * len(sums.JUDGED)


def test_ctrl_c_while_judging_keeps_scores_and_loses_no_usage(
    run: Call, score: Call, sums: ModuleType
) -> None:
    sums.BEHAVIOUR["judge_interrupts"] = {4}
    code, _, err = run("--judge", "grader:1", "--concurrency", "1")
    assert code == 1 and "--resume" in err
    sums.CALLS.clear()
    code, document, _ = run("--resume")
    row = by_scorer(document)["close"]
    assert code == 0 and sums.CALLS == [] and row["scored"] == 6
    # One pass of the fifth trial had been answered before the interrupt: its reply is used again, and counts once. The
    # request that the interrupt hit brought nothing.
    assert document["judge"]["unfinished"]["judge_calls"] == 0
    assert row["judge_calls"] == 18 == len(sums.JUDGED) - 1 and row["judge_usage"]["input"] == 18 * 500


@pytest.mark.parametrize("tail", [b"", b'{"rating": "half', b"\x00\xff"])
def test_a_torn_last_score_is_recognised(
    run: Call, score: Call, sums: ModuleType, folder: Path, tail: bytes
) -> None:
    run()
    score()
    lines = (folder / "scores.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "scores.jsonl").write_bytes(b"".join(lines[:-1]) + tail)
    sums.JUDGED.clear()
    code, document, _ = score()
    # The score is made again from the judge's replies, which are on record and not paid for again.
    assert code == 0 and sums.JUDGED == [] and document["results"][0]["scored"] == 6
    assert (
        document["unfinished"]["judge_calls"] == 0
        and document["results"][0]["judge_usage"]["input"] == 18 * 500
    )


def test_unreadable_grades_are_unscored_counted_and_shown_and_never_zero(
    run: Call, score: Call, sums: ModuleType, folder: Path, gra_bench: Call
) -> None:
    run()
    sums.BEHAVIOUR["judge_babbles"] = {1}
    code, document, err = score("--judge-passes", "1")
    row = document["results"][0]
    assert code == 1 and "1 trials have no score" in err
    assert (row["n"], row["scored"], row["unscored"], row["pending"], row["mean"]) == (6, 5, 1, 0, 0.5)
    # Five readable replies, and three attempts at the other one.
    assert row["judge_calls"] == 8
    code, text, _ = gra_bench("report", str(folder), "--format", "markdown")
    assert "1 unscored" in text and "close, grader:1 × 1" in text
    sums.BEHAVIOUR.clear()
    assert score("--judge-passes", "1")[1]["new_judge_calls"] == 0
    code, document, _ = score("--judge-passes", "1", "--retry-unscored")
    row = document["results"][0]
    assert code == 0 and row["scored"] == 6 and row["judge_calls"] == 9 and len(sums.JUDGED) == 9


def test_a_judge_that_is_down_is_asked_again_next_time(run: Call, score: Call, sums: ModuleType) -> None:
    run()
    sums.BEHAVIOUR["judge_down"] = {2}
    code, document, _ = score("--judge-passes", "1")
    assert code == 1 and document["unscored"] == 1 and not document["stopped"]
    sums.BEHAVIOUR.clear()
    code, document, _ = score("--judge-passes", "1")
    assert code == 0 and document["new_judge_calls"] == 1 and document["results"][0]["judge_calls"] == 7


def test_failed_trials_score_zero_and_are_not_judged(run: Call, sums: ModuleType) -> None:
    sums.BEHAVIOUR["fails"] = {4}
    code, document, _ = run("--judge", "grader:1", "--judge-passes", "1")
    row = by_scorer(document)["close"]
    # Five halves and a zero over six.
    assert (
        code == 1 and row["mean"] == pytest.approx(2.5 / 6) and row["scored"] == 6 and row["judge_calls"] == 5
    )


def test_repeats_are_judged_one_by_one(run: Call, sums: ModuleType) -> None:
    _, document, _ = run("--judge", "grader:1", "-r", "3", "--limit", "2")
    assert len(sums.JUDGED) == 2 * 3 * 3 and by_scorer(document)["close"]["repeats"] == 3


def test_another_deterministic_scorer(run: Call, score: Call, gra_bench: Call, folder: Path) -> None:
    run()
    # Answers 0, 2, 4, 6, 8 and 10: five of one digit.
    code, document, _ = score(scorer="length", judge=None)
    assert code == 0 and document["results"][0]["mean"] == pytest.approx(5.5 / 6)
    assert (document["judge"], document["passes"], document["new_judge_calls"]) == (None, 0, 0)
    _, report, _ = gra_bench("report", str(folder), "--json")
    assert {r["scorer"]: r["mean"] for r in report["results"]} == {
        "equal": 1.0,
        "length": pytest.approx(5.5 / 6),
    }


def test_a_newer_score_of_the_default_scorer_takes_its_place(run: Call, score: Call, folder: Path) -> None:
    run()
    results = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    (folder / "results.jsonl").write_text("".join(json.dumps(r | {"score": 0.0}) + "\n" for r in results))
    code, document, _ = score(scorer="equal", judge=None)
    assert code == 0 and len(document["results"]) == 1 and document["results"][0]["mean"] == 1.0


def test_a_run_is_scored_without_its_benchmark(
    run: Call, score: Call, sums: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The data may have changed under the same name since: what was asked is kept with the run."""
    run()
    monkeypatch.setattr(sums.Sums, "queries", lambda *a: 1 / 0)
    code, document, _ = score(scorer="equal", judge=None)
    assert code == 0 and document["results"][0]["mean"] == 1.0


def test_a_run_without_its_queries_is_told(run: Call, score: Call, folder: Path) -> None:
    run()
    (folder / "queries.jsonl").unlink()
    code, _, err = score()
    assert code == 2 and "sum-" in err and "queries.jsonl" in err


def test_a_benchmark_that_only_a_judge_scores(run: Call, score: Call, sums: ModuleType) -> None:
    sums.BEHAVIOUR["scorers"] = ()
    code, document, _ = run()
    row = document["results"][0]
    assert code == 0 and (row["scorer"], row["scored"], row["unscored"], row["mean"]) == (None, 0, 6, None)
    code, document, _ = score()
    assert code == 0 and [r["scorer"] for r in document["results"]] == ["close"]


def test_show_tells_of_scores(run: Call, gra_bench: Call, folder: Path) -> None:
    run("--judge", "grader:1", "--limit", "1")
    code, text, _ = gra_bench("show", str(folder), "sum-0")
    assert code == 0 and "close, grader:1 × 3: 0.5" in text
    code, document, _ = gra_bench("show", str(folder), "sum-0", "--json")
    assert len(document["scores"]) == 1 and len(document["judge_calls"]) == 3
    code, document, _ = gra_bench("show", str(folder), "--json")
    assert {r["scorer"] for r in document["results"]} == {"equal", "close"}


def test_a_second_process_is_refused(run: Call, score: Call, folder: Path) -> None:
    from gra_bench.store import RunStore

    run()
    store = RunStore.resume(folder)
    code, _, err = score()
    store.close()
    assert code == 2 and "another process" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--scorer", "closer"), ["unknown scorer 'closer'", "'close'"]),
        (("--scorer", "close"), ["--judge MODEL"]),
        (("--scorer", "equal", "--judge", "grader:1"), ["deterministic"]),
        (("--scorer", "close", "--judge", "graders"), ["unknown model 'graders'"]),
        (("--scorer", "close", "--judge", "grader:1", "--judge-passes", "0"), ["at least 1"]),
        (("--scorer", "close", "--judge", "grader:1", "-b", "cbgb"), ["cbgb"]),
        ((), ["--scorer"]),
    ],
)
def test_wrong_use_is_told(
    run: Call, gra_bench: Call, folder: Path, sums: ModuleType, arguments: tuple[str, ...], words: list[str]
) -> None:
    run()
    code, _, err = gra_bench("score", str(folder), *arguments)
    assert code == 2 and sums.JUDGED == []
    for word in words:
        assert word in err, err


def test_a_run_says_before_it_starts_what_is_wrong_with_its_judge(
    run: Call, folder: Path, sums: ModuleType
) -> None:
    for arguments, word in (
        (("--judge", "graders"), "graders"),
        (("--judge-passes", "2"), "--judge"),
        (("--judge", "judge-script:/no/such/file"), "/no/such/file"),
    ):
        code, _, err = run(*arguments)
        assert code == 2 and word in err and not folder.exists() and sums.CALLS == []


def test_report_of_a_scorer_that_did_not_score(run: Call, gra_bench: Call, folder: Path) -> None:
    run()
    code, _, err = gra_bench("report", str(folder), "--scorer", "close")
    assert code == 2 and "gra-bench score RUN --scorer close" in err


def test_autoraters_are_listed_with_the_scorers(gra_bench: Call) -> None:
    _, document, _ = gra_bench("list", "scorers", "--json")
    judged = {row["name"]: row["needs_judge"] for row in document["scorers"]}
    assert judged["blanks"] is False and judged["workflow-autorater"] is judged["answer-autorater"] is True


def test_a_scripted_judge_scores_without_a_key(run: Call, score: Call, tmp_path: Path) -> None:
    run()
    script = tmp_path / "judge.jsonl"
    script.write_text(
        '{"query": "sum-[0-2]", "replies": ["GRADE 1", "GRADE 0.5", "GRADE 0"]}\n{"replies": ["GRADE 1"]}\n'
    )
    code, document, _ = score(judge=f"judge-script:{script}")
    assert code == 0 and document["results"][0]["mean"] == pytest.approx(0.75)


def test_a_scorer_that_is_not_made_for_a_benchmark_says_so(
    run: Call, score: Call, sums: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    run()
    monkeypatch.setattr(sums, "read_grade", lambda reply: {}["x"])
    code, _, err = score()
    assert code == 2 and "close cannot score query sum-" in err and "Traceback" not in err


def test_prices_of_a_configuration_hold_for_the_judge_too(
    sums: ModuleType, gra_bench: Call, tmp_path: Path
) -> None:
    prices = """
[[prices]]
model = "grader:*"
tiers = [{ input = "2.0", output = "10.0" }]
"""
    (tmp_path / "priced.toml").write_text(f'name = "priced"\nextends = "plain"\n{prices}')
    code, document, _ = gra_bench(
        "run", "-b", "sums", "-c", str(tmp_path / "priced.toml"), "-m", "adder:1", "--run-dir", str(tmp_path / "r"),
        "--judge", "grader:1", "--json",
    )  # fmt: skip
    row = by_scorer(document)["close"]
    # 18 requests of 500 tokens in and 50 out, at 2 and 10 dollars a million.
    assert code == 0 and row["judge_cost_usd"] == pytest.approx(18 * (500 * 2 + 50 * 10) / 1e6)
    assert row["cost_usd"] is None


def test_keys_are_removed_from_what_a_judge_says(
    run: Call, score: Call, sums: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNTHETIC_API_KEY", "0.5000000001")
    sums.BEHAVIOUR["grade"] = "0.5000000001"
    run()
    assert score("--judge-passes", "1")[0] == 0
    assert b"0.5000000001" not in (folder / "judge.jsonl").read_bytes()
