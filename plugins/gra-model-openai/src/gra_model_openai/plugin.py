"""Hooks of the plugin; the `openai` package is imported when a client is opened."""

from __future__ import annotations

from gra_core import Model, ModelClient, ModelFamily, TrialBrief, UsageError, hookimpl
from gra_model_openai.settings import Endpoint

PREFIX = "openai:"


@hookimpl
def gra_models(model_id: str) -> Model | None:
    """The model behind ``openai:<name>``; its snapshot is the server's address unless that is OpenAI's own."""
    if not model_id.startswith(PREFIX):
        return None
    name = model_id.removeprefix(PREFIX)
    if not name:
        raise UsageError(
            "model id 'openai:' names no model", hint="write openai:<model>, such as openai:gpt-5-mini"
        )

    def open_client(brief: TrialBrief) -> ModelClient:
        from gra_model_openai.client import OpenAIClient

        return OpenAIClient(model_id, name, Endpoint.ready())

    return Model(id=model_id, open=open_client, snapshot=Endpoint.of_environment().identity)


@hookimpl
def gra_model_families() -> list[ModelFamily]:
    """The prefix ``openai:``."""
    return [
        ModelFamily(
            prefix="openai",
            title="any OpenAI-compatible chat-completions server: hosted, Ollama, vLLM, llama.cpp",
            example="openai:<model>",
            missing=lambda: Endpoint.of_environment().missing(),
        )
    ]
