"""The three ways to start the worker. Each gives something with `poll()`: None, or how the worker ended."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from typing import Any, NamedTuple

from gra_skill_scratch_datasets.sandboxes.launcher.processes import drop_capabilities


class Ending(NamedTuple):
    """Exit code of the worker, or the signal that killed it."""

    exit_code: int | None
    signal: int | None


class SandlockWorker:
    """Landlock for files and signals, seccomp for system calls, a supervisor thread that counts processes."""

    hidden = 0

    def __init__(self, plan: dict[str, Any]) -> None:
        import sandlock

        drop_capabilities()
        degraded = [sandlock.Protection[name] for name in plan["degraded"]]
        self.box = sandlock.Sandbox(
            fs_readable=plan["readable"], fs_writable=[plan["folder"], "/dev/null"], cwd=plan["folder"], clean_env=True,
            env=plan["environment"], max_processes=plan["processes"], allow_degraded=degraded,
        )  # fmt: skip
        null, inherit = sandlock.StdioMode.NULL, sandlock.StdioMode.INHERIT
        self.process = self.box.popen(plan["command"], stdin=null, stdout=inherit, stderr=inherit)
        self.ending: Ending | None = None
        self.done = threading.Event()
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        result = self.process.wait()
        killed = result.exit_code < 0
        number = result.signal if result.signal > 0 else int(signal.SIGKILL)
        self.ending = Ending(None, number) if killed else Ending(result.exit_code, None)
        self.done.set()

    def poll(self, within_s: float) -> Ending | None:
        self.done.wait(within_s)
        return self.ending


class PlainWorker:
    """A child process, unprotected."""

    hidden = 0

    def __init__(self, plan: dict[str, Any]) -> None:
        self.process = subprocess.Popen(
            self.command(plan),
            stdin=subprocess.DEVNULL,
            env=plan["environment"],
            cwd=plan["folder"],
            start_new_session=True,
        )

    def command(self, plan: dict[str, Any]) -> list[str]:
        return list(plan["command"])

    def poll(self, within_s: float) -> Ending | None:
        try:
            code = self.process.wait(within_s)
        except subprocess.TimeoutExpired:
            return None
        return Ending(None, -code) if code < 0 else Ending(code, None)


class BubblewrapWorker(PlainWorker):
    """Namespaces: a file system made of read-only pieces, no network, own process ids and users."""

    hidden = 2  # bubblewrap itself, outside and as first process inside

    def command(self, plan: dict[str, Any]) -> list[str]:
        options = [
            "--unshare-all",
            "--unshare-user",
            "--die-with-parent",
            "--new-session",
            "--cap-drop",
            "ALL",
        ]
        for path in plan["readable"]:
            options += _bind(path)
        options += ["--bind", plan["folder"], plan["folder"], "--chdir", plan["folder"], "--remount-ro", "/"]
        return [plan["bwrap"], *options, "--", *plan["command"]]

    def poll(self, within_s: float) -> Ending | None:
        ending = super().poll(within_s)
        if ending and ending.exit_code is not None and ending.exit_code > 128:
            return Ending(None, ending.exit_code - 128)  # how bubblewrap passes a signal on
        return ending


def _bind(path: str) -> list[str]:
    """Links stay links (Debian's /lib is one), devices stay devices, everything else is read only."""
    if os.path.islink(path):
        return ["--symlink", os.readlink(path), path]
    return ["--dev-bind" if path.startswith("/dev/") else "--ro-bind", path, path]


WORKERS: dict[str, type[SandlockWorker] | type[PlainWorker]] = {
    "sandlock": SandlockWorker,
    "bubblewrap": BubblewrapWorker,
    "none": PlainWorker,
}
