"""Sandboxes: ways to run untrusted Python in a separate process without network, files or environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, Protocol

from attrs import field, frozen

from gra_core.errors import ToolError
from gra_core.lazy import load_object


@frozen(kw_only=True)
class SandboxLimits:
    """Bounds of one run: seconds of wall clock, bytes of memory, processes, bytes of captured output and files.

    `memory_bytes` bounds each process and all of them together, `disk_bytes` all files of the folder together.
    """

    timeout_s: float = 60.0
    memory_bytes: int = 2 << 30
    processes: int = 16
    output_bytes: int = 64 << 10
    disk_bytes: int = 1 << 30


@frozen(kw_only=True)
class SandboxJob:
    """A Python program to run with `folder` (existing, absolute) as its only writable place and working directory.

    `inputs` are files and folders that it may read, besides Python's own libraries. Its HOME is ``folder/home``
    and its temporary files go to ``folder/tmp``.
    """

    code: str
    folder: Path
    inputs: tuple[Path, ...] = ()
    limits: SandboxLimits = field(factory=SandboxLimits)


SandboxEnd = Literal["ok", "exception", "timeout", "memory", "processes", "disk", "killed"]


@frozen(kw_only=True)
class SandboxOutcome:
    """How a run ended, when none of its processes is left.

    `end` is ``ok`` for exit code 0, ``exception`` for another, ``killed`` when a signal that the sandbox did not
    send ended it, else the limit that struck. `output` is what it printed, cut in the middle to the limit, which
    `cut` says; `error` tells about the end in one line. Peaks are over all its processes together.
    """

    end: SandboxEnd
    output: str = ""
    error: str = ""
    cut: bool = False
    seconds: float = 0.0
    exit_code: int | None = None
    peak_memory_bytes: int = 0
    peak_processes: int = 0


class SandboxRunner(Protocol):
    """What a sandbox's `factory` returns."""

    def run(self, job: SandboxJob) -> SandboxOutcome:
        """Run a job to its end; `ToolError` ``not_available`` when the sandbox cannot be set up."""
        ...


@frozen(kw_only=True)
class Sandbox:
    """A declared sandbox. `probe` is ``"module:callable"`` returning an empty text when it works here, else why
    not; the highest `priority` that works is used. `isolating` is False only for running unprotected, which is
    never chosen unless it is named."""

    name: str
    title: str
    factory: str
    probe: str
    priority: int = 0
    isolating: bool = True

    def missing(self) -> str:
        probe: Callable[[], str] = load_object(self.probe)
        return probe()

    def open(self) -> SandboxRunner:
        return load_object(self.factory)()


def pick_sandbox(sandboxes: Mapping[str, Sandbox], name: str = "") -> Sandbox:
    """The named sandbox, or the isolating one of highest priority that works here.

    `ToolError` ``not_available`` says of each why it does not work; nothing unprotected is picked unnamed.
    """
    if name:
        if name not in sandboxes:
            known = ", ".join(sorted(sandboxes)) or "none"
            raise ToolError(
                "not_available", f"no plugin provides sandbox {name!r}", hint=f"sandboxes: {known}"
            )
        candidates = [sandboxes[name]]
    else:
        isolating = [s for s in sandboxes.values() if s.isolating]
        candidates = sorted(isolating, key=lambda s: (-s.priority, s.name))
    reasons = []
    for sandbox in candidates:
        if not (reason := sandbox.missing()):
            return sandbox
        reasons.append(f"{sandbox.name}: {reason}")
    raise ToolError(
        "not_available",
        f"no sandbox for Python works here ({'; '.join(reasons) or 'none is installed'})",
        hint="go on without running Python; the user can fix the cause, or allow unprotected code with --sandbox none",
    )
