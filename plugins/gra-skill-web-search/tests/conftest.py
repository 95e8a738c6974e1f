"""Loopback servers that speak the wire formats of the live sources; what they say is synthetic."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from gra_core import Registry, ToolResult
from gra_core.testing import call_tool, registry_of
from gra_skill_web_search import plugin

KEY = "synthetic-key-0123456789"
VARIABLES = (
    "GOOGLE_API_KEY", "GEMINI_API_KEY", "GRA_BASE_URL_GEMINI", "GOOGLE_GEMINI_BASE_URL", "GRA_BASE_URL_GEMINI_SEARCH",
    "GRA_BASE_URL_GEMINI_MAPS", "GRA_BASE_URL_SEARXNG", "GOOGLE_GENAI_API_VERSION", "GOOGLE_GENAI_USE_VERTEXAI",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


class FakeGemini:
    """generateContent with grounding: the key is checked, replies are taken in order."""

    def __init__(self, server: HTTPServer) -> None:
        self.url = server.url_for("").rstrip("/")
        self.replies: list[Any] = []
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.delay_s = 0.0
        server.expect_request(re.compile(r"^/v1\w*/models/.*"), method="POST").respond_with_handler(
            self._answer
        )

    @property
    def body(self) -> dict[str, Any]:
        return self.requests[-1][1]

    def _answer(self, request: Request) -> Response:
        self.requests.append((request.path, camel(json.loads(request.data))))
        if request.headers.get("x-goog-api-key") != KEY:
            return self.refusal(403, "unregistered caller")
        reply = self.replies.pop(0)
        time.sleep(self.delay_s)
        return (
            reply
            if isinstance(reply, Response)
            else Response(json.dumps(reply), 200, content_type="application/json")
        )

    @staticmethod
    def refusal(code: int, message: str, *details: dict[str, Any]) -> Response:
        error = {"code": code, "message": message, "status": "X", "details": list(details)}
        return Response(json.dumps({"error": error}), code, content_type="application/json")

    @staticmethod
    def grounded(text: str, grounding: dict[str, Any] | None = None, finish: str = "STOP") -> dict[str, Any]:
        candidate: dict[str, Any] = {
            "content": {"role": "model", "parts": [{"text": "I think.", "thought": True}, {"text": text}]},
            "finishReason": finish,
        }
        counts = {
            "promptTokenCount": 100, "candidatesTokenCount": 30, "thoughtsTokenCount": 7, "toolUsePromptTokenCount": 900,
            "totalTokenCount": 1037,
        }  # fmt: skip
        return {
            "candidates": [candidate | ({"groundingMetadata": grounding} if grounding else {})],
            "usageMetadata": counts,
        }


def camel(value: Any) -> Any:
    if isinstance(value, list):
        return [camel(v) for v in value]
    if isinstance(value, dict):
        return {re.sub(r"_([a-z])", lambda m: m[1].upper(), k): camel(v) for k, v in value.items()}
    return value


@pytest.fixture
def gemini(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> FakeGemini:
    fake = FakeGemini(httpserver)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", fake.url)
    return fake


@pytest.fixture
def registry() -> Registry:
    return registry_of(plugin)


@pytest.fixture
def call(registry: Registry, tmp_path: Path) -> Callable[..., ToolResult]:
    """Call a tool as a trial would; `sources` are the ``[sources.NAME]`` tables, `settings` the configuration's.

    ``call.bills`` is what the tools put on the trial's bill.
    """
    trial = SimpleNamespace(bills=[])

    def call_it(
        name: str,
        *,
        sources: dict[str, Any] | None = None,
        settings: dict[str, Any] | None = None,
        **arguments: Any,
    ) -> ToolResult:
        quick = {n: {"backoff_s": 0.01} for n in ("gemini-search", "gemini-maps", "searxng")}
        given = {n: quick.get(n, {}) | (sources or {}).get(n, {}) for n in {*quick, *(sources or {})}}
        return call_tool(
            registry.tools[name],
            arguments,
            registry,
            tmp_path,
            sources=given,
            session=trial,
            **(settings or {}),
        )

    call_it.bills = trial.bills
    return call_it
