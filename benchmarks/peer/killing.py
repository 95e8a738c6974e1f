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
from peer.sides import HERE, TURNS, Side

DELAY_S = 0.2
AT_A_TIME = 8
# Between the last reply and the kill: all replies have come in, and nothing else has happened.
QUIET_S = 0.5


@dataclass(kw_only=True)
class Account:
    """Counts over one kill or several. `replies`: given before the kill; `finished`: trials that had all theirs; `lost`: finished
    ones that the log does not show after the kill; `repeated`: calls that the resume makes for them; `twice`: replies of
    unfinished trials that it asks for again; `missing`: trials that are not in the final log; `paid` and `recorded`: tokens of all
    replies that were given, and those in the final log."""

    replies: int = 0
    finished: int = 0
    lost: int = 0
    repeated: int = 0
    twice: int = 0
    missing: int = 0
    paid: int = 0
    recorded: int = 0


@contextmanager
def counting(replies: int, env: dict[str, str]) -> Iterator[str]:
    """The address of a counting server in a process of its own."""
    command = [sys.executable, str(HERE / "counting.py"), str(DELAY_S), str(replies)]
    server = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.wait()


def ask(url: str) -> Any:
    # Whatever proxy this process was started with, the server is on this machine.
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url) as reply:
        return json.load(reply)


def kill_and_resume(side: Side, samples: int, replies: int, folder: Path, account: Account, env: dict[str, str]) -> None:  # fmt: skip
    """Run, kill when `replies` are out and more are waited for, read what is left, go on, and add it to the account."""
    with counting(replies, env) as url:
        _kill_after(side.trials(samples, folder, url, AT_A_TIME), url, replies)
        before = ask(f"{url}/calls")
        left = set(side.read("finished", folder)["finished"])
        ask(f"{url}/release")
        end = _ended(side.resume(folder, url, AT_A_TIME), side)
        calls = ask(f"{url}/calls")
    given = {(number, turn) for number, turn, out, _ in before if out}
    finished = {number for number, turn in given if turn == TURNS - 1}
    again = [(number, turn) for number, turn, _, _ in calls[len(before) :]]
    account.replies += len(given)
    account.finished += len(finished)
    account.lost += len(finished - left)
    account.repeated += sum(number in finished for number, _ in again)
    account.twice += sum(call in given and call[0] not in finished for call in again)
    account.missing += samples - len(side.read("finished", folder)["finished"])
    account.paid += sum(tokens for _, _, out, tokens in calls if out)
    account.recorded += recorded(side, folder, end)


def _kill_after(process: Process, url: str, replies: int) -> None:
    while sum(out for _, _, out, _ in ask(f"{url}/calls")) < replies:
        if not process.running():
            raise SystemExit(f"it ended before it could be killed:\n{process.wait().out[-3000:]}")
        time.sleep(0.05)
    time.sleep(QUIET_S)
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
