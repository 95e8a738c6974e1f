"""A run that is killed again and again: real processes, a real HTTP server that counts, no reply paid for twice, none lost.

Every trial makes three model calls with tools between them. Each reply has an identity and a usage that no other has, so
that what the run says it has used tells which replies are in it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

sys.path.insert(0, str(Path(__file__).parent))
from steps.command import Process, environment, gra_bench, lines, others
from steps.server import MODEL, StepServer

TRIALS, CALLS = 12, 3


@pytest.fixture(scope="module")
def one_server() -> Iterator[StepServer]:
    with StepServer() as server:  # its address is part of the model, and so of every trial's identity
        yield server


@pytest.fixture
def server(one_server: StepServer) -> StepServer:
    one_server.forget()
    return one_server


@pytest.fixture(scope="module")
def undisturbed(
    one_server: StepServer, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], float]:
    """What the same run finds out when nobody kills it, and how long it takes to its first request."""
    scratch = tmp_path_factory.mktemp("undisturbed")
    whole = Killed(server=one_server, folder=scratch / "run", scratch=scratch, concurrency=2)
    one_server.forget()
    began = time.monotonic()
    process = whole.start()
    one_server.wait_for(1, process.ended)
    seconds = time.monotonic() - began
    assert process.wait().code == 0
    return answers(whole.folder), seconds


@define(kw_only=True)
class Killed:
    """A run and what becomes of it from life to life."""

    server: StepServer
    folder: Path
    scratch: Path
    concurrency: int
    kills: Counter[str] = field(factory=Counter)
    finished: dict[str, str] = field(factory=dict)

    def start(self) -> Process:
        """The same command every time: it starts the run or goes on with it."""
        self.server.life += 1
        command = f"run -b steps -c steps -m {MODEL} --limit {TRIALS} --resume --json".split()
        options = ["--run-dir", str(self.folder), "--concurrency", str(self.concurrency), *others()]
        return Process([*command, *options], environment(self.scratch, self.server.url), self.scratch)

    def kill_while_starting(self, seconds: float) -> None:
        process = self.start()
        self.server.wait_for(len(self.server.asked) + 1, lambda: process.ended() or wait(seconds))
        self.killed("starting", process)

    def kill_after(self, requests: int, seconds: float) -> None:
        """Kill when so many more requests have come, and a moment later."""
        process = self.start()
        self.server.wait_for(len(self.server.asked) + requests, process.ended)
        time.sleep(seconds)
        self.killed("working", process)

    def killed(self, when: str, process: Process) -> None:
        """Kill it, and see what is left."""
        self.kills[when if process.kill() else "too late"] += 1
        process.wait()
        self.check_kept()

    def check_kept(self) -> None:
        """No finished trial is lost or changed, none is there twice, and the run can be read."""
        now = {record["trial"]: json.dumps(record) for record in lines(self.folder / "results.jsonl")}
        assert len(now) == len(lines(self.folder / "results.jsonl"))
        assert {trial: now.get(trial) for trial in self.finished} == self.finished
        self.finished = now
        read = gra_bench("report", str(self.folder), "--format", "json")
        if (self.folder / "manifest.json").exists():
            assert read.code == 0, read.err
            assert sum(row["n"] for row in read.document["results"]) == len(now)
        else:
            assert read.code == 2 and "manifest.json" in read.err

    def finish(self) -> Any:
        end = self.start().wait()
        assert end.code == 0, end.err
        self.check_kept()
        return end.document


def wait(seconds: float) -> bool:
    time.sleep(seconds)
    return True


def events_of(folder: Path, kind: str) -> list[dict[str, Any]]:
    return [e for e in lines(folder / "events.jsonl") if e["kind"] == kind]


def check_account(run: Killed, document: dict[str, Any]) -> int:
    """Everything that was paid for is in the account once. Returns how many requests went unanswered."""
    asked = {a.reply: a for a in run.server.asked}
    results = {record["trial"]: record for record in lines(run.folder / "results.jsonl")}
    assert len(results) == TRIALS and {r["score"] for r in results.values()} == {1.0}

    # A reply that was recorded is never asked for again.
    replies = events_of(run.folder, "model_replied")
    paid = [e["data"]["model_version"] for e in replies if "paid_by" not in e["data"]]
    assert len(paid) == len(set(paid)) and set(paid) <= set(asked)
    lives = Counter((a.number, a.step, a.life) for a in asked.values())
    assert set(lives.values()) == {1}
    recorded = Counter((asked[reply].number, asked[reply].step) for reply in paid)
    assert recorded == Counter({(n, s): 1 for n in range(1, TRIALS + 1) for s in range(CALLS)})
    last = {(a.number, a.step): a.reply for a in run.server.asked}
    assert set(last.values()) == set(paid)

    # The finished trials' account is that of the replies they were made of; the rest is unfinished.
    final = {(trial, r["attempt"]) for trial, r in results.items()}
    used = [e["data"]["model_version"] for e in replies if (e["trial"], e["attempt"]) in final]
    (row,), rest = document["results"], document["unfinished"]
    assert len(used) == row["model_calls"] == row["usage"]["requests"] == CALLS * TRIALS
    assert tokens(row["usage"]) == added(asked[reply].usage for reply in used)
    assert rest["model_calls"] == rest["usage"]["requests"] == len(set(paid) - set(used))
    assert tokens(rest["usage"]) == added(asked[reply].usage for reply in set(paid) - set(used))

    # So it is with tools that have bills: each call on record was made once, and used by whoever came after.
    walks = [e for e in events_of(run.folder, "tool_returned") if e["data"]["name"] == "walk"]
    bills = {e["data"]["bills"][0]["usage"]["input"] for e in walks if "paid_by" not in e["data"]}
    standing = {e["data"]["bills"][0]["usage"]["input"] for e in walks if (e["trial"], e["attempt"]) in final}
    assert len(bills) == len(standing) == row["tool_usage"]["searches"] == TRIALS
    assert bills == standing and rest["tool_usage"]["requests"] == 0
    assert row["tool_usage"]["input"] == sum(standing)

    # What the server was asked and the log has no reply to is told as unanswered.
    unanswered = rest["unanswered"]["model_calls"]
    missing = len(asked) - len(paid)
    assert missing <= unanswered <= missing + sum(run.kills.values()) * run.concurrency
    return unanswered


def tear(folder: Path, chance: random.Random) -> None:
    """Cut off the ends of a run's files, at most the half."""
    for name in ("results.jsonl", "events.jsonl"):
        size = (folder / name).stat().st_size
        os.truncate(folder / name, chance.randint(size // 2, size))


def tell(run: Killed, figures: str) -> None:
    print(f"\n{dict(run.kills)}, {len(run.server.asked)} requests, {figures}")  # noqa: T201


def tokens(usage: dict[str, Any]) -> tuple[int, int]:
    return usage["input"], usage["output"]


def added(usages: Any) -> tuple[int, int]:
    pairs = list(usages)
    return sum(prompt for prompt, _ in pairs), sum(output for _, output in pairs)


def answers(folder: Path) -> dict[str, Any]:
    """What a run found out, by query: nothing in it depends on when things happened."""
    kept = ("status", "answer", "model_calls", "tools", "tool_errors")
    return {
        r["query"]: (r["score"], {name: r["outcome"][name] for name in kept})
        for r in lines(folder / "results.jsonl")
    }


@pytest.mark.slow
@pytest.mark.parametrize(("concurrency", "kills"), [(1, 20), (8, 4)])
def test_a_run_that_is_killed_again_and_again(
    server: StepServer,
    undisturbed: tuple[dict[str, Any], float],
    tmp_path: Path,
    concurrency: int,
    kills: int,
) -> None:
    expected, starting = undisturbed
    chance = random.Random(f"crash {concurrency}")
    server.most_s = 0.03
    run = Killed(server=server, folder=tmp_path / "run", scratch=tmp_path, concurrency=concurrency)
    for number in range(kills):
        if number % 3 == 0:
            run.kill_while_starting(starting * chance.random())
        else:
            run.kill_after(chance.randint(1, TRIALS * CALLS // kills), chance.uniform(0, 0.03))
    document = run.finish()
    unanswered = check_account(run, document)
    assert answers(run.folder) == expected
    assert run.kills["working"] >= kills // 2
    tell(
        run,
        f"{TRIALS * CALLS} replies, {unanswered} unanswered, {document['unfinished']['attempts']} attempts cut off",
    )


@pytest.mark.slow
def test_a_call_that_waits_for_its_turn_was_never_made(server: StepServer, tmp_path: Path) -> None:
    run = Killed(server=server, folder=tmp_path / "run", scratch=tmp_path, concurrency=6)
    server.held.set()
    process = run.start()
    server.wait_for(2, process.ended)
    while not process.ended():
        begun = len(events_of(run.folder, "stage_started"))
        if begun == 6 and len(events_of(run.folder, "model_called")) == len(server.asked):
            break
        time.sleep(0.01)
    run.killed("working", process)
    server.held.clear()
    sent = len(server.asked)
    document = run.finish()
    assert 1 <= sent < 6
    assert document["unfinished"]["unanswered"]["model_calls"] == sent
    assert check_account(run, document) == sent


@pytest.mark.slow
def test_a_run_that_is_killed_and_loses_the_ends_of_its_files(
    server: StepServer, undisturbed: tuple[dict[str, Any], float], tmp_path: Path
) -> None:
    """As after a crash of the machine, and worse: any byte may be the last."""
    chance = random.Random("torn")
    server.most_s = 0.03
    run = Killed(server=server, folder=tmp_path / "run", scratch=tmp_path, concurrency=3)
    for _ in range(3):
        run.kill_after(chance.randint(6, 12), chance.uniform(0, 0.03))
        tear(run.folder, chance)
        left = {record["trial"] for record in lines(run.folder / "results.jsonl")}
        run.finished = {trial: line for trial, line in run.finished.items() if trial in left}
        run.check_kept()
    document = run.finish()
    assert answers(run.folder) == undisturbed[0]
    for name in ("results.jsonl", "events.jsonl"):
        assert (run.folder / name).read_bytes().endswith(b"\n")
    # Within a life nothing is asked twice, and what is on record counts once.
    asked = {a.reply: a for a in server.asked}
    assert set(Counter((a.number, a.step, a.life) for a in asked.values()).values()) == {1}
    paid = [
        e["data"]["model_version"]
        for e in events_of(run.folder, "model_replied")
        if "paid_by" not in e["data"]
    ]
    assert len(paid) == len(set(paid))
    (row,), rest = document["results"], document["unfinished"]
    counted = row["usage"]["requests"] + rest["usage"]["requests"]
    assert row["usage"]["requests"] == CALLS * TRIALS and len(paid) <= counted <= len(asked)
    tell(run, f"{len(paid)} replies on record, {counted} counted")
    for number in range(40):  # beside an index that knows more than is left
        copy = tmp_path / f"copy-{number}"
        shutil.copytree(run.folder, copy)
        tear(copy, chance)
        left = {record["trial"] for record in lines(copy / "results.jsonl")}
        read = gra_bench("report", str(copy), "--format", "json")
        assert read.code == 0 and sum(row["n"] for row in read.document["results"]) == len(left)
        shown = gra_bench("show", str(copy), "--json")
        assert {trial["trial"] for trial in shown.document["trials"]} == left
        trial = chance.choice(sorted(left))
        whole = [e for e in lines(copy / "events.jsonl") if e["trial"] == trial]
        found = gra_bench("show", str(copy), trial, "--json").document
        assert found["events"] == [e for e in whole if e["attempt"] == found["result"]["attempt"]]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_run_at_once_and_it_goes_on(server: StepServer, tmp_path: Path, number: int) -> None:
    run = Killed(server=server, folder=tmp_path / "run", scratch=tmp_path, concurrency=4)
    # Of 14 replies two trials at least come to their end, then the model says nothing more.
    server.free = 14
    process = run.start()
    server.wait_for(server.free + 1, process.ended)
    while (len(lines(run.folder / "results.jsonl")) < 2 or server.answered < 14) and not process.ended():
        time.sleep(0.01)
    before = server.answered
    process.signal(number)
    end = process.wait()
    # It has not waited for a reply: none has been given since.
    assert (server.answered, end.code) == (before, 1)
    assert "Traceback" not in end.err and "Fatal" not in end.err, end.err
    assert f"gra-bench run --run-dir {run.folder} --resume" in end.err
    run.check_kept()
    assert 2 <= len(run.finished) < TRIALS
    server.free = None
    check_account(run, run.finish())
