"""Where spans go: to the application's own tracer provider, or over OTLP/HTTP from a thread of their own."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import time
from importlib.metadata import version

from opentelemetry import trace
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter

from gra_core.secrets import redact
from gra_otel.switch import ENDPOINTS, protocol

CLOSING_S, CLOSING_FAILING_S = 5.0, 0.5
SCOPE = "gra_otel"
_told: set[str] = set()


def warn(message: str) -> None:
    """Say something on stderr once in the life of the process, keys removed."""
    if message not in _told:
        _told.add(message)
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"gra-otel: {redact(message)}\n")


class FirstFault(logging.Handler):
    """Turns the SDK's warnings (one for each batch that cannot be sent) into a single line."""

    seen = False

    def emit(self, record: logging.LogRecord) -> None:
        if not self.seen:
            self.seen = True
            with contextlib.suppress(Exception):
                warn(f"spans may be lost, the run goes on: {record.getMessage()}")


class Exporter:
    """A tracer, and how to close what is behind it. `processor` is None when spans go to somebody else's provider."""

    def __init__(
        self,
        provider: trace.TracerProvider,
        processor: SpanProcessor | None = None,
        sender: SpanExporter | None = None,
        faults: FirstFault | None = None,
    ) -> None:
        self.tracer = provider.get_tracer(SCOPE, version("gra-otel"))
        self._processor, self._sender, self._faults = processor, sender, faults

    @classmethod
    def from_environment(cls) -> Exporter:
        """The application's provider when it has set one and no endpoint is given, else OTLP over HTTP."""
        current = trace.get_tracer_provider()
        if isinstance(current, TracerProvider) and not any(os.environ.get(name) for name in ENDPOINTS):
            return cls(current)
        if protocol() != "http/protobuf":
            warn(f"OTLP over {protocol()} is not supported, spans go over http/protobuf (usually port 4318)")
        return cls.over_http()

    @classmethod
    def over_http(cls) -> Exporter:
        """OTLP over HTTP as the OTEL_* variables say: endpoint, headers, time-out, batches, sampling, resource."""
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        faults, sender = _quiet(), OTLPSpanExporter()
        processor = BatchSpanProcessor(sender)
        # The environment's name goes before this default: attributes of the second resource win.
        resource = Resource({SERVICE_NAME: "gra-bench"}).merge(_named())
        provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        provider.add_span_processor(processor)
        return cls(provider, processor, sender, faults)

    def close(self, seconds: float = CLOSING_S) -> None:
        """Send what is queued; give up after `seconds` (sooner when the collector fails): the process must end."""
        if self._processor is None:
            return
        closing = threading.Thread(target=self._processor.shutdown, daemon=True, name="gra-otel-close")
        closing.start()
        ends = time.monotonic() + seconds
        while closing.is_alive() and time.monotonic() < ends:
            closing.join(CLOSING_FAILING_S)
            if closing.is_alive() and self._faults is not None and self._faults.seen:
                if self._sender is not None:
                    self._sender.shutdown()  # ends the wait between retries
                return closing.join(CLOSING_FAILING_S)
        if closing.is_alive():
            warn(f"the collector did not take the last spans within {seconds:g} s")


def _named() -> Resource:
    """The environment's resource, without the name that the SDK makes up when the environment has none."""
    made = Resource.create()
    attributes = dict(made.attributes)
    if str(attributes.get(SERVICE_NAME, "")).startswith("unknown_service"):
        del attributes[SERVICE_NAME]
    return Resource(attributes, made.schema_url)


def _quiet() -> FirstFault | None:
    """One line about lost spans in place of one for each batch, unless the application handles logs itself."""
    logger = logging.getLogger("opentelemetry")
    if logger.handlers or logging.getLogger().handlers:
        return None
    handler = FirstFault(logging.WARNING)
    logger.addHandler(handler)
    logger.propagate = False
    return handler
