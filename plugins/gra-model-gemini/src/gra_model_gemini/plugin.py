"""The plugin: model ids ``gemini:<model>``."""

from __future__ import annotations

from gra_core import Model, ModelClient, ModelFamily, TrialBrief, UsageError, hookimpl
from gra_model_gemini.access import missing_key

PREFIX = "gemini"


@hookimpl
def gra_models(model_id: str) -> Model | None:
    prefix, colon, name = model_id.partition(":")
    if prefix != PREFIX or not colon:
        return None
    if not name.strip():
        raise UsageError(
            "model id 'gemini:' names no model", hint="write gemini:<model>, such as gemini:gemini-3.8-flash"
        )

    def open_client(_brief: TrialBrief) -> ModelClient:
        from gra_model_gemini.client import GeminiClient

        return GeminiClient.open(model_id)

    return Model(id=model_id, open=open_client)


@hookimpl
def gra_model_families() -> list[ModelFamily]:
    return [
        ModelFamily(
            prefix=PREFIX,
            title="Gemini (Google's Developer API)",
            example="gemini:gemini-3.8-flash",
            missing=missing_key,
        )
    ]
