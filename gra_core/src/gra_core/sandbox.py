"""Sandboxes: ways to run untrusted Python in a separate process without network, files or environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

from attrs import field, frozen

from gra_core.lazy import load_object


@frozen(kw_only=True)
class SandboxLimits:
    """Bounds of one run: seconds of wall clock, bytes of memory, processes, bytes of captured output and files."""

    timeout_s: float = 60.0
    memory_bytes: int = 2 << 30
    processes: int = 16
    output_bytes: int = 64 << 10
    disk_bytes: int = 1 << 30


@frozen(kw_only=True)
class SandboxJob:
    """Code to run with `folder` as its only writable place; `inputs` are files it may read."""

    code: str
    folder: Path
    inputs: tuple[Path, ...] = ()
    limits: SandboxLimits = field(factory=SandboxLimits)


SandboxEnd = Literal["ok", "exception", "timeout", "memory", "processes", "disk", "killed"]


@frozen(kw_only=True)
class SandboxOutcome:
    """How a run ended. `output` is what it printed (cut to the limit, which `cut` says), `error` the traceback."""

    end: SandboxEnd
    output: str = ""
    error: str = ""
    cut: bool = False
    seconds: float = 0.0


class SandboxRunner(Protocol):
    """What a sandbox's `factory` returns."""

    def run(self, job: SandboxJob) -> SandboxOutcome: ...


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
