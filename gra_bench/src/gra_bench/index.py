"""An index beside a run: its summary and one short row a trial without reading all results, and where in the event log
each trial stands. It is a cache: made when it is missed, extended when the run has grown, made anew when the files are
other ones, and safe to delete."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from gra_bench.log import parse, whole_lines
from gra_bench.row import ShortRows
from gra_bench.scores import Views, read_scores
from gra_bench.store import read_manifest
from gra_bench.summary import summarize

FILE = "index.sqlite"
START = re.compile(rb'\{(?:"schema_version":\d+,)?"trial":"([^"\\]*)","attempt":"([^"\\]*)"')
VERSION = 1
SAMPLE = 4096
TABLES = """
create table if not exists meta (name text primary key, value text) without rowid;
create table if not exists trials (trial text primary key, place int, length int, row text);
create table if not exists attempts (number integer primary key, trial text, attempt text, unique (trial, attempt));
create table if not exists spans (number int, place int, length int, primary key (number, place)) without rowid;
"""


F = TypeVar("F", bound=Callable[..., Any])


def _once_more(method: F) -> F:
    """When the file turns out to be damaged it is thrown away, and the method starts again."""

    @wraps(method)
    def careful(self: RunIndex, *arguments: Any) -> Any:
        with self._lock:
            try:
                return method(self, *arguments)
            except (sqlite3.DatabaseError, ValueError) as error:
                if "locked" in str(error):  # somebody else is at it, for longer than one would wait
                    raise
                self._base.close()
                (self.folder / FILE).unlink(missing_ok=True)
                full = "full" in str(error) or "I/O" in str(error)
                self._base = self._open([Path(":memory:")] if full else None)
                return method(self, *arguments)

    return careful  # type: ignore[return-value]


class RunIndex:
    """The index of one run directory, for one process at a time or several. Methods may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = read_manifest(folder)
        self._lock = threading.RLock()
        self._base = self._open()

    # -- what is read from it --------------------------------------------------------------------------------------

    @_once_more
    def summary(self) -> list[dict[str, Any]]:
        """The rows of `gra_bench.summary.summarize`."""
        self._refresh_results()
        return json.loads(self._meta("summary"))

    @_once_more
    def views(self) -> list[dict[str, Any]]:
        """The scorers that have scored the run: ``benchmark``, ``scorer``, ``judge``, ``judge_passes``, the default first."""
        self._refresh_results()
        return json.loads(self._meta("views"))

    @_once_more
    def rows(self) -> list[str]:
        """One JSON array a finished trial, its values in the order of `gra_bench.row.COLUMNS`."""
        self._refresh_results()
        return [row for (row,) in self._base.execute("select row from trials order by rowid")]

    @_once_more
    def result(self, trial: str) -> dict[str, Any] | None:
        """The result line of a finished trial."""
        self._refresh_results()
        found = self._base.execute("select place, length from trials where trial = ?", (trial,)).fetchone()
        return None if found is None else self._read("results.jsonl", *found)[0]

    @_once_more
    def events(self, trial: str, attempt: str) -> list[dict[str, Any]]:
        """The events of one attempt at a trial, in the order written."""
        self._refresh_events()
        spans = self._base.execute(
            "select place, length from spans join attempts using (number) where trial = ? and attempt = ? order by place",
            (trial, attempt),
        ).fetchall()
        found = [event for span in spans for event in self._read("events.jsonl", *span)]
        if any(event["trial"] != trial or event["attempt"] != attempt for event in found):
            raise ValueError("the index does not fit the event log")
        return found

    @_once_more
    def attempts(self) -> list[tuple[str, str]]:
        """Trial and attempt of every attempt in the event log, in the order begun."""
        self._refresh_events()
        return self._base.execute("select trial, attempt from attempts order by number").fetchall()

    def close(self) -> None:
        with self._lock:
            self._base.close()

    # -- how it is kept --------------------------------------------------------------------------------------------

    def _open(self, targets: list[Path] | None = None) -> sqlite3.Connection:
        """The file beside the run; memory when it cannot be written there; a new file when it is not ours."""
        path = self.folder / FILE
        for target in targets or (path, path, Path(":memory:")):
            try:
                base = sqlite3.connect(target, timeout=60, check_same_thread=False, isolation_level=None)
                base.execute("pragma journal_mode = truncate")  # survives a kill
                base.execute("pragma synchronous = off")
                base.executescript(TABLES)
                self._base = base
                if self._meta("version", str(VERSION)) != str(VERSION):
                    self._clear("trials", "attempts", "spans", "meta")
                self._set("version", str(VERSION))
                return base
            except sqlite3.DatabaseError as error:
                if not isinstance(error, sqlite3.OperationalError):
                    path.unlink(missing_ok=True)
        raise AssertionError("memory can always be written")

    def _refresh_results(self) -> None:
        sizes = [_size(self.folder / name) for name in ("results.jsonl", "scores.jsonl")]
        stamp = f"{sizes} {_sample(self.folder / 'results.jsonl', sizes[0])}"
        if self._meta("results") == stamp:
            return
        with self._writing():
            if self._meta("results") == stamp:  # another process was faster
                return
            self._clear("trials")
            rows, views = ShortRows(), Views(read_scores(self.folder))
            configurations = list(self.manifest.get("configurations", ()))
            summary = summarize(self._indexed(rows, views), configurations)
            self._set("views", json.dumps(rows.views))
            self._set("summary", json.dumps(summary))
            self._set("results", stamp)

    def _indexed(self, rows: ShortRows, views: Views) -> Iterator[dict[str, Any]]:
        """All results in all their views, one after the other; the row of each is kept on the way."""
        path = self.folder / "results.jsonl"
        last = _last_places(path)
        for place, line in whole_lines(path):
            trial, _ = _key(line, path) or ("", "")
            if last.get(trial) == place and (record := parse(line, path)) is not None:
                scored = list(views.of(record))
                row = json.dumps(rows.row(scored), separators=(",", ":"))
                self._base.execute("insert into trials values (?, ?, ?, ?)", (trial, place, len(line), row))
                yield from scored

    def _refresh_events(self) -> None:
        path = self.folder / "events.jsonl"
        size = _size(path)
        done, sample = json.loads(self._meta("events", '[0, ""]'))
        if size == done and sample == _sample(path, done):
            return
        with self._writing():
            done, sample = json.loads(self._meta("events", '[0, ""]'))
            if size < done or sample != _sample(path, done):
                self._clear("attempts", "spans")
                done = 0
            end = self._add_events(path, done)
            self._set("events", json.dumps([end, _sample(path, end)]))

    def _add_events(self, path: Path, start: int) -> int:
        """Note where each attempt's events stand from `start` on; lines of one attempt that touch become one span."""
        numbers = {(t, a): n for n, t, a in self._base.execute("select number, trial, attempt from attempts")}
        spans: list[tuple[int, int, int]] = []
        end, last = start, -1
        for place, line in whole_lines(path, start):
            key = _key(line, path)
            if key is None:
                end, last = place + len(line), -1
                continue
            if (number := numbers.get(key)) is None:
                number = numbers[key] = len(numbers)
                self._base.execute("insert into attempts values (?, ?, ?)", (number, *key))
            if number == last:
                spans[-1] = (number, spans[-1][1], spans[-1][2] + len(line))
            else:
                spans.append((number, place, len(line)))
            end, last = place + len(line), number
        self._base.executemany("insert into spans values (?, ?, ?)", spans)
        return end

    def _read(self, name: str, place: int, length: int) -> list[dict[str, Any]]:
        with (self.folder / name).open("rb") as file:
            file.seek(place)
            lines = file.read(length).splitlines()
        return [record for line in lines if (record := parse(line, self.folder / name)) is not None]

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction; whatever is not committed was never there."""
        self._base.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._base.execute("rollback")
            raise
        self._base.execute("commit")

    def _meta(self, name: str, default: str = "") -> str:
        found = self._base.execute("select value from meta where name = ?", (name,)).fetchone()
        return found[0] if found else default

    def _set(self, name: str, value: str) -> None:
        self._base.execute("insert or replace into meta values (?, ?)", (name, value))

    def _clear(self, *tables: str) -> None:
        for table in tables:
            self._base.execute(f"delete from {table}")


def standing_attempts(folder: Path) -> dict[str, str]:
    """The attempt whose outcome stands, by trial: that of its last readable result."""
    path = folder / "results.jsonl"
    lines = (line for _, line in whole_lines(path) if parse(line, path) is not None)
    return dict(key for line in lines if (key := _key(line, path)) is not None)


def _last_places(path: Path) -> dict[str, int]:
    """Where the last readable result of each trial stands; the only one of a trial is still to be read."""
    last: dict[str, int] = {}
    for place, line in whole_lines(path):
        key = _key(line, path)
        if key is not None and (key[0] not in last or parse(line, path) is not None):
            last[key[0]] = place
    return last


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _sample(path: Path, size: int) -> str:
    """A fingerprint of the first `size` bytes from both their ends: tells a file from another of the same size."""
    if not size:
        return ""
    with path.open("rb") as file:
        head = file.read(min(SAMPLE, size))
        file.seek(max(0, size - SAMPLE))
        tail = file.read(min(SAMPLE, size))
    return hashlib.sha256(head + tail).hexdigest()[:16]


def _key(line: bytes, path: Path) -> tuple[str, str] | None:
    """Trial and attempt of a line of events or results; None when it is damaged."""
    if match := START.match(line):
        return match[1].decode(), match[2].decode()
    record = parse(line, path)
    return None if record is None or "trial" not in record else (record["trial"], record["attempt"])
