"""The agent's side of a run: start the launcher, hand it the plan, collect output and report."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from gra_core import SandboxJob, SandboxLimits, SandboxOutcome, ToolError
from gra_skill_scratch_datasets.sandboxes import layout
from gra_skill_scratch_datasets.sandboxes.output import Capture

# What the launcher may take on top of the job's time: its own start and the cleaning up.
GRACE_S = 30.0
BOOTSTRAP = "import sys; sys.path.insert(0, {!r}); from {}.sandboxes.launcher.main import main; main()"
PACKAGE = __name__.partition(".")[0]


class SupervisedRunner:
    """Runs jobs by one method of `launcher.workers`; `extra` are further entries of the launcher's plan."""

    def __init__(
        self, method: str, *, seal: bool, guard_signals: bool = False, max_processes: int = 0, **extra: Any
    ) -> None:
        self.method, self.seal, self.guard_signals = method, seal, guard_signals
        self.max_processes, self.extra = max_processes, extra

    def run(self, job: SandboxJob) -> SandboxOutcome:
        """Run a job; afterwards none of its processes is left."""
        folder = job.folder.resolve()
        for name in ("home", "tmp"):
            (folder / name).mkdir(exist_ok=True)
        self._write_job(folder, job)
        ours, theirs = os.pipe()
        try:
            process = self._start(theirs)
        finally:
            os.close(theirs)
        with process, os.fdopen(ours, "rb") as reports:
            assert process.stdin is not None and process.stdout is not None
            capture = Capture(process.stdout, job.limits.output_bytes)
            try:
                self._send(process, self._plan(folder, job, theirs))
                self._wait(process, job.limits.timeout_s + GRACE_S)
            finally:
                self._end(process)
            answer = _report(reports.read(1 << 20))
            text, cut = capture.finish()
            return _outcome(answer, job.limits, text, cut)

    def _write_job(self, folder: Path, job: SandboxJob) -> None:
        limits = job.limits
        data = {
            "code": job.code, "memory_bytes": limits.memory_bytes, "disk_bytes": limits.disk_bytes, "seal": self.seal,
            "processes": self._processes(limits), "guard_signals": self.guard_signals, "libraries": layout.libraries(),
            # A net below the watch: the kernel ends a worker whose launcher is gone.
            "cpu_s": int(limits.timeout_s * (os.cpu_count() or 1)) + 60,
        }  # fmt: skip
        (folder / ".job.json").write_text(json.dumps(data), encoding="utf-8")

    def _processes(self, limits: SandboxLimits) -> int:
        return min(limits.processes, self.max_processes) if self.max_processes else limits.processes

    def _plan(self, folder: Path, job: SandboxJob, report: int) -> dict[str, Any]:
        command = [
            layout.interpreter(),
            "-I",
            "-S",
            "-B",
            "-X",
            "utf8",
            str(layout.GUEST / "entry.py"),
            str(folder),
        ]
        limits = job.limits
        return self.extra | {
            "method": self.method, "folder": str(folder), "command": command, "report": report,
            "readable": [*layout.readable(), *(str(p.resolve()) for p in job.inputs)],
            "environment": layout.environment(folder), "libraries": layout.libraries(),
            "timeout_s": limits.timeout_s, "memory_bytes": limits.memory_bytes, "disk_bytes": limits.disk_bytes,
            "processes": self._processes(limits),
        }  # fmt: skip

    def _start(self, report: int) -> subprocess.Popen[bytes]:
        source = Path(__file__).resolve().parents[2]
        code = BOOTSTRAP.format(str(source), PACKAGE)
        return subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env={"LANG": "C.UTF-8"}, pass_fds=(report,), start_new_session=True,
        )  # fmt: skip

    def _send(self, process: subprocess.Popen[bytes], plan: dict[str, Any]) -> None:
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(plan).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass  # it died; its report, or the lack of one, tells

    def _wait(self, process: subprocess.Popen[bytes], within_s: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(within_s)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Closing its input makes a launcher that still runs kill its worker and leave."""
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(15.0)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


def _report(lines: bytes) -> dict[str, Any]:
    """What the launcher told, line by line. When it was ended before the last one, its worker is ended here."""
    answer: dict[str, Any] = {}
    for line in lines.splitlines():
        answer |= json.loads(line)
    if "worker" in answer and not answer.keys() & {"struck", "failed"}:
        _kill_group(answer["worker"])
    return answer


def _outcome(answer: dict[str, Any], limits: SandboxLimits, text: str, cut: bool) -> SandboxOutcome:
    if answer.keys() == {"worker"}:
        return SandboxOutcome(
            end="killed", output=text, cut=cut, error="the process that watches it was ended"
        )
    if not answer:
        answer["failed"] = f"its launcher ended without a report: {text[-500:]}"
    if "failed" in answer:
        raise ToolError(
            "not_available",
            f"the sandbox could not be set up: {answer['failed']}",
            hint="go on without running Python",
        )
    common: dict[str, Any] = {
        "output": text, "cut": cut, "seconds": answer["seconds"], "exit_code": answer["exit_code"],
        "peak_memory_bytes": answer["peak_memory_bytes"], "peak_processes": answer["peak_processes"],
    }  # fmt: skip
    if answer["struck"]:
        end: Any = "killed" if answer["struck"] == "abandoned" else answer["struck"]
        return SandboxOutcome(end=end, error=_struck(answer["struck"], limits), **common)
    if answer["exit_code"] is None:
        number = answer["signal"] or 0
        name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
        return SandboxOutcome(end="killed", error=f"the process was ended by {name}", **common)
    if answer["exit_code"]:
        return SandboxOutcome(
            end="exception", error=f"the process ended with exit code {answer['exit_code']}", **common
        )
    return SandboxOutcome(end="ok", **common)


def _kill_group(pid: int) -> None:
    """Only code that runs unprotected can end its launcher; what it leaves behind is ended here."""
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def _struck(limit: str, limits: SandboxLimits) -> str:
    return {
        "timeout": f"not finished within {limits.timeout_s:g} s",
        "memory": f"more than {limits.memory_bytes >> 20} MB of memory",
        "processes": f"more than {limits.processes} processes",
        "disk": f"more than {limits.disk_bytes >> 20} MB, or too many files, in its folder",
        "abandoned": "stopped, since nobody waited for it any more",
    }[limit]
