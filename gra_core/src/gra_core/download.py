"""Files that others publish: fetched once, checked, kept in the cache, or given by the user.

Nothing is fetched when a module is imported or a benchmark is listed; only `PublishedFile.get` does it.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Any

from attrs import field, frozen

from gra_core.errors import UsageError

CHUNK = 1 << 16
AGENT = "gra-core/0.1"
# Another attempt makes sense after these only: the rest is answered the same a second later.
PASSING = (429, 500, 502, 503, 504)
ATTEMPTS = 3
LONGEST_WAIT_S = 10.0


class DownloadError(UsageError):
    """A file could not be fetched or kept; the hint says how to get it another way."""


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


def fetch(url: str, *, max_bytes: int, timeout_s: float = 60.0) -> bytes:
    """The body at an http or https address, in full, within a size and a time for all of it.

    Raises `DownloadError` without a hint: the caller knows what the file is for.
    """
    deadline = time.monotonic() + timeout_s
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _read(url, max_bytes, deadline)
        except urllib.error.HTTPError as error:
            wait = _wait(error, attempt)
            error.close()
            if error.code not in PASSING or attempt == ATTEMPTS or time.monotonic() + wait > deadline:
                raise DownloadError(f"{url} answered {error.code} {error.reason}") from error
            time.sleep(wait)
        except urllib.error.URLError as error:
            raise DownloadError(f"{url} cannot be reached: {error.reason}") from error
        except (HTTPException, OSError, ValueError) as error:
            raise DownloadError(f"{url} broke off: {type(error).__name__}: {error}") from error
    raise AssertionError("unreachable")


def _read(url: str, max_bytes: int, deadline: float) -> bytes:
    if not url.startswith(("http://", "https://")):
        raise DownloadError(f"{url!r} is not an http or https address")
    request = urllib.request.Request(url, headers={"User-Agent": AGENT})
    with urllib.request.urlopen(request, timeout=max(0.1, deadline - time.monotonic())) as reply:
        length = reply.headers.get("Content-Length", "")
        parts: list[bytes] = []
        size = 0
        while chunk := reply.read1(CHUNK):
            parts.append(chunk)
            size += len(chunk)
            if size > max_bytes:
                raise DownloadError(f"{url} is larger than {max_bytes:,} bytes")
            if time.monotonic() > deadline:
                raise DownloadError(f"{url} did not arrive in time")
        if length.isdigit() and size != int(length):
            raise DownloadError(f"{url} broke off after {size:,} of {int(length):,} bytes")
        return b"".join(parts)


def _wait(error: urllib.error.HTTPError, attempt: int) -> float:
    """Seconds before the next attempt: what the server asks for, at most `LONGEST_WAIT_S`."""
    asked = error.headers.get("Retry-After", "") if error.headers else ""
    return min(float(asked) if asked.isdigit() else 0.5 * 2**attempt, LONGEST_WAIT_S)


def keep(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, also when two processes do it at once."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(part, path)
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise DownloadError(
            f"cannot keep {path}: {error.strerror or error}",
            hint="set GRA_CACHE_DIR to a folder that can be written",
        ) from error


def get_whole(url: str, max_bytes: int) -> bytes:
    """The default way to fetch a published file: one request."""
    return fetch(url, max_bytes=max_bytes)


@frozen(kw_only=True)
class LocalFile:
    """A published file that is here: its bytes, where they were read, their SHA-256."""

    path: Path
    data: bytes
    sha256: str


@frozen(kw_only=True)
class PublishedFile:
    """A file that someone publishes and that this project does not ship.

    Looked for, in this order: the path in the environment variable `file_env`; the cache (`name` below `cache_dir`);
    `base_url` + `path`, where the environment variable `base_env` replaces `base_url`. `retrieve` makes the bytes from
    an address (several requests, if need be). `sha256` is checked when it is known; the one found is always reported.
    `page` is where a person finds the file, `advice` what else to tell someone who has to get it by hand.
    """

    title: str
    name: str
    file_env: str
    base_url: str = ""
    path: str = ""
    base_env: str = ""
    page: str = ""
    advice: str = ""
    sha256: str = ""
    max_bytes: int = 32 << 20
    retrieve: Callable[[str, int], bytes] = field(default=get_whole)

    @property
    def url(self) -> str:
        """The address that is fetched."""
        base = os.environ.get(self.base_env) or self.base_url
        return f"{base.rstrip('/')}/{self.path}" if base else ""

    @property
    def cached(self) -> Path:
        """Where the file is kept, and may be put by hand."""
        return cache_dir() / self.name

    @property
    def by_hand(self) -> str:
        """What to do where the file cannot be fetched."""
        source = self.page or self.url
        where = f"get it from {source}" if source else "get it from its publisher"
        kept = f"put it at {self.cached}, or " if self.path else ""
        return f"{where}, then {kept}set {self.file_env} to its path" + (
            f". {self.advice}" if self.advice else ""
        )

    def get(self, check: Callable[[LocalFile], Any]) -> LocalFile:
        """The file, fetched when it is not here. `check` reads it and raises `GraError` for one that will not do:
        an error page that came with status 200 must never stay in the cache."""
        if given := os.environ.get(self.file_env):
            found = self._read(Path(given).expanduser(), f"{self.file_env}={given}")
            check(found)
            return found
        if self.path and self.cached.is_file():
            found = self._read(self.cached, str(self.cached))
            self._check_sum(found)
            check(found)
            return found
        return self._fetch(check)

    def _fetch(self, check: Callable[[LocalFile], Any]) -> LocalFile:
        if not self.url:
            raise DownloadError(f"{self.title}: the file is not here", hint=self.by_hand)
        try:
            data = self.retrieve(self.url, self.max_bytes)
        except DownloadError as error:
            raise DownloadError(f"{self.title}: {error.message}", hint=self.by_hand) from error
        found = LocalFile(path=self.cached, data=data, sha256=hashlib.sha256(data).hexdigest())
        self._check_sum(found)
        check(found)
        keep(self.cached, data)
        return found

    def _read(self, path: Path, what: str) -> LocalFile:
        try:
            if path.stat().st_size > self.max_bytes:
                raise DownloadError(f"{what} is larger than {self.max_bytes:,} bytes", hint=self.by_hand)
            data = path.read_bytes()
        except OSError as error:
            reason = f"{what} cannot be read: {error.strerror}"
            raise DownloadError(f"{self.title}: {reason}", hint=self.by_hand) from error
        return LocalFile(path=path, data=data, sha256=hashlib.sha256(data).hexdigest())

    def _check_sum(self, found: LocalFile) -> None:
        if self.sha256 and found.sha256 != self.sha256:
            raise DownloadError(
                f"{self.title}: {found.path} has SHA-256 {found.sha256}, expected {self.sha256}",
                hint=f"the publisher changed the file, or it was damaged on the way; {self.by_hand}",
            )
