"""The tracing of this process: one exporter, and one trace for each trial that is under way."""

from __future__ import annotations

import atexit
import threading
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from gra_otel.exporter import Exporter, warn
from gra_otel.switch import captures_content
from gra_otel.trace import TrialTrace

if TYPE_CHECKING:
    from gra_core import Event
    from gra_core.session import Session


class Tracing:
    """Gives each event to its trial's trace. No fault gets out of here: it is told of once, and the run goes on."""

    def __init__(self, exporter: Exporter) -> None:
        self.exporter = exporter
        self._open: WeakKeyDictionary[Session, TrialTrace] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def observe(self, event: Event, session: Session) -> None:
        """Make, add to or end the spans of a trial."""
        try:
            self._observe(event, session)
        except Exception as error:
            warn(f"an event is not traced: {type(error).__name__}: {error}")

    def _observe(self, event: Event, session: Session) -> None:
        if event.kind == "trial_started":
            trace = TrialTrace(self.exporter.tracer, event, session, content=captures_content())
            with self._lock:
                self._open[session] = trace
            return
        with self._lock:
            found = self._open.get(session)
            if found and event.kind == "trial_finished":
                del self._open[session]
        if found:  # what a tool that was given up on still reports after its trial is left out
            found.add(event)

    def close(self) -> None:
        """End what is still open and send everything, within the exporter's time limit."""
        with self._lock:
            left = list(self._open.values())
            self._open.clear()
        for trace in left:
            trace.abandon()
        self.exporter.close()


_made: list[Tracing] = []
_making = threading.Lock()


def tracing() -> Tracing:
    """The tracing of this process, made on the first event."""
    with _making:  # trials start in parallel
        if not _made:
            _made.append(Tracing(Exporter.from_environment()))
            atexit.register(_made[0].close)
        return _made[0]
