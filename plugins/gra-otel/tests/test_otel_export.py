"""Export over OTLP/HTTP to a loopback collector, and what happens when there is none, or a bad one."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from gra_core.testing import calls
from gra_otel.switch import wanted
from gra_otel.tracing import tracing

SCRIPT: list[Any] = [
    calls(("load_skills", {"names": ["doubling"]})),
    calls(("double", {"number": 21})),
    "It is 42.",
]
SURROGATE = "half a pair \ud83d and a NUL \x00"


def values(attributes: Any) -> dict[str, Any]:
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in attributes}


def test_spans_reach_a_collector(
    collector: Any, trial: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=gra")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=tests")
    trial(SCRIPT)
    tracing().close()
    assert set(collector.paths) == {"/v1/traces"}
    assert (
        collector.headers[0]["content-type"] == "application/x-protobuf"
        and collector.headers[0]["x-tenant"] == "gra"
    )
    resource = values(collector.requests[0].resource_spans[0].resource.attributes)
    assert resource["service.name"] == "gra-bench" and resource["deployment.environment"] == "tests"
    assert collector.requests[0].resource_spans[0].scope_spans[0].scope.name == "gra_otel"
    by_name = {s.name: s for s in collector.spans}
    assert set(by_name) == {
        "invoke_agent tests",
        "chat scripted",
        "execute_tool load_skills",
        "execute_tool double",
    }
    assert len(collector.spans) == 6 and len({s.trace_id for s in collector.spans}) == 1
    chat = values(by_name["chat scripted"].attributes)
    assert chat["gen_ai.usage.input_tokens"] == 100 and chat["gen_ai.usage.output_tokens"] == 10


def test_service_name_of_the_environment(
    collector: Any, trial: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{collector.url}/mine")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "nightly")
    trial(["42"])
    tracing().close()
    assert set(collector.paths) == {"/mine"}
    assert values(collector.requests[0].resource_spans[0].resource.attributes)["service.name"] == "nightly"


def test_text_that_protobuf_cannot_hold(
    collector: Any, trial: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    trial([calls(("load_skills", {"names": [SURROGATE]})), SURROGATE], text=SURROGATE)
    tracing().close()
    assert len(collector.spans) == 4
    assert "half a pair" in values(collector.spans[-1].attributes)["gen_ai.input.messages"]


def test_keys_stay_out(collector: Any, trial: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "very-secret-key-1234")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    trial(
        [calls(("load_skills", {"names": ["very-secret-key-1234"]})), "very-secret-key-1234"],
        text="very-secret-key-1234?",
    )
    tracing().close()
    assert collector.spans and not any("very-secret" in str(s) for s in collector.spans)


@pytest.mark.parametrize("fault", ["refuses", "answers 500", "answers 400", "hangs"])
def test_a_bad_collector_neither_slows_nor_breaks_a_trial(
    collector: Any,
    trial: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    collector.hang, collector.answer = (
        fault == "hangs",
        {"answers 500": 500, "answers 400": 400}.get(fault, 200),
    )
    url = "http://127.0.0.1:9" if fault == "refuses" else collector.url
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
    trial(["warm"])  # imports
    started = time.monotonic()
    for _ in range(20):
        assert trial(list(SCRIPT)).outcome.status == "answered"
    assert time.monotonic() - started < 10  # no time-out of the exporter (10 s) is waited for
    started = time.monotonic()
    tracing().exporter.close(1.0)
    assert time.monotonic() - started < 5
    told = [line for line in capfd.readouterr().err.splitlines() if line.startswith("gra-otel:")]
    assert len(told) <= 2, told


def in_a_process(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OTEL_", "GRA_OTEL"))}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


EVENTS = """
import sys
from types import SimpleNamespace
from gra_core import Event, ModelSettings
from gra_otel.plugin import gra_event
class Session: pass
session = Session()
session.configuration, session.state = SimpleNamespace(model=ModelSettings()), {}
data = {"prompt": "?", "model": "oracle", "configuration": "gra", "best_effort": True}
gra_event(Event(seq=0, kind="trial_started", at="", elapsed_s=0.0, data=data), session)
print(sorted(m for m in sys.modules if m.startswith(("opentelemetry", "requests", "google"))))
"""


def test_nothing_is_imported_when_off() -> None:
    done = in_a_process(EVENTS)
    assert done.returncode == 0 and done.stdout.strip() == "[]", done


def test_a_trial_that_was_cut_off_is_sent_when_the_process_ends(collector: Any) -> None:
    done = in_a_process(EVENTS, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
    assert done.returncode == 0, done.stderr
    (span,) = collector.spans
    assert span.name == "invoke_agent gra" and values(span.attributes)["error.type"] == "interrupted"


def test_a_collector_that_is_not_there_is_not_waited_for() -> None:
    started = time.monotonic()
    done = in_a_process(EVENTS, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")
    assert done.returncode == 0 and "spans may be lost" in done.stderr and "did not take" not in done.stderr
    assert time.monotonic() - started < 20


def test_a_collector_that_hangs_does_not_keep_the_process(collector: Any) -> None:
    collector.hang = True
    started = time.monotonic()
    done = in_a_process(EVENTS, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
    assert done.returncode == 0 and time.monotonic() - started < 20, done.stderr
    assert "did not take the last spans" in done.stderr


@pytest.mark.parametrize(
    ("environment", "on"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, True),
        ({"GRA_OTEL": "1"}, True),
        ({"GRA_OTEL": "0", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, False),
        ({"OTEL_SDK_DISABLED": "true", "GRA_OTEL": "1"}, False),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, False),
    ],
)
def test_when_it_is_on(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], on: bool) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wanted() is on


def test_another_protocol_is_said_not_to_work(
    collector: Any,
    trial: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    trial(["42"])
    tracing().close()
    assert "OTLP over grpc is not supported" in capfd.readouterr().err and collector.spans
