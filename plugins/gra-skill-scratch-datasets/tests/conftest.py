"""Workspaces, contexts and sandboxes for the tests of this member."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gra_core import (
    Clock,
    Sandbox,
    SandboxJob,
    SandboxLimits,
    SandboxOutcome,
    Sources,
    ToolContext,
    Workspace,
)
from gra_core.testing import registry_of
from gra_geo.plugin import gra_formats
from gra_skill_scratch_datasets import plugin
from gra_skill_scratch_datasets.plugin import gra_sandboxes

SANDBOXES = {s.name: s for s in gra_sandboxes()}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "workspace", gra_formats())


@pytest.fixture
def context(workspace: Workspace) -> Callable[..., ToolContext]:
    """Make a context as a session would: `context(tool="run_python", sandbox="none")`."""

    def make(
        *, tool: str = "tool", seconds: float = float("inf"), call_id: str = "call-1", **settings: object
    ) -> ToolContext:
        return ToolContext(
            workspace=workspace,
            sources=Sources(registry_of(plugin)),
            clock=Clock(seconds),
            tool=tool,
            call_id=call_id,
            settings=dict(settings),
        )

    return make


@pytest.fixture(params=["sandlock", "bubblewrap"])
def isolating(request: pytest.FixtureRequest) -> Sandbox:
    """Each isolating sandbox that works here."""
    sandbox = SANDBOXES[request.param]
    if reason := sandbox.missing():
        pytest.skip(f"{sandbox.name}: {reason}")
    return sandbox


@pytest.fixture
def any_isolating() -> Sandbox:
    """The best isolating sandbox that works here."""
    for name in ("sandlock", "bubblewrap"):
        if not SANDBOXES[name].missing():
            return SANDBOXES[name]
    pytest.skip("no isolating sandbox works here")


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., SandboxOutcome]:
    """Run a program in a sandbox, in a folder of its own below `tmp_path`."""

    def start(sandbox: Sandbox, code: str, **limits: float) -> SandboxOutcome:
        folder = tmp_path / "run"
        folder.mkdir(exist_ok=True)
        bounds = SandboxLimits(**{"timeout_s": 20.0, "memory_bytes": 400 << 20, **limits})  # type: ignore[arg-type]
        outcome = sandbox.open().run(SandboxJob(code=code, folder=folder, limits=bounds))
        assert remaining(folder) == []
        return outcome

    return start


def remaining(folder: Path) -> list[str]:
    """Command lines of processes that still belong to a run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            text = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if str(folder) in text and state not in "ZX":
            found.append(text)
    return found
