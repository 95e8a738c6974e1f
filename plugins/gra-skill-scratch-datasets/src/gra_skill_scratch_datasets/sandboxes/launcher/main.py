"""Start the worker, watch it, clean up after it, report. The plan comes as one line of JSON on standard input; when
that pipe closes, the agent is gone and everything is killed. Reports, a line of JSON each, go to the file descriptor
`plan["report"]`: the worker's process id, then how it ended."""

from __future__ import annotations

import json
import os
import select
import sys
import time
from typing import IO, Any

from gra_skill_scratch_datasets.sandboxes.launcher import processes
from gra_skill_scratch_datasets.sandboxes.launcher.usage import folder_bytes
from gra_skill_scratch_datasets.sandboxes.launcher.workers import WORKERS

TICK_S = 0.05
# Walking a folder of many files takes a while; it gets this share of the time.
DISK_SHARE = 0.1


class Watch:
    """The limits of the whole run. `struck()` names the one that was exceeded."""

    def __init__(self, plan: dict[str, Any], hidden: int) -> None:
        self.plan, self.hidden = plan, hidden
        self.started = time.monotonic()
        self.next_disk = 0.0
        self.peak_memory = self.peak_processes = 0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def struck(self) -> str:
        if self.seconds > self.plan["timeout_s"]:
            return "timeout"
        if _closed(sys.stdin.fileno()):
            return "abandoned"
        living = processes.descendants(os.getpid())
        if self._too_many(living):
            return "processes"
        if self._too_large(living):
            return "memory"
        return "disk" if self._too_full(living) else ""

    def _too_many(self, living: list[int]) -> bool:
        count = max(0, len(living) - self.hidden)
        self.peak_processes = max(self.peak_processes, count)
        return count > self.plan["processes"]

    def _too_large(self, living: list[int]) -> bool:
        used, allowed = processes.memory(living), self.plan["memory_bytes"]
        if used > allowed and len(living) > 1:
            used = processes.proportional_memory(living)
        self.peak_memory = max(self.peak_memory, used)
        return used > allowed

    def _too_full(self, living: list[int]) -> bool:
        begun = time.monotonic()
        if begun < self.next_disk:
            return False
        allowed = self.plan["disk_bytes"]
        used = folder_bytes(self.plan["folder"], allowed) + processes.unlinked_bytes(living)
        now = time.monotonic()
        self.next_disk = now + (now - begun) / DISK_SHARE
        return used > allowed


def _tell(report: IO[str], line: dict[str, Any]) -> None:
    report.write(json.dumps(line) + "\n")
    report.flush()


def _closed(descriptor: int) -> bool:
    ready, _, _ = select.select([descriptor], [], [], 0)
    return bool(ready) and not os.read(descriptor, 4096)


def supervise(plan: dict[str, Any], report: IO[str]) -> dict[str, Any]:
    """Run the worker to its end and leave no process behind."""
    processes.be_reaper()
    worker = WORKERS[plan["method"]](plan)
    _tell(report, {"worker": worker.process.pid})
    watch = Watch(plan, worker.hidden)
    struck, ending = "", None
    while ending is None and not struck:
        ending = worker.poll(min(TICK_S, 0.005 + watch.seconds / 10))
        struck = "" if ending else watch.struck()
    seconds = watch.seconds
    left = processes.kill_all(os.getpid())
    if ending is None:
        ending = worker.poll(5.0)
    over = not struck and folder_bytes(plan["folder"], plan["disk_bytes"]) > plan["disk_bytes"]
    return {
        "struck": "disk" if over else struck, "exit_code": ending.exit_code if ending else None,
        "signal": ending.signal if ending else None, "seconds": seconds, "left": left,
        "peak_memory_bytes": watch.peak_memory, "peak_processes": watch.peak_processes,
    }  # fmt: skip


def main() -> None:
    plan = json.loads(sys.stdin.readline())
    os.set_inheritable(plan["report"], False)
    report = os.fdopen(plan["report"], "w")
    sys.path.extend(p for p in plan["libraries"] if p not in sys.path)
    try:
        answer = supervise(plan, report)
    except Exception as error:
        answer = {"failed": f"{type(error).__name__}: {error}"}
        processes.kill_all(os.getpid())
    _tell(report, answer)
    # Threads of the sandbox's library may still wait for a process that cannot be reaped; nothing waits for them.
    sys.stdout.flush()
    os._exit(0)
