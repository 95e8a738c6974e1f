"""The spans of a trial, seen by the SDK's in-memory exporter in an application that has set its own provider."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.trace import SpanKind, StatusCode

from gra_core import Event, Limits, Message, ModelError, ModelReply, ModelSettings, Usage
from gra_core.testing import PluginConformance, calls
from gra_otel import plugin
from gra_otel.names import PROVIDERS, provider_and_model

CONVENTION = {v for k, v in vars(gen_ai_attributes).items() if k.startswith("GEN_AI_") and isinstance(v, str)}
CONTENT = {
    "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result",
    "gen_ai.system_instructions",
}  # fmt: skip
SCRIPT: list[Any] = [
    calls(("load_skills", {"names": ["doubling"]})),
    calls(("double", {"number": 21})),
    "It is 42.",
]


class TestConformance(PluginConformance):
    plugin = "gra_otel.plugin"


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """The application's provider, as `opentelemetry.trace.get_tracer_provider` gives it."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    monkeypatch.setenv("GRA_OTEL", "1")
    yield exporter
    provider.shutdown()


def named(memory: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {s.name: s for s in memory.get_finished_spans()}


def of(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_a_trial_is_one_trace_of_agent_model_and_tools(
    memory: InMemorySpanExporter, trial: Callable[..., Any]
) -> None:
    record = trial(SCRIPT)
    assert record.outcome.answer == "It is 42."
    spans = memory.get_finished_spans()
    assert [s.name for s in spans] == [
        "chat scripted", "execute_tool load_skills", "chat scripted", "execute_tool double", "chat scripted", "invoke_agent tests",
    ]  # fmt: skip
    root = spans[-1]
    assert (
        root.parent is None and root.kind is SpanKind.INTERNAL and root.status.status_code is StatusCode.UNSET
    )
    assert all(s.parent and s.parent.span_id == root.context.span_id for s in spans[:-1])
    assert len({s.context.trace_id for s in spans}) == 1
    assert [s.kind for s in spans[:2]] == [SpanKind.CLIENT, SpanKind.INTERNAL]
    assert all(root.start_time <= s.start_time <= s.end_time <= root.end_time for s in spans)
    assert [e.name for e in root.events] == ["skills_loaded", "answered"]
    assert of(root)["gen_ai.operation.name"] == "invoke_agent" and of(root)["gra.status"] == "answered"


def test_attributes_have_the_names_of_the_conventions(
    memory: InMemorySpanExporter, trial: Callable[..., Any]
) -> None:
    trial(SCRIPT)
    for span in memory.get_finished_spans():
        unknown = {
            a for a in of(span) if a not in CONVENTION and not a.startswith("gra.") and a != "error.type"
        }
        assert not unknown, f"{span.name}: {unknown}"
    tool = of(named(memory)["execute_tool double"])
    assert tool == {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "double", "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call-0-double", "gra.tool.status": "ok",
    }  # fmt: skip


def test_tokens_are_counted_as_the_conventions_say(
    memory: InMemorySpanExporter, trial: Callable[..., Any]
) -> None:
    usages = (
        Usage(requests=1, input=70, cached=30, output=10, thinking=5, tool_use=2),
        Usage(requests=1, input=1, output=1),
    )
    reply = ModelReply(
        message=Message(role="model", text="42", thoughts="21 + 21"),
        requests=usages,
        model_version="scripted-002",
        waited_s=1.5,
    )
    trial([reply], model=ModelSettings(temperature=0.5, seed=7, max_output_tokens=100))
    chat, root = of(named(memory)["chat scripted"]), of(named(memory)["invoke_agent tests"])
    assert (
        chat["gen_ai.usage.input_tokens"] == 70 + 30 + 2 + 1
    )  # cached and built-in tools' tokens are input too
    assert chat["gen_ai.usage.output_tokens"] == 10 + 5 + 1  # reasoning is output too
    assert (
        chat["gen_ai.usage.cache_read.input_tokens"] == 30
        and chat["gen_ai.usage.reasoning.output_tokens"] == 5
    )
    assert chat["gra.requests"] == 2 and chat["gra.waited_s"] == 1.5
    assert (
        chat["gen_ai.request.temperature"],
        chat["gen_ai.request.seed"],
        chat["gen_ai.request.max_tokens"],
    ) == (0.5, 7, 100)
    assert chat["gen_ai.response.model"] == "scripted-002" and chat["gen_ai.response.finish_reasons"] == (
        "stop",
    )
    assert root["gen_ai.usage.input_tokens"] == 103 and root["gen_ai.usage.output_tokens"] == 16


def test_providers_are_named_as_the_conventions_name_them() -> None:
    known = {v.value for v in gen_ai_attributes.GenAiProviderNameValues}
    assert set(PROVIDERS.values()) <= known
    assert provider_and_model("gemini:gemini-3.8-flash") == ("gcp.gemini", "gemini-3.8-flash")
    assert provider_and_model("local:/models/a:b.gguf") == ("local", "/models/a:b.gguf")
    assert provider_and_model("oracle") == ("oracle", "oracle")


def test_content_stays_out_unless_it_is_asked_for(
    memory: InMemorySpanExporter, trial: Callable[..., Any]
) -> None:
    trial(
        [
            calls(("load_skills", {"names": ["doubling"]})),
            calls(("double", {"number": 13})),
            "The secret plan.",
        ],
        text="Tell me the secret plan.",
    )
    told = json.dumps([json.loads(s.to_json()) for s in memory.get_finished_spans()])
    assert "secret plan" not in told and "13" not in {
        v for s in memory.get_finished_spans() for v in map(str, of(s).values())
    }
    assert not {a for s in memory.get_finished_spans() for a in of(s)} & CONTENT


@pytest.mark.parametrize("asked", ["true", "SPAN_ONLY", "SPAN_AND_EVENT"])
def test_content_when_asked_for(
    memory: InMemorySpanExporter, trial: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", asked)
    trial(SCRIPT)
    spans = memory.get_finished_spans()
    tool = of(named(memory)["execute_tool double"])
    assert json.loads(tool["gen_ai.tool.call.arguments"]) == {"number": 21}
    assert json.loads(tool["gen_ai.tool.call.result"]) == {"status": "ok", "content": {"double": 42}}
    chats = [of(s) for s in spans if s.name == "chat scripted"]
    roles = [[m["role"] for m in json.loads(c["gen_ai.input.messages"])] for c in chats]
    assert roles == [["user"], ["tool"], ["tool"]]  # each call has what is new since the one before
    assert "twice 21" in chats[0]["gen_ai.input.messages"]
    (reply,) = json.loads(chats[1]["gen_ai.output.messages"])
    assert reply["finish_reason"] == "tool_call"
    assert reply["parts"] == [
        {"type": "tool_call", "id": "call-0-double", "name": "double", "arguments": {"number": 21}}
    ]
    (answer,) = json.loads(of(spans[-1])["gen_ai.output.messages"])
    assert answer["parts"][0]["content"] == "It is 42."


@pytest.mark.parametrize("asked", ["false", "NO_CONTENT", "EVENT_ONLY", ""])
def test_other_words_keep_content_out(
    memory: InMemorySpanExporter, trial: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", asked)
    trial(["42"])
    assert not {a for s in memory.get_finished_spans() for a in of(s)} & CONTENT


def test_errors_have_their_kind(memory: InMemorySpanExporter, trial: Callable[..., Any]) -> None:
    trial(
        [
            calls(("load_skills", {"names": ["doubling"]})),
            calls(("double", {"number": 13})),
            ModelError("quota", "slow down", requests=(Usage(requests=3, input=9),)),
        ]
    )
    spans = named(memory)
    assert of(spans["execute_tool double"])["error.type"] == "not_found"
    assert spans["execute_tool double"].status.status_code is StatusCode.ERROR
    failed = [s for s in memory.get_finished_spans() if s.name == "chat scripted"][-1]
    assert of(failed)["error.type"] == "quota" and of(failed)["gra.requests"] == 3
    root = spans["invoke_agent tests"]
    assert of(root)["error.type"] == "quota" and root.status.status_code is StatusCode.ERROR


def test_a_limit_ends_what_is_open(memory: InMemorySpanExporter, trial: Callable[..., Any]) -> None:
    over = threading.Event()
    trial([lambda request: over.wait(20)], limits=Limits(wall_clock_s=0.3))
    over.set()
    chat, root = memory.get_finished_spans()
    assert of(chat)["error.type"] == "wall_clock_s" and of(root)["error.type"] == "wall_clock_s"
    assert [e.name for e in root.events] == ["limit_struck"]
    assert (root.end_time - root.start_time) / 1e9 == pytest.approx(0.3, abs=2)


def test_planning_is_a_span_of_its_own(memory: InMemorySpanExporter) -> None:
    session = SimpleNamespace(
        configuration=SimpleNamespace(model=ModelSettings()), state={"gra-bench": ("t1", "a1")}
    )

    class Hashable(SimpleNamespace):
        __hash__ = object.__hash__

    context: Any = Hashable(**vars(session))
    outcome = {
        "status": "abstained", "answer": "", "reason": "no data", "message": "", "usage": {}, "tool_usage": {}, "model_calls": 1,
        "tools": {}, "tool_errors": 0, "skills": [], "waited_s": 0.0, "cost_usd": "0.25",
    }  # fmt: skip
    for seq, (kind, data) in enumerate([
        ("trial_started", {"prompt": "?", "model": "gemini:pro", "configuration": "gra", "best_effort": True, "rules": ["x"]}),
        ("stage_started", {"stage": "planning", "strategy": "upfront"}),
        ("model_called", {"call": 1, "declared_tools": 1}),
        ("model_replied", {"stop": "tool_calls", "requests": []}),
        ("plan_submitted", {"plan": {"steps": [{"goal": "not for eyes"}]}}),
        ("stage_started", {"stage": "execution", "strategy": "guided"}),
        ("trial_finished", {"outcome": outcome}),
        ("tool_returned", {"id": "late", "name": "x", "status": "ok", "output": {}}),
    ]):  # fmt: skip
        plugin.gra_event(Event(seq=seq, kind=kind, at="", elapsed_s=0.0, data=data), context)
    spans = named(memory)
    assert set(spans) == {"plan gra", "chat pro", "invoke_agent gra"}
    assert spans["chat pro"].parent.span_id == spans["plan gra"].context.span_id
    assert {of(s)["gen_ai.conversation.id"] for s in spans.values()} == {"t1"}
    root = of(spans["invoke_agent gra"])
    assert (
        root["gen_ai.provider.name"] == "gcp.gemini"
        and root["gra.cost_usd"] == 0.25
        and root["gra.attempt"] == "a1"
    )
    assert "not for eyes" not in spans["invoke_agent gra"].to_json()


def test_parallel_trials_do_not_mix(memory: InMemorySpanExporter, trial: Callable[..., Any]) -> None:
    threads = [threading.Thread(target=trial, args=(list(SCRIPT),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    traces: dict[int, list[str]] = {}
    for span in memory.get_finished_spans():
        traces.setdefault(span.context.trace_id, []).append(span.name)
    assert len(traces) == len(threads) and all(len(names) == 6 for names in traces.values())
