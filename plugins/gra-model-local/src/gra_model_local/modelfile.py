"""From a model id to a file, and what identifies that file."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from gra_core import UnknownName, UsageError
from gra_model_local.cache import models_dir, sha256_of
from gra_model_local.known import KNOWN


@frozen(kw_only=True)
class ModelFile:
    """A model file that exists. `sha256` identifies it."""

    path: Path
    sha256: str


def find_model(name: str) -> ModelFile:
    """The file behind the part of a model id after ``local:``: a known model's name, or a path.

    `UsageError` when it is not there or is not what it was, with the command that fetches it.
    """
    if name in KNOWN:
        return _known(name)
    path = Path(name).expanduser()
    if path.is_file():
        return ModelFile(path=path.resolve(), sha256=sha256_of(path))
    if path.suffix.lower() == ".gguf" or len(path.parts) > 1:
        raise UsageError(
            f"there is no model file {path}",
            hint=f"give the path of a GGUF file, or fetch a known model: {', '.join(map(fetching, KNOWN))}",
        )
    raise UnknownName(
        "local model", name, KNOWN, install="give one of these or the path of a GGUF file: local:FILE.gguf"
    )


def fetching(name: str) -> str:
    """The command that fetches a known model."""
    return f"`gra-bench fetch-model {name}`"


def _known(name: str) -> ModelFile:
    model = KNOWN[name]
    path = models_dir() / model.file_name
    if not path.is_file():
        raise UsageError(
            f"model {name} is not on this machine: no {path}",
            hint=f"run {fetching(name)} ({model.size / 1e6:.0f} MB)",
        )
    if (found := sha256_of(path)) != model.sha256:
        raise UsageError(
            f"{path} is not the known model {name}: its SHA-256 is {found}, expected {model.sha256}",
            hint=f"run {fetching(name)} to replace it, or use the file as local:{path}",
        )
    return ModelFile(path=path, sha256=model.sha256)
