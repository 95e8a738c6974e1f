"""Trajectories: the ordered events of a trial."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Iterator
from typing import Any

from attrs import field, frozen

SCHEMA_VERSION = 1

# Event kinds and what their data holds; docs/trajectory.md has the table.
KINDS = (
    "trial_started", "stage_started", "model_called", "model_replied", "model_failed", "tool_called", "tool_returned",
    "skills_loaded", "plan_submitted", "plan_updated", "proxy_recorded", "abstained", "guidance_applied",
    "limit_struck", "answered", "trial_finished",
)  # fmt: skip


@frozen(kw_only=True)
class Event:
    """One event: `seq` counts from 0 within its trial, `at` is UTC, `elapsed_s` working seconds since the start."""

    seq: int
    kind: str
    at: str
    elapsed_s: float
    data: dict[str, Any] = field(factory=dict)


class Trajectory:
    """Collects events and hands each to `observe` (never letting an observer's fault through)."""

    def __init__(self, observe: Callable[[Event], None] | None = None) -> None:
        self.events: list[Event] = []
        self._observe = observe
        self._lock = threading.Lock()

    def add(self, kind: str, elapsed_s: float = 0.0, **data: Any) -> Event:
        """Append an event. `kind` must be one of `KINDS`."""
        if kind not in KINDS:
            raise ValueError(f"unknown event kind {kind!r}; known: {', '.join(KINDS)}")
        with self._lock:
            event = Event(
                seq=len(self.events), kind=kind, elapsed_s=round(elapsed_s, 6), data=data,
                at=dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds"),
            )  # fmt: skip
            self.events.append(event)
        if self._observe:
            self._observe(event)
        return event

    def of(self, *kinds: str) -> Iterator[Event]:
        """Events of some kinds, in order."""
        return (e for e in list(self.events) if e.kind in kinds)
