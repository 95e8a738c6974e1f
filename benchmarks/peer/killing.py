"""A run that is killed in the middle and goes on: what is asked twice, what is lost, and whether the account is complete."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peer.process import Finished, Process
from peer.sides import HERE, Side

DELAY_S = 0.2
AT_A_TIME = 8
# A reply this long before the kill is enough to have made a trivial trial finished.
GRACE_S = 1.0


@dataclass(kw_only=True)
class Account:
    """Counts over one kill or several. `finished`: trials whose reply had come `GRACE_S` before the kill; `lost`: those that
    the log does not show after it; `repeated`: calls that the resume makes for them; `also`: calls that it repeats of
    trials with a younger reply; `missing`: trials that are not in the final log; `paid` and `recorded`: tokens of all replies
    that had arrived somewhere, and those in the final log."""

    finished: int = 0
    lost: int = 0
    repeated: int = 0
    also: int = 0
    missing: int = 0
    paid: int = 0
    recorded: int = 0
    resume_s: float = 0.0


@contextmanager
def counting(env: dict[str, str]) -> Iterator[str]:
    """The address of a counting server in a process of its own."""
    command = [sys.executable, str(HERE / "counting.py"), str(DELAY_S)]
    server = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.wait()


def calls_of(url: str) -> list[list[Any]]:
    with urllib.request.urlopen(f"{url}/calls") as reply:  # no proxy: nobody has set one for this process
        return json.load(reply)


def kill_and_resume(side: Side, samples: int, after: int, folder: Path, account: Account, env: dict[str, str]) -> None:  # fmt: skip
    """Run, kill when `after` replies are out, read what is left, go on, and add what came of it to the account."""
    with counting(env) as url:
        _kill_after(side.trials(samples, folder, url, AT_A_TIME), url, after)
        killed = time.monotonic()
        before = calls_of(url)
        done = {n for n, _, at, _ in before if at and at <= killed - GRACE_S}
        left = set(side.read("finished", folder)["finished"])
        started = time.perf_counter()
        end = _ended(side.resume(folder, url, AT_A_TIME), side)
        account.resume_s += time.perf_counter() - started
        calls = calls_of(url)
    again = [n for n, asked, _, _ in calls if asked > killed]
    answered = {n for n, _, at, _ in before if at and at <= killed}
    account.finished += len(done)
    account.lost += len(done - left)
    account.repeated += sum(n in done for n in again)
    account.also += sum(n in answered - done for n in again)
    account.missing += samples - len(side.read("finished", folder)["finished"])
    account.paid += sum(tokens for _, asked, at, tokens in calls if at and (at <= killed or asked > killed))
    account.recorded += recorded(side, folder, end)


def _kill_after(process: Process, url: str, replies: int) -> None:
    while sum(bool(at) for _, _, at, _ in calls_of(url)) < replies:
        if not process.running():
            raise SystemExit(f"it ended before it could be killed:\n{process.wait().out[-3000:]}")
        time.sleep(0.05)
    process.kill()
    process.wait()


def _ended(process: Process, side: Side) -> Finished:
    done = process.wait()
    if done.code:
        raise SystemExit(f"{side.name}: the resume ended with {done.code}:\n{done.out[-3000:]}")
    return done


def recorded(side: Side, folder: Path, end: Finished) -> int:
    """All tokens that the finished run's own account has."""
    if side.name == "inspect_ai":
        return side.read("summary", folder)["tokens"]
    document = json.loads(end.out[end.out.index("{\n") :])
    parts = [row["usage"] for row in document["results"]] + [document["unfinished"]["usage"]]
    # A sum of nothing may have no counts.
    return sum(
        p.get(kind, 0) for p in parts for kind in ("input", "cached", "output", "thinking", "tool_use")
    )
