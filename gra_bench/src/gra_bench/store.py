"""Runs on disk: a manifest, an append-only event log, and results that can be read without it.

Format in docs/runs.md. A finished trial is on disk (fsync) before anybody is told of it; trials that finish at the same
time share one fsync.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gra_bench.log import Log, StoreFull, cannot_write, read_lines, sync_folder, write_json
from gra_core import Event, GraError, Query, UsageError, content_hash, dump, load

SCHEMA_VERSION = 1
SYNC_EVERY_S = 1.0
# What an earlier start that was killed at once may have left behind.
LEFTOVERS = {"lock", "manifest.json.new"}


class RunStore:
    """One run directory, opened for writing by one process at a time."""

    def __init__(self, folder: Path, lock: Any = None) -> None:
        self.folder = folder
        self._lock_file = lock or _lock(folder)
        try:
            self.events = Log(folder / "events.jsonl")
            self.results = Log(folder / "results.jsonl")
            self.queries = Log(folder / "queries.jsonl")
            sync_folder(folder)
        except BaseException:
            self._lock_file.close()
            raise
        self._commits = threading.Condition()
        self._waiting: list[bytes] = []
        self._given = self._durable = 0
        self._busy = False
        self._closed = threading.Event()
        threading.Thread(target=self._sync_now_and_then, daemon=True, name="gra-sync").start()

    @classmethod
    def create(cls, folder: Path, manifest: dict[str, Any]) -> RunStore:
        """Start a run in a new (or empty) folder. `UsageError` when there is something in it."""
        _refuse_contents(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unusable(folder, error) from error
        lock = _lock(folder)
        try:
            _refuse_contents(folder)  # another process may have been faster
            write_json(folder / "manifest.json", {"schema_version": SCHEMA_VERSION, **manifest})
        except BaseException:
            lock.close()
            raise
        return cls(folder, lock)

    @classmethod
    def resume(cls, folder: Path) -> RunStore:
        """Open an existing run."""
        read_manifest(folder)
        return cls(folder)

    def add_queries(self, queries: Iterable[Query]) -> None:
        """Keep queries with their references beside the results, so that the run can be scored without its benchmark."""
        known = {record["hash"] for record in read_lines(self.folder / "queries.jsonl")}
        for query in queries:
            if (name := content_hash([query])) not in known:
                known.add(name)
                self.queries.append({"hash": name, "query": dump(query)})
        self.queries.sync()

    def write_event(self, trial: str, attempt: str, event: Event) -> None:
        """Append an event. It survives a kill of the process at once, and a crash of the machine when its trial is
        finished, or after `SYNC_EVERY_S`."""
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
        """Make a trial finished: its events, then its result, on disk when this returns.

        The first of several callers writes for all that came meanwhile.
        """
        line = self.results.encode({"schema_version": SCHEMA_VERSION, **result})
        with self._commits:
            self._waiting.append(line)
            self._given += 1
            mine = self._given
            self._commits.wait_for(lambda: self._durable >= mine or not self._busy)
            if self._durable >= mine:
                return
            lines, self._waiting = self._waiting, []
            last, self._busy = self._given, True
        try:
            self.events.sync()
            self.results.write(b"".join(lines))
            self.results.sync()
        except BaseException:
            with self._commits:
                self._waiting[:0] = lines  # whoever waits for them tries, and fails, for itself
                self._busy = False
                self._commits.notify_all()
            raise
        with self._commits:
            self._durable, self._busy = last, False
            self._commits.notify_all()

    def close(self) -> None:
        self._closed.set()
        for log in (self.events, self.results, self.queries):
            with contextlib.suppress(StoreFull):
                log.sync()
            log.close()
        self._lock_file.close()

    def _sync_now_and_then(self) -> None:
        while not self._closed.wait(SYNC_EVERY_S):
            with contextlib.suppress(StoreFull):  # the next write tells
                self.events.sync()


def holds_something(folder: Path) -> bool:
    """Whether a folder has anything in it but what a start that was killed at once leaves behind."""
    if not folder.exists():
        return False
    return not folder.is_dir() or any(p.name not in LEFTOVERS for p in folder.iterdir())


def _refuse_contents(folder: Path) -> None:
    if holds_something(folder):
        raise UsageError(f"{folder} is not empty", hint="use --resume to go on with it, or another --run-dir")


def _unusable(folder: Path, error: OSError) -> GraError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return cannot_write(folder, error)
    return UsageError(
        f"{folder} cannot be used: {error.strerror or error}",
        hint="give a --run-dir that you may write to",
    )


def _lock(folder: Path) -> Any:
    try:
        file = (folder / "lock").open("a")
    except OSError as error:
        raise _unusable(folder, error) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise UsageError(
            f"another process is writing to {folder}", hint="wait for it, or use another --run-dir"
        ) from None
    return file


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run; `UsageError` when the folder is not one, or of a newer format."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{folder} is not a run directory: it has no manifest.json") from None
    except ValueError as error:
        raise UsageError(f"{folder}/manifest.json is not JSON: {error}") from error
    if not isinstance(manifest, dict) or "options" not in manifest:
        raise UsageError(
            f"{folder} is not a run directory: its manifest.json is of something else",
            hint="give another --run-dir",
        )
    if manifest.get("schema_version", 0) > SCHEMA_VERSION:
        raise UsageError(
            f"{folder} was written by a newer version (schema {manifest['schema_version']})",
            hint="upgrade gra-bench",
        )
    return manifest


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """Results by trial id; the last one of a trial counts."""
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
