"""What the user allows: which sandbox with which limits, which folders may be read from and written to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import evolve

from gra_core import Sandbox, SandboxLimits, ToolContext, ToolError, load

# Seconds of a trial's time that a run in the sandbox leaves for what comes after it.
RESERVE_S = 2.0


def sandboxes(ctx: ToolContext) -> Mapping[str, Sandbox]:
    """The sandboxes of all active plugins."""
    return ctx.sources.registry.sandboxes


def limits(ctx: ToolContext, timeout_s: float) -> tuple[SandboxLimits, list[str]]:
    """Limits from the setting ``sandbox_limits`` (fields of `SandboxLimits`) with the time that is left, and notes."""
    allowed = load(dict(ctx.settings.get("sandbox_limits", {})), SandboxLimits, what="setting sandbox_limits")
    left = ctx.remaining_s - RESERVE_S
    if left < 1.0:
        raise ToolError(
            "timeout",
            "too little of the trial's time is left to run Python",
            hint="answer with what you have",
        )
    notes = (
        []
        if timeout_s <= left
        else [f"timeout_s was lowered from {timeout_s:g} to {left:.0f}, the time left"]
    )
    return evolve(allowed, timeout_s=min(timeout_s, left)), notes


def folders(ctx: ToolContext, setting: str) -> list[Path]:
    """The existing folders that a setting (``import_dirs``, ``export_dirs``) lists, links resolved."""
    value = ctx.settings.get(setting) or []
    named = [value] if isinstance(value, str) else value
    return [path.resolve() for path in map(at_home, named) if path.is_dir()]


def at_home(path: str) -> Path:
    """A path with ``~`` read as the home folder; where nobody is called so (``~nobody``), it is a name like any other."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def within(path: Path, allowed: list[Path]) -> bool:
    """Whether a resolved path lies in one of the folders."""
    return any(path.is_relative_to(folder) for folder in allowed)
