"""Runs on disk: a manifest, an append-only event log, and results that can be read without it.

Format in docs/runs.md. A finished trial is on disk (fsync) before anybody is told of it; a torn last line, left by a
kill, is recognised and cut off.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from gra_core import Event, GraError, Query, UsageError, content_hash, dump, load

SCHEMA_VERSION = 1


class StoreFull(GraError):
    """The disk is full; the run can be resumed once there is room."""


class Log:
    """An append-only file of JSON lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        cut_torn_line(path)
        self._file: BinaryIO = path.open("ab")
        self._lock = threading.Lock()

    def append(self, record: dict[str, Any], *, durable: bool = False) -> None:
        """Add one line; with `durable` it is on disk when this returns."""
        line = json.dumps(record, ensure_ascii=True, separators=(",", ":"), default=str).encode() + b"\n"
        with self._lock:
            try:
                self._file.write(line)
                self._file.flush()
                if durable:
                    os.fsync(self._file.fileno())
            except OSError as error:
                raise StoreFull(
                    f"cannot write {self.path}: {error.strerror}",
                    hint="make room, then run again with --resume",
                ) from error

    def sync(self) -> None:
        """Everything appended so far is on disk when this returns."""
        with self._lock:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        with self._lock:
            self._file.close()


def cut_torn_line(path: Path) -> None:
    """Cut what follows the last line feed: a record that a kill left half-written."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        position = size
        while position > 0:
            start = max(0, position - 65536)
            file.seek(start)
            found = file.read(position - start).rfind(b"\n")
            if found >= 0:
                position = start + found + 1
                break
            position = start
        if position < size:
            file.truncate(position)


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a log; a torn last line is left out, any other broken line is an error."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield json.loads(line)
            except ValueError as error:
                raise UsageError(
                    f"{path}, line {number} is not JSON: {error}",
                    hint="the run directory was changed by hand",
                ) from error


class RunStore:
    """One run directory, opened for writing by one process at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock_file = (folder / "lock").open("a")
        try:
            fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(
                f"another process is writing to {folder}", hint="wait for it, or use another --run-dir"
            ) from None
        self.events = Log(folder / "events.jsonl")
        self.results = Log(folder / "results.jsonl")
        self.queries = Log(folder / "queries.jsonl")

    @classmethod
    def create(cls, folder: Path, manifest: dict[str, Any]) -> RunStore:
        """Start a run in a new (or empty) folder."""
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(
                f"{folder} is not empty", hint="use --resume to go on with it, or another --run-dir"
            )
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / "manifest.json", {"schema_version": SCHEMA_VERSION, **manifest})
        return cls(folder)

    @classmethod
    def resume(cls, folder: Path) -> RunStore:
        """Open an existing run."""
        read_manifest(folder)
        return cls(folder)

    def add_queries(self, queries: Iterable[Query]) -> None:
        """Keep queries with their references beside the results, so that the run can be scored without its benchmark."""
        known = set(read_queries(self.folder))
        for query in queries:
            if (name := content_hash([query])) not in known:
                known.add(name)
                self.queries.append({"hash": name, "query": dump(query)}, durable=False)
        self.queries.sync()

    def write_event(self, trial: str, attempt: str, event: Event) -> None:
        """Append an event; it survives a kill of the process, and a crash of the machine once its trial is finished."""
        self.events.append(
            {
                "trial": trial,
                "attempt": attempt,
                "seq": event.seq,
                "kind": event.kind,
                "at": event.at,
                "elapsed_s": event.elapsed_s,
                "data": event.data,
            }
        )

    def finish(self, result: dict[str, Any]) -> None:
        """Make a trial finished: its events, then its result, on disk."""
        self.events.sync()
        self.results.append({"schema_version": SCHEMA_VERSION, **result}, durable=True)

    def finished(self) -> dict[str, dict[str, Any]]:
        """Results by trial id; the last one counts."""
        return read_results(self.folder)

    def close(self) -> None:
        self.events.close()
        self.results.close()
        self.queries.close()
        self._lock_file.close()


def write_json(path: Path, value: Any) -> None:
    """Write beside and rename: the file is whole or not there."""
    new = path.with_name(path.name + ".new")
    with new.open("w", encoding="utf-8") as file:
        json.dump(value, file, indent=1, ensure_ascii=False, default=str)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run; `UsageError` when the folder is not one, or of a newer format."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{folder} is not a run directory: it has no manifest.json") from None
    except ValueError as error:
        raise UsageError(f"{folder}/manifest.json is not JSON: {error}") from error
    if manifest.get("schema_version", 0) > SCHEMA_VERSION:
        raise UsageError(
            f"{folder} was written by a newer version (schema {manifest['schema_version']})",
            hint="upgrade gra-bench",
        )
    return manifest


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """Results by trial id."""
    return {record["trial"]: record for record in read_lines(folder / "results.jsonl")}


def read_queries(folder: Path) -> dict[str, Query]:
    """The queries of a run by the hash of their content."""
    found = {r["hash"]: r["query"] for r in read_lines(folder / "queries.jsonl")}
    return {
        name: load(query, Query, what=f"query in {folder}/queries.jsonl") for name, query in found.items()
    }


def read_events(folder: Path, trial: str = "") -> Iterator[dict[str, Any]]:
    """Events of a run, or of one trial, in the order written."""
    return (e for e in read_lines(folder / "events.jsonl") if not trial or e["trial"] == trial)
