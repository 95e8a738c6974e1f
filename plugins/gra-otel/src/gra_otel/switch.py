"""What the environment says about tracing."""

from __future__ import annotations

import os

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
# The first two are older spellings that are still in use.
CAPTURING = ("true", "1", "span_only", "span_and_event")


def _set(name: str) -> str:
    return os.environ.get(name, "").strip().lower()


def wanted() -> bool:
    """Whether spans are to be made: an OTLP endpoint is set, or GRA_OTEL=1 asks for it, and nothing forbids it."""
    if _set("OTEL_SDK_DISABLED") == "true" or _set("OTEL_TRACES_EXPORTER") == "none":
        return False
    if switch := _set("GRA_OTEL"):
        return switch in ("1", "true", "on", "yes")
    return any(_set(name) for name in ENDPOINTS)


def protocol() -> str:
    """The OTLP protocol that the environment asks for; HTTP with protobuf when it says nothing."""
    return (
        _set("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or _set("OTEL_EXPORTER_OTLP_PROTOCOL") or "http/protobuf"
    )


def captures_content() -> bool:
    """Whether prompts, replies, tool arguments and results may go into spans."""
    return _set(CAPTURE) in CAPTURING
