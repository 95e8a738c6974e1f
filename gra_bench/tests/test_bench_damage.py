"""Run directories that something else has damaged, or that are none; and what may change between two commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def run(gra_bench: Callable[..., Any], sums: ModuleType, tmp_path: Path) -> Callable[..., Any]:
    def call(*options: str) -> Any:
        first = () if "--resume" in options else ("-b", "sums", "-c", "plain", "-m", "adder:1")
        return gra_bench("run", *first, "--run-dir", str(tmp_path / "run"), "--json", *options)

    return call


@pytest.mark.parametrize("damage", [b"\x00\xff\x00\xff" * 5, b"\0" * 100, b"\xe2\x82", b'{"trial": 1}'])
@pytest.mark.parametrize("name", ["results.jsonl", "events.jsonl"])
def test_a_damaged_line_costs_no_more_than_itself(
    run: Callable[..., Any],
    sums: ModuleType,
    gra_bench: Callable[..., Any],
    tmp_path: Path,
    name: str,
    damage: bytes,
) -> None:
    run()
    path = tmp_path / "run" / name
    lines = path.read_bytes().splitlines(keepends=True)
    third = lines[2]
    lines[2] = third[:40] + damage + third[60:]
    path.write_bytes(b"".join(lines))
    (tmp_path / "run/index.sqlite").unlink()
    code, report, _ = gra_bench("report", str(tmp_path / "run"), "--format", "json", "--summary", "--json")
    assert code == 0 and report["results"][0]["n"] == (5 if name == "results.jsonl" else 6)
    sums.CALLS.clear()
    code, document, _ = run("--resume")
    # The trial is carried out again; its reply is on record in the events.
    assert code == 0 and document["results"][0]["n"] == 6 and sums.CALLS == []
    assert document["results"][0]["usage"]["input"] == 6000


@pytest.mark.parametrize("text", ["{}", "[]", '{"name": "a browser extension"}'])
def test_a_manifest_of_something_else_is_no_run(run: Callable[..., Any], tmp_path: Path, text: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/manifest.json").write_text(text)
    code, out, err = run("--resume")
    assert code == 2 and not out and "not a run directory" in err
    assert (tmp_path / "run/manifest.json").read_text() == text


def test_a_file_is_no_run_directory(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    code, _, err = run()
    assert code == 2 and "is a file" in err and (tmp_path / "run").read_text() == "mine"


def test_prices_may_change_and_count_from_then_on(
    gra_bench: Callable[..., Any], sums: ModuleType, priced: Callable[..., str], tmp_path: Path
) -> None:
    file, folder = priced(), ("--run-dir", str(tmp_path / "run"))
    sums.BEHAVIOUR["quota"] = {3}
    gra_bench("run", "-b", "sums", "-c", file, "-m", "adder:1", *folder, "--concurrency", "1", "--json")
    sums.BEHAVIOUR.clear()
    priced(input=20)
    code, document, _ = gra_bench("run", *folder, "--resume", "--json")
    # Three trials at 2 cents, three at 3 cents.
    assert code == 0 and document["results"][0]["cost_usd"] == pytest.approx(0.15)


def test_what_has_changed_is_named(
    gra_bench: Callable[..., Any], sums: ModuleType, priced: Callable[..., str], tmp_path: Path
) -> None:
    file, folder = priced(), ("--run-dir", str(tmp_path / "run"))
    gra_bench("run", "-b", "sums", "-c", file, "-m", "adder:1", *folder)
    priced(more="[limits]\nmodel_calls = 7")
    code, _, err = gra_bench("run", *folder, "--resume")
    assert code == 2 and "configurations.priced.configuration.limits.model_calls" in err


def test_an_interrupt_is_told_in_the_document(run: Callable[..., Any], sums: ModuleType) -> None:
    sums.BEHAVIOUR["interrupts"] = {4}
    code, document, err = run("--concurrency", "1")
    assert code == 1 and document["stopped"] == "interrupted" and "--resume" in err
    assert document["results"][0]["n"] == 4 and document["trials"] == 6


def test_tables_tell_what_is_beside_them(
    gra_bench: Callable[..., Any], run: Callable[..., Any], sums: ModuleType, tmp_path: Path
) -> None:
    sums.BEHAVIOUR["quota"] = {3}
    run("--concurrency", "1")
    for command in (("report", "--summary"), ("report", "--format", "markdown"), ("show",)):
        _, out, _ = gra_bench(command[0], str(tmp_path / "run"), *command[1:])
        assert "1 attempts were cut off: 1 model calls" in " ".join(out.split()), command
    events = [json.loads(line) for line in (tmp_path / "run/events.jsonl").read_text().splitlines()]
    # A kill while a call is on its way leaves the call without a reply.
    kept = [e for e in events if e["kind"] != "model_failed" or "quota" not in str(e["data"])]
    (tmp_path / "run/events.jsonl").write_text("".join(json.dumps(e) + "\n" for e in kept))
    _, out, _ = gra_bench("report", str(tmp_path / "run"), "--summary")
    assert "1 calls were on their way" in " ".join(out.split())
