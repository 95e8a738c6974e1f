"""Plugin: observes the events of trials. The OpenTelemetry SDK is imported when tracing is on, not before."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gra_core import hookimpl
from gra_otel.switch import wanted

if TYPE_CHECKING:
    from gra_core import Event
    from gra_core.session import Session


@hookimpl
def gra_event(event: Event, context: Session) -> None:
    """Hand the event to the tracing of this process, if the environment asks for one."""
    if event.kind == "trial_started":
        if not wanted() or context is None:
            return
    elif "gra_otel.tracing" not in sys.modules:  # no trial of this process is traced
        return
    from gra_otel.tracing import tracing

    tracing().observe(event, context)
