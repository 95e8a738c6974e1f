"""Fixtures: a loopback Gemini, and a client that speaks to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gra_core import (
    Clock,
    Message,
    ModelReply,
    ModelRequest,
    ModelSettings,
    ToolChoice,
    ToolDeclaration,
    TrialBrief,
)
from gra_model_gemini.plugin import gra_models
from gra_model_gemini.testing import GeminiServer

FAST = {"backoff_s": 0.01}


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GRA_BASE_URL_GEMINI", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("GOOGLE_GENAI_API_VERSION", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[GeminiServer]:
    with GeminiServer() as running:
        monkeypatch.setenv("GEMINI_API_KEY", running.key)
        monkeypatch.setenv("GRA_BASE_URL_GEMINI", running.url)
        yield running


@pytest.fixture
def open_model(server: GeminiServer) -> Iterator[Callable[..., Any]]:
    """Open a model by name; every client is closed at the end."""
    clients = []

    def open_it(model: str = "gemini-3.8-flash") -> Any:
        found = gra_models(f"gemini:{model}")
        assert found is not None
        clients.append(found.open(TrialBrief()))
        return clients[-1]

    yield open_it
    for client in clients:
        client.close()


@pytest.fixture
def ask(open_model: Callable[..., Any]) -> Callable[..., ModelReply]:
    """Ask a model: messages (or a text), tools by name, and settings."""

    def ask_it(
        messages: Any = "How many counties has Nebraska?",
        *,
        model: str = "gemini-3.8-flash",
        client: Any = None,
        tools: Any = (),
        system: str = "",
        choice: ToolChoice | None = None,
        clock: Clock | None = None,
        thinking: str | None = None,
        settings: dict[str, Any] | None = None,
        **extra: Any,
    ) -> ModelReply:
        if isinstance(messages, str):
            messages = (Message.user(messages),)
        request = ModelRequest(
            messages=tuple(messages),
            system=system,
            tools=tuple(declare(t) if isinstance(t, str) else t for t in tools),
            choice=choice or ToolChoice(),
            settings=ModelSettings(thinking=thinking, extra=FAST | extra, **(settings or {})),
        )
        return (client or open_model(model)).generate(request, clock or Clock())

    return ask_it


def declare(name: str, **properties: Any) -> ToolDeclaration:
    """A tool with one text parameter, unless others are given."""
    properties = properties or {"place": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return ToolDeclaration(name=name, description=f"the tool {name}", parameters=schema)
