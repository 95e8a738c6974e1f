"""Runs: identity, durability, resume, failures in the denominator, usage complete."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gra_bench.store import read_events, read_results

RUN = ("run", "-b", "sums", "-c", "plain", "-m", "adder:1", "--json")


@pytest.fixture
def run(sums: ModuleType, gra_bench: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    def call(*more: str, folder: str = "run") -> tuple[int, Any, str]:
        return gra_bench(*RUN, "--run-dir", str(tmp_path / folder), *more)

    return call


def test_a_run_reports_scores_cost_and_usage(run: Callable[..., Any], tmp_path: Path) -> None:
    code, document, _ = run()
    row = document["results"][0]
    assert code == 0
    assert (row["n"], row["scored"], row["mean"], row["std"]) == (6, 6, 1.0, None)
    assert row["usage"]["input"] == 6000 and row["usage"]["requests"] == 6
    assert row["cost_usd"] is None and row["cost_unknown"] == 6
    assert document["dataset_hash"] and document["run_dir"] == str(tmp_path / "run")


def test_resuming_a_finished_run_calls_nothing(run: Callable[..., Any], sums: ModuleType) -> None:
    _, first, _ = run()
    sums.CALLS.clear()
    code, second, _ = run("--resume")
    assert code == 0 and sums.CALLS == []
    assert second["new_model_calls"] == 0 and second["results"] == first["results"]


def test_a_folder_that_is_not_empty_is_not_overwritten(run: Callable[..., Any], tmp_path: Path) -> None:
    run()
    code, _, err = run()
    assert code == 2 and "--resume" in err
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    code, _, err = run(folder="other")
    assert code == 2 and sorted(p.name for p in (tmp_path / "other").iterdir()) == ["notes.txt"]
    code, _, err = run("--resume", folder="other")
    assert code == 2 and "manifest.json" in err


def test_resuming_with_other_options_is_refused(run: Callable[..., Any]) -> None:
    run("--limit", "2")
    code, _, err = run("--resume", "--limit", "3")
    assert code == 2 and "limit" in err


def test_failures_score_zero_and_stay_in(run: Callable[..., Any], sums: ModuleType) -> None:
    # 6 queries, one failure: 5/6, never 5/5.
    sums.BEHAVIOUR["fails"] = {4}
    code, document, _ = run()
    row = document["results"][0]
    assert code == 1
    assert row["mean"] == pytest.approx(5 / 6) and row["failed"] == 1 and row["n"] == 6
    assert row["usage"]["requests"] == 6


def test_a_daily_quota_stops_the_run_and_it_can_go_on(
    run: Callable[..., Any], sums: ModuleType, tmp_path: Path
) -> None:
    sums.BEHAVIOUR["quota"] = {3}
    code, document, err = run("--concurrency", "1")
    assert code == 1 and "daily quota of 6" in document["stopped"] and "--resume" in err
    assert document["results"][0]["n"] == 3
    # The attempt that met the quota was billed: it is accounted for.
    assert document["unfinished"]["model_calls"] == 1 and document["unfinished"]["usage"]["input"] == 1000
    sums.BEHAVIOUR.clear()
    before = list(sums.CALLS)
    code, document, _ = run("--resume")
    assert code == 0 and document["results"][0]["mean"] == 1.0
    assert len(sums.CALLS) - len(before) == 3
    usage = document["results"][0]["usage"]["input"] + document["unfinished"]["usage"]["input"]
    assert usage == 1000 * len(sums.CALLS)


def test_the_quota_of_one_model_stops_only_that_model(
    gra_bench: Callable[..., Any], sums: ModuleType, tmp_path: Path
) -> None:
    sums.BEHAVIOUR |= {"quota": {2}, "quota_of": ["adder:1"]}
    code, document, err = gra_bench(
        "run", "-b", "sums", "-c", "plain", "-m", "adder:1", "-m", "adder:2", "--run-dir", str(tmp_path / "run"),
        "--concurrency", "1", "--json",
    )  # fmt: skip
    assert code == 1 and "daily quota of 6" in err
    assert {row["model"]: row["n"] for row in document["results"]} == {"adder:1": 2, "adder:2": 6}


def test_trials_whose_model_was_out_of_reach_are_tried_again_when_asked_for(
    run: Callable[..., Any], sums: ModuleType
) -> None:
    sums.BEHAVIOUR |= {"down": {1, 4}, "fails": {3}}
    code, document, _ = run()
    assert code == 1 and document["results"][0]["failed"] == 3
    sums.BEHAVIOUR.clear()
    sums.CALLS.clear()
    code, document, _ = run("--resume")
    assert code == 1 and sums.CALLS == [] and document["results"][0]["failed"] == 3
    code, document, _ = run("--resume", "--retry-failed")
    # What failed for another reason stays failed: it says something of the agent.
    assert code == 1 and len(sums.CALLS) == 2 and document["results"][0]["failed"] == 1
    assert document["results"][0]["mean"] == pytest.approx(5 / 6) and document["results"][0]["n"] == 6
    # What the first attempts have cost is still in the account.
    total = document["results"][0]["usage"]["input"] + document["unfinished"]["usage"]["input"]
    assert total == 8000 and document["unfinished"]["attempts"] == 2
    assert run("--retry-failed")[0] == 2


def test_a_resume_without_a_run_starts_it(run: Callable[..., Any], sums: ModuleType) -> None:
    code, document, err = run("--resume")
    assert code == 0 and document["new_trials"] == 6 and "started" in err
    sums.CALLS.clear()
    code, document, _ = run("--resume")
    assert code == 0 and document["new_trials"] == 0 and sums.CALLS == []


def test_changed_queries_under_the_same_name_keep_no_old_score(
    run: Callable[..., Any], sums: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, first, _ = run()
    sums.CALLS.clear()
    original = sums.Query

    def changed(**fields: Any) -> Any:
        return original(**(fields | {"text": fields["text"].replace("=", "equals")}))

    monkeypatch.setattr(sums, "Query", changed)
    code, _, err = run("--resume")
    assert code == 2 and "the queries changed" in err and "datasets.sums" in err and sums.CALLS == []
    _, second, _ = run(folder="new")
    assert len(sums.CALLS) == 6 and second["dataset_hash"] != first["dataset_hash"]


def test_a_run_does_not_go_on_with_other_plugins(
    run: Callable[..., Any], sums: ModuleType, tmp_path: Path
) -> None:
    run("--limit", "2")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    manifest["configurations"]["plain"]["plugins"][0]["version"] = "0.0.9"
    (tmp_path / "run" / "manifest.json").write_text(json.dumps(manifest))
    code, _, err = run("--resume")
    assert code == 2 and "plugins" in err


@pytest.mark.parametrize("tail", [b"", b'{"trial": "half', b"\x00\xff", b'{"trial": "x"}'])
def test_a_torn_last_record_is_recognised(
    run: Callable[..., Any], sums: ModuleType, tmp_path: Path, tail: bytes
) -> None:
    run()
    folder = tmp_path / "run"
    results = (folder / "results.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "results.jsonl").write_bytes(b"".join(results[:-1]) + tail)
    with (folder / "events.jsonl").open("ab") as file:
        file.write(tail)
    sums.CALLS.clear()
    code, document, _ = run("--resume")
    assert code == 0 and document["results"][0]["n"] == 6
    # The trial is carried out again, its reply is on record and not paid for again.
    assert document["new_trials"] == 1 and sums.CALLS == []
    assert document["results"][0]["usage"]["input"] == 6000 and document["unfinished"]["usage"]["input"] == 0
    assert len(read_results(folder)) == 6
    assert all(json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines())


def test_a_second_process_is_refused(run: Callable[..., Any], tmp_path: Path) -> None:
    from gra_bench.store import RunStore

    run()
    store = RunStore.resume(tmp_path / "run")
    code, _, err = run("--resume")
    store.close()
    assert code == 2 and "another process" in err
    assert run("--resume")[0] == 0


def test_repeats_are_trials_of_their_own(run: Callable[..., Any], sums: ModuleType) -> None:
    _, document, _ = run("-r", "3", "--limit", "2")
    row = document["results"][0]
    assert len(sums.CALLS) == 6 and row["repeats"] == 3 and row["std"] == 0.0


def test_events_carry_the_whole_trajectory(run: Callable[..., Any], tmp_path: Path) -> None:
    run("--limit", "1")
    events = list(read_events(tmp_path / "run"))
    assert [e["kind"] for e in events] == [
        "trial_started",
        "stage_started",
        "model_called",
        "model_replied",
        "answered",
        "trial_finished",
    ]
    assert [e["seq"] for e in events] == list(range(6))
    assert len({(e["trial"], e["attempt"]) for e in events}) == 1


def test_the_manifest_says_what_was_active(run: Callable[..., Any], tmp_path: Path) -> None:
    run("--limit", "1")
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    plugins = manifest["configurations"]["plain"]["plugins"]
    assert {"orchestration", "sums"} <= {p["name"] for p in plugins}
    assert all(p["version"] and p["distribution"] for p in plugins)
    assert manifest["schema_version"] == 1 and manifest["options"]["models"] == ["adder:1"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("-b", "sum"), ["unknown benchmark 'sum'", "'sums'"]),
        (("-c", "plane"), ["unknown configuration 'plane'", "'plain'"]),
        (("-c", "gone.toml"), ["gone.toml"]),
        (("-m", "oracel"), ["unknown model 'oracel'", "'oracle'"]),
        (("--no-plugin", "orchestrator"), ["unknown plugin", "'orchestration'"]),
        (("--source", "places"), ["KIND=NAME"]),
        (("--query", "sum-99"), ["unknown query sum-99"]),
        (("--repeats", "0"), ["--repeats"]),
        (("--no-plugin", "orchestration"), ["executor"]),
        (("--sandbox", "jail"), ["unknown sandbox 'jail'"]),
        (("--replay", "/no/such/folder"), ["no recording", "--record"]),
        (("--run-dir", "/proc/nothing/run"), ["/proc/nothing"]),
    ],
)
def test_wrong_use_is_told_and_nothing_is_written(
    sums: ModuleType, gra_bench: Callable[..., Any], tmp_path: Path, change: tuple[str, ...], words: list[str]
) -> None:
    code, out, err = gra_bench(
        "run", "-b", "sums", "-c", "plain", "-m", "adder:1", "--run-dir", str(tmp_path / "run"), *change
    )
    assert code == 2 and not out
    for word in words:
        assert word in err, err
    assert not (tmp_path / "run").exists()


def test_a_plugin_that_fails_is_an_error_inside_a_run(
    sums: ModuleType, gra_bench: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib.metadata import EntryPoint

    from gra_core import plugins

    found = plugins.discover()
    broken = EntryPoint(name="broken", value="no_such_module", group="gra.plugins")
    monkeypatch.setattr(plugins, "discover", lambda: [broken, *found])
    code, _, err = gra_bench(
        "run", "-b", "sums", "-c", "plain", "-m", "adder:1", "--run-dir", str(tmp_path / "run")
    )
    assert code == 2 and "broken" in err and "no_such_module" in err and not (tmp_path / "run").exists()
    code, _, err = gra_bench("list", "benchmarks")
    assert code == 0 and "broken" in err
    code, _, _ = gra_bench(
        "run",
        "-b",
        "sums",
        "-c",
        "plain",
        "-m",
        "adder:1",
        "--run-dir",
        str(tmp_path / "run"),
        "--no-plugin",
        "broken",
        "--limit",
        "1",
    )
    assert code == 0


def test_configurations_can_be_files_that_extend(
    sums: ModuleType, gra_bench: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\nextends = "other"\n[limits]\nmodel_calls = 1\n')
    code, document, _ = gra_bench(
        "run",
        "-b",
        "sums",
        "-c",
        str(tmp_path / "mine.toml"),
        "-m",
        "adder:1",
        "--run-dir",
        str(tmp_path / "run"),
        "--json",
    )
    assert code == 0 and document["results"][0]["configuration"] == "mine"
    (tmp_path / "bad.toml").write_text('name = "bad"\nexecuter = "reactive"\n')
    code, _, err = gra_bench(
        "run",
        "-b",
        "sums",
        "-c",
        str(tmp_path / "bad.toml"),
        "-m",
        "adder:1",
        "--run-dir",
        str(tmp_path / "r2"),
    )
    assert code == 2 and "executer" in err and "line 2" in err


def test_show_and_report_read_a_run(
    run: Callable[..., Any], gra_bench: Callable[..., Any], tmp_path: Path
) -> None:
    _, document, _ = run("-c", "other")
    folder = str(tmp_path / "run")
    code, shown, _ = gra_bench("show", folder, "--json")
    assert code == 0 and len(shown["trials"]) == 12 and shown["results"] == document["results"]
    trial = shown["trials"][0]["trial"]
    code, one, _ = gra_bench("show", folder, trial[:8], "--json")
    assert code == 0 and one["result"]["trial"] == trial and one["events"][0]["kind"] == "trial_started"
    code, _, err = gra_bench("show", folder, "sum-1")
    assert code == 2 and "several trials" in err
    code, text, _ = gra_bench("report", folder, "--format", "markdown", "--summary")
    assert code == 0 and text.count("\n| sums |") == 2
    code, report, _ = gra_bench("report", folder, "--json")
    assert code == 0 and report["results"] == document["results"]
    assert gra_bench("show", folder)[0] == gra_bench("report", folder)[0] == 0


def test_a_recorded_run_can_be_replayed(
    run: Callable[..., Any], gra_bench: Callable[..., Any], tmp_path: Path, sums: ModuleType
) -> None:
    sums.BEHAVIOUR["offset"] = 1
    run()
    sums.BEHAVIOUR.clear()
    sums.CALLS.clear()
    code, document, _ = gra_bench(
        "run",
        "-b",
        "sums",
        "-c",
        "plain",
        "-m",
        f"replay:{tmp_path / 'run'}",
        "--run-dir",
        str(tmp_path / "again"),
        "--json",
    )
    assert code == 0 and sums.CALLS == [] and document["results"][0]["mean"] == 0.0


def test_ctrl_c_keeps_what_is_finished(run: Callable[..., Any], sums: ModuleType, tmp_path: Path) -> None:
    sums.BEHAVIOUR["interrupts"] = {4}
    code, _, err = run("--concurrency", "1")
    assert code == 1 and "--resume" in err
    assert len(read_results(tmp_path / "run")) == 4
    sums.BEHAVIOUR.clear()
    code, document, _ = run("--resume")
    assert code == 0 and document["results"][0]["n"] == 6


def test_a_log_gets_a_line_of_progress_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    from gra_bench.runner import Progress
    from gra_bench.tables import ProgressLines

    progress = Progress(total=20_000, finished=7)
    result = {"outcome": {"cost_usd": "0.25"}}
    with ProgressLines(progress, every_s=0.0):
        progress.tell(result)
    with ProgressLines(progress):
        progress.tell(result)
    (line,) = capsys.readouterr().err.splitlines()
    assert "7 of 20000 trials, 0 failed, 0.25 USD" in line
