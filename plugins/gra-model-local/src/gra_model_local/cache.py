"""Where fetched models are kept, and checksums that need not be computed twice."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

CHUNK = 1 << 20


def cache_dir() -> Path:
    """``$GRA_CACHE_DIR``, else the platform's cache folder for ``gra``."""
    if given := os.environ.get("GRA_CACHE_DIR"):
        return Path(given).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "gra"


def models_dir() -> Path:
    """The folder of fetched model files."""
    return cache_dir() / "models"


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file; remembered in the cache folder for as long as its size and time of change stay."""
    status = path.stat()
    key, stamp = str(path.resolve()), [status.st_mtime_ns, status.st_size]
    remembered = _remembered()
    if (entry := remembered.get(key)) and entry[:2] == stamp:
        return str(entry[2])
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    _remember(remembered | {key: [*stamp, digest.hexdigest()]})
    return digest.hexdigest()


def _remembered() -> dict[str, list[int | str]]:
    try:
        table = json.loads((cache_dir() / "checksums.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    valid = isinstance(table, dict) and all(isinstance(e, list) and len(e) == 3 for e in table.values())
    return table if valid else {}


def _remember(table: dict[str, list[int | str]]) -> None:
    """Best effort: a cache folder that cannot be written only costs the next run a second."""
    with suppress(OSError):
        cache_dir().mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=cache_dir(), prefix=".checksums-")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(table, stream)
        os.replace(name, cache_dir() / "checksums.json")
