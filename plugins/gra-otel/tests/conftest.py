"""Trials of a scripted model with one skill, and a loopback collector that speaks OTLP over HTTP."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from gra_core import Configuration, Executor, Limits, Skill, Tool, ToolContext, ToolError, hookimpl
from gra_core.coretools import CORE_TOOLS
from gra_core.loop import converse
from gra_core.session import Session
from gra_core.testing import ScriptedModel, registry_of, scripted_trial
from gra_core.trial import TrialRecord
from gra_otel import plugin, tracing
from gra_otel.exporter import _told


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine's, no tracing left by another test."""
    import os

    for name in [n for n in os.environ if n.startswith(("OTEL_", "GRA_OTEL"))]:
        monkeypatch.delenv(name)
    tracing._made.clear()
    _told.clear()


def double(ctx: ToolContext, number: int) -> dict[str, int]:
    """Double a number.

    Args:
        number: A number; 13 fails.
    """
    if number == 13:
        raise ToolError("not_found", "no double of 13 here", hint="take another")
    return {"double": 2 * number}


def loop(session: Session) -> str:
    tools = [CORE_TOOLS["load_skills"]]
    return converse(session, system=lambda: "Go on.", tools=lambda: tools + session.disclosed())


class Doubling:
    """A skill with one tool, and the plain loop."""

    def __init__(self, folder: Path) -> None:
        skill = folder / "doubling"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(
            "---\nname: doubling\ndescription: Doubles numbers, for tests.\n---\nDouble.\n"
        )
        self.skills = [Skill(folder=skill, tools=(Tool(handler=double, skill="doubling"),))]

    @hookimpl
    def gra_skills(self) -> list[Skill]:
        return self.skills

    @hookimpl
    def gra_executors(self) -> list[Executor]:
        return [Executor(name="loop", title="loop", function=loop)]


@pytest.fixture
def trial(tmp_path: Path) -> Callable[..., TrialRecord]:
    """Run a trial of scripted replies with the plugin active."""

    def run(
        replies: list[Any], *, limits: Limits | None = None, text: str = "What is twice 21?", **settings: Any
    ) -> TrialRecord:
        folder = tmp_path / uuid.uuid4().hex
        configuration = Configuration(
            name="tests", executor="loop", skills=("*",), limits=limits or Limits(), **settings
        )
        registry = registry_of(Doubling(folder), plugin)
        return scripted_trial(
            registry, configuration, ScriptedModel(replies), folder / "workspace", text=text
        )

    return run


class Collector:
    """Takes what is posted to it; `answer` is the status, `hang` makes it say nothing until the test ends."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.requests: list[ExportTraceServiceRequest] = []
        self.answer = 200
        self.hang = False
        self.over = threading.Event()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.paths.append(self.path)
                collector.headers.append({k.lower(): v for k, v in self.headers.items()})
                if collector.hang:
                    collector.over.wait(30)
                    return
                if collector.answer == 200:
                    collector.requests.append(ExportTraceServiceRequest.FromString(body))
                self.send_response(collector.answer)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def spans(self) -> list[Span]:
        return [
            s for r in self.requests for rs in r.resource_spans for ss in rs.scope_spans for s in ss.spans
        ]


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.over.set()
    made.server.shutdown()
    made.server.server_close()
