"""The files of the atlas, what ``index.json`` says of them, and lazy values that are made once."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """A value made at the first call and kept; safe to call from several threads."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make, self._lock = make, threading.Lock()
        self._value: list[T] = []

    def __call__(self) -> T:
        if not self._value:
            with self._lock:
                if not self._value:
                    self._value.append(self._make())
        return self._value[0]


def data_file(name: str) -> Path:
    """The path of a file of the atlas, such as ``helsinki_streets.parquet``; `FileNotFoundError` lists what there is."""
    path = Path(str(files("gra_atlas"))) / "data" / name
    if not path.is_file():
        raise FileNotFoundError(f"the atlas has no file {name!r}; it has {', '.join(sorted(entries()))}")
    return path


@cache
def entries() -> dict[str, dict[str, Any]]:
    """File name to its entry in ``index.json``: title, source, licence, attribution, period, packages, checksum."""
    text = (Path(str(files("gra_atlas"))) / "data" / "index.json").read_text(encoding="utf-8")
    return {entry["file"]: entry for entry in json.loads(text)["files"]}


def snapshot(*names: str) -> str:
    """The version of some files together: 12 hex digits of the SHA-256 of their checksums."""
    return hashlib.sha256("".join(entries()[name]["sha256"] for name in names).encode()).hexdigest()[:12]


def joined(key: str, *names: str) -> str:
    """One field (licence, attribution…) of some files, each text once."""
    return "; ".join(dict.fromkeys(text for name in names if (text := entries()[name][key])))
