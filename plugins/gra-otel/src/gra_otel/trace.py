"""The spans of one trial, made from its events as they happen."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

from gra_otel.content import as_json, clean, model_message, tool_message, user_message
from gra_otel.names import finish_reason, provider_and_model, request_attributes, usage_attributes

if TYPE_CHECKING:
    from gra_core import Event
    from gra_core.session import Session

# Events that become events of the trial's span, with the data that holds no content.
MARKS = {
    "skills_loaded": ("names",),
    "plan_submitted": (),
    "plan_updated": ("step", "status"),
    "proxy_recorded": (),
    "abstained": (),
    "guidance_applied": ("rule", "tool"),
    "limit_struck": ("limit", "allowed", "used"),
    "answered": (),
}


class TrialTrace:
    """A trial's span and what hangs from it. With `content`, prompts, replies, arguments and results are in it."""

    def __init__(self, tracer: Tracer, event: Event, session: Session, *, content: bool) -> None:
        self._tracer, self._content = tracer, content
        self._lock = threading.Lock()
        self._model: Span | None = None
        self._plan: Span | None = None
        self._tools: dict[str, Span] = {}
        self._fresh: list[dict[str, Any]] = [user_message(event.data["prompt"])] if content else []
        self._provider, self._name = provider_and_model(event.data["model"])
        self._settings = request_attributes(session.configuration.model)
        self._agent = clean(event.data["configuration"])
        trial, attempt = (*session.state.get("gra-bench", ()), "", "")[:2]
        self._conversation = {"gen_ai.conversation.id": trial} if trial else {}
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": self._agent, **self._of_model(), **self._conversation,
            "gra.best_effort": bool(event.data["best_effort"]), "gra.guidance_rules": list(event.data.get("rules", ())),
        }  # fmt: skip
        if attempt:
            attributes |= {"gra.trial": trial, "gra.attempt": attempt}
        if content:
            attributes["gen_ai.input.messages"] = as_json(self._fresh)
        self._root = tracer.start_span(
            f"invoke_agent {self._agent}", kind=SpanKind.INTERNAL, attributes=attributes
        )

    def _of_model(self) -> dict[str, Any]:
        return {"gen_ai.provider.name": self._provider, "gen_ai.request.model": clean(self._name)}

    def add(self, event: Event) -> None:
        """Take an event in; a trial's events may come from several threads."""
        handle = getattr(self, f"_on_{event.kind}", None)
        with self._lock:
            if handle:
                handle(event.data)
            if event.kind in MARKS:
                kept = {
                    f"gra.{key}": event.data[key]
                    for key in MARKS[event.kind]
                    if event.data.get(key) is not None
                }
                self._root.add_event(event.kind, kept)

    def abandon(self) -> None:
        """End the spans of a trial that was cut off."""
        with self._lock:
            self._end_open("interrupted")
            _fail(self._root, "interrupted")
            self._root.end()

    # -- spans below the trial's -----------------------------------------------------------------------------------

    def _start(self, name: str, kind: SpanKind, attributes: dict[str, Any]) -> Span:
        context = set_span_in_context(self._plan or self._root)
        return self._tracer.start_span(
            clean(name), context, kind=kind, attributes=attributes | self._conversation
        )

    def _on_stage_started(self, data: dict[str, Any]) -> None:
        self._end_plan()
        if data["stage"] == "planning":
            attributes = {
                "gen_ai.operation.name": "plan",
                "gen_ai.agent.name": self._agent,
                "gra.planner": data["strategy"],
            }
            self._plan = self._start(f"plan {self._agent}", SpanKind.INTERNAL, attributes)
        else:
            self._root.set_attribute("gra.executor", data["strategy"])

    def _on_model_called(self, data: dict[str, Any]) -> None:
        self._end_model("unfinished")
        attributes = {
            "gen_ai.operation.name": "chat", **self._of_model(), **self._settings,
            "gra.call": data["call"], "gra.declared_tools": data.get("declared_tools", 0),
        }  # fmt: skip
        if self._content:
            attributes["gen_ai.input.messages"] = as_json(self._fresh)
        self._fresh = []
        self._model = self._start(f"chat {self._name}", SpanKind.CLIENT, attributes)

    def _on_model_replied(self, data: dict[str, Any]) -> None:
        span = self._model
        if span is None:
            return
        span.set_attribute("gen_ai.response.finish_reasons", [finish_reason(data["stop"])])
        if data.get("model_version"):
            span.set_attribute("gen_ai.response.model", clean(data["model_version"]))
        self._account(span, data)
        if self._content:
            span.set_attribute("gen_ai.output.messages", as_json([model_message(data)]))
        self._end_model()

    def _on_model_failed(self, data: dict[str, Any]) -> None:
        if self._model is not None:
            self._account(self._model, data)
            self._end_model(data["error"], data["message"] if self._content else "")

    def _on_tool_called(self, data: dict[str, Any]) -> None:
        attributes = {
            "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": clean(data["name"]),
            "gen_ai.tool.call.id": clean(data["id"]), "gen_ai.tool.type": "function",
        }  # fmt: skip
        if self._content:
            attributes["gen_ai.tool.call.arguments"] = as_json(data["arguments"])
        self._tools[data["id"]] = self._start(f"execute_tool {data['name']}", SpanKind.INTERNAL, attributes)

    def _on_tool_returned(self, data: dict[str, Any]) -> None:
        if self._content:
            self._fresh.append(tool_message(data))
        span = self._tools.pop(data["id"], None)
        if span is None:
            return
        span.set_attribute("gra.tool.status", data["status"])
        if self._content:
            span.set_attribute("gen_ai.tool.call.result", as_json(data["output"]))
        if data["status"] == "error":
            error = data["output"].get("error") or {}
            _fail(span, error.get("kind") or "_OTHER", error.get("message", "") if self._content else "")
        span.end()

    def _on_trial_finished(self, data: dict[str, Any]) -> None:
        outcome = data["outcome"]
        failed = outcome["status"] in ("failed", "limit")
        self._end_open(outcome["reason"] or "unfinished")
        root = self._root
        root.set_attributes(
            usage_attributes([outcome["usage"], outcome["tool_usage"]])
            | {
                "gra.status": outcome["status"], "gra.model_calls": outcome["model_calls"],
                "gra.tool_calls": sum(outcome["tools"].values()), "gra.tool_errors": outcome["tool_errors"],
                "gra.skills": [clean(name) for name in outcome["skills"]], "gra.waited_s": outcome["waited_s"],
            }
        )  # fmt: skip
        if outcome["cost_usd"] is not None:
            root.set_attribute("gra.cost_usd", float(outcome["cost_usd"]))
        if self._content:
            answer = {
                "role": "assistant",
                "parts": [{"type": "text", "content": outcome["answer"]}],
                "finish_reason": "stop",
            }
            root.set_attribute("gen_ai.output.messages", as_json([answer]))
        if failed:
            _fail(root, outcome["reason"] or "_OTHER", outcome["message"] if self._content else "")
        root.end()

    def _account(self, span: Span, data: dict[str, Any]) -> None:
        span.set_attributes(usage_attributes(data.get("requests", ())))
        if data.get("waited_s"):
            span.set_attribute("gra.waited_s", float(data["waited_s"]))

    # -- ends ------------------------------------------------------------------------------------------------------

    def _end_model(self, error: str = "", message: str = "") -> None:
        if self._model is not None:
            if error:
                _fail(self._model, error, message)
            self._model.end()
            self._model = None

    def _end_plan(self) -> None:
        if self._plan is not None:
            self._plan.end()
            self._plan = None

    def _end_open(self, error: str) -> None:
        """End what a limit or a cancelled trial left open."""
        self._end_model(error)
        for span in self._tools.values():
            _fail(span, error)
            span.end()
        self._tools.clear()
        self._end_plan()


def _fail(span: Span, error: str, message: str = "") -> None:
    span.set_attribute("error.type", clean(error))
    span.set_status(Status(StatusCode.ERROR, clean(message) or clean(error)))
