"""Commands as processes of their own: how long they take, and the most memory they hold."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A process that has ended. `peak_mb` is its peak resident memory in MB (2**20 bytes); `code` as a shell gives it,
    negative when a signal ended it."""

    seconds: float
    peak_mb: float
    code: int
    out: str


class Process:
    """A running command; its output goes to a file, so that no pipe holds it up."""

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> None:
        self.command = command
        self._out = (cwd / "output.txt").open("w+b")
        self._started = time.perf_counter()
        self._process = subprocess.Popen(
            command, env=dict(env), cwd=cwd, stdin=subprocess.DEVNULL, stdout=self._out, stderr=subprocess.STDOUT
        )  # fmt: skip

    def kill(self) -> None:
        """End it as `kill -9` does."""
        self._process.kill()

    def running(self) -> bool:
        return not os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)

    def wait(self) -> Finished:
        # wait4 tells of this one child; what the parent holds when it starts the child counts as the child's at first,
        # therefore this program must stay smaller than what it measures.
        _, status, usage = os.wait4(self._process.pid, 0)
        seconds = time.perf_counter() - self._started
        self._process.returncode = code = os.waitstatus_to_exitcode(status)
        self._out.seek(0)
        out = self._out.read().decode(errors="replace")
        self._out.close()
        return Finished(seconds=seconds, peak_mb=usage.ru_maxrss / 1024, code=code, out=out)


def run(command: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> Finished:
    """Run a command to its end; `SystemExit` with its output when it fails."""
    done = Process(command, env=env, cwd=cwd).wait()
    if done.code:
        raise SystemExit(f"{' '.join(map(str, command))}\nended with {done.code}:\n{done.out[-3000:]}")
    return done


def disk_mb(folder: Path) -> float:
    """What a folder takes on disk, blocks of files and folders, in MB (2**20 bytes)."""
    return sum(p.lstat().st_blocks * 512 for p in [folder, *folder.rglob("*")]) / 2**20
