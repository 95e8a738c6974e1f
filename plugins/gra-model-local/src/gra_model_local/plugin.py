"""Hooks of the plugin; llama.cpp is loaded when a client is opened."""

from __future__ import annotations

from importlib.util import find_spec

from gra_core import Model, ModelClient, ModelFamily, TrialBrief, hookimpl
from gra_model_local.cache import models_dir
from gra_model_local.known import KNOWN
from gra_model_local.modelfile import fetching, find_model
from gra_model_local.options import EngineOptions

PREFIX = "local:"


@hookimpl
def gra_models(model_id: str) -> Model | None:
    """The model of ``local:FILE.gguf`` or ``local:<known name>``; its snapshot is the file's SHA-256."""
    if not model_id.startswith(PREFIX):
        return None
    file, options = find_model(model_id.removeprefix(PREFIX)), EngineOptions.of_environment()

    def open_client(brief: TrialBrief) -> ModelClient:
        from gra_model_local.client import LocalClient

        return LocalClient.open(model_id, file, options)

    return Model(id=model_id, open=open_client, snapshot=f"sha256:{file.sha256} {options.identity}".strip())


@hookimpl
def gra_model_families() -> list[ModelFamily]:
    """The prefix ``local:``."""
    return [
        ModelFamily(
            prefix="local",
            title="a GGUF file run in this process, no key needed",
            example="local:smollm2",
            missing=_missing,
        )
    ]


def _missing() -> list[str]:
    if find_spec("xllamacpp") is None:
        return ["install xllamacpp: pip install xllamacpp"]
    if any((models_dir() / model.file_name).is_file() for model in KNOWN.values()):
        return []
    return [f"run {fetching('smollm2')}, or name a file of yours: local:FILE.gguf"]
