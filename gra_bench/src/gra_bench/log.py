"""Append-only files of JSON lines that survive a kill and a full disk.

A line is written as a whole or taken back; what a kill has torn is the last line at most, and is cut off when the file
is next opened. Values of secrets never get into a line.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gra_core.errors import RunStopped
from gra_core.secrets import redact, secret_values

CHUNK = 65536
_told: set[str] = set()


class StoreFull(RunStopped):
    """The run directory cannot be written: the disk is full, say. The run can be resumed once that is mended."""


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=True, separators=(",", ":"), default=str)


def cannot_write(path: Path, error: OSError) -> StoreFull:
    """The message for a failed write."""
    return StoreFull(
        f"cannot write {path}: {error.strerror or error}",
        hint="make room (or mend the disk), then give the command again: run with --resume",
    )


class Log:
    """One such file, open for appending. Methods may be called from any thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._secrets = secret_values()
        self._escaped = [json.dumps(secret)[1:-1] for secret in self._secrets]
        try:
            cut_torn_line(path)
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        except OSError as error:
            raise cannot_write(path, error) from error
        self._size = os.fstat(self._file).st_size
        self._dirty = self._closed = self._torn = False

    def encode(self, record: dict[str, Any]) -> bytes:
        """The line of a record. Any text is written, lone surrogates and NUL too (as JSON escapes)."""
        line = _line(record)
        if any(secret in line for secret in self._escaped):
            line = _line(redact(json.loads(line), self._secrets))
        return line.encode() + b"\n"

    def append(self, *records: dict[str, Any]) -> None:
        """Add lines; they survive a kill of the process. `StoreFull` leaves the file as it was."""
        self.write(b"".join(map(self.encode, records)))

    def write(self, lines: bytes) -> None:
        """Add encoded lines."""
        with self._lock:
            if self._closed:
                raise RunStopped(f"{self.path} is closed")
            try:
                if self._torn:
                    self._take_back()
                rest = memoryview(lines)
                while rest:
                    rest = rest[os.write(self._file, rest) :]
            except OSError as error:
                self._torn = True
                # Some file systems need room for that, too: then it is done before the next line.
                with contextlib.suppress(OSError):
                    self._take_back()
                raise cannot_write(self.path, error) from error
            self._size += len(lines)
            self._dirty = True

    def _take_back(self) -> None:
        os.ftruncate(self._file, self._size)
        self._torn = False

    def sync(self) -> None:
        """Everything appended so far survives a crash of the machine when this returns."""
        with self._lock:
            if not self._dirty or self._closed:
                return
            self._dirty = False
            file = os.dup(self._file)  # others may append meanwhile, or close
        try:
            os.fsync(file)
        except OSError as error:
            self._dirty = True
            raise cannot_write(self.path, error) from error
        finally:
            os.close(file)

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self._file)


def cut_torn_line(path: Path) -> None:
    """Cut what follows the last line feed: a record that a kill left half-written."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        position = size
        while position > 0:
            start = max(0, position - CHUNK)
            file.seek(start)
            found = file.read(position - start).rfind(b"\n")
            if found >= 0:
                position = start + found + 1
                break
            position = start
        if position < size:
            file.truncate(position)


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a log. A torn last line is left out; so is a damaged one, with a warning: its trial counts as not
    finished, and what it has paid for is on record elsewhere."""
    for _, line in whole_lines(path):
        if (record := parse(line, path)) is not None:
            yield record


def whole_lines(path: Path, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """Place and bytes of each line from a place on; what a writer has not finished is left for later."""
    if not path.exists():
        return
    with path.open("rb") as file:
        file.seek(start)
        for line in file:
            if line.endswith(b"\n"):
                yield start, line
            start += len(line)


def parse(line: bytes, path: Path) -> dict[str, Any] | None:
    """The record of a line; None, and a warning, when it is damaged."""
    try:
        record = json.loads(line.decode())
    except (ValueError, RecursionError):
        record = None
    if isinstance(record, dict):
        return record
    if (damage := f"{path}: a damaged line ({line[:40]!r}…) is left out") not in _told:
        _told.add(damage)
        logging.getLogger("gra_bench").warning(damage)
    return None


def write_json(path: Path, value: Any) -> None:
    """Write beside and rename: the file is whole and on disk, or not there."""
    new = path.with_name(path.name + ".new")
    try:
        with new.open("w", encoding="ascii") as file:
            json.dump(value, file, indent=1, ensure_ascii=True, default=str)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
        sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
        raise cannot_write(path, error) from error


def sync_folder(folder: Path) -> None:
    """The names in a folder survive a crash of the machine when this returns."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
