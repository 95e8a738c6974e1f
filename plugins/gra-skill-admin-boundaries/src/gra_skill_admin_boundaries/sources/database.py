"""A Who's On First SQLite file, opened read-only and checked."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gra_core import ToolError
from gra_geo.names import fold
from gra_skill_admin_boundaries.sources.schema import CURRENT, TABLES

CHUNK = 500  # SQLite's default limit of variables in one statement is 999 in old builds


class Database:
    """Queries on one file; a connection lives as long as `connect` so that any thread may use the object."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        if not self.path.is_file():
            raise self._unusable("there is no such file")
        if self.path.suffix == ".bz2":
            raise self._unusable("it is compressed", hint=f"run bunzip2 {self.path.name} and name the result")
        with self.connect() as connection:
            self.current = CURRENT + "".join(f" AND {c}" for c in self._check(connection))

    @contextmanager
    def connect(self) -> Iterator[sqlite3.Connection]:
        """A read-only connection with the function ``fold``; faults of the file become `ToolError`."""
        try:
            with closing(sqlite3.connect(f"file:{quote(str(self.path))}?mode=ro", uri=True)) as connection:
                connection.row_factory = sqlite3.Row
                connection.create_function("fold", 1, fold, deterministic=True)
                yield connection
        except sqlite3.DatabaseError as error:
            raise self._unusable(str(error)) from None

    def rows(self, sql: str, values: Iterable[Any] = ()) -> list[sqlite3.Row]:
        """The rows of one query."""
        with self.connect() as connection:
            return connection.execute(sql, tuple(values)).fetchall()

    def rows_for(self, sql: str, ids: Iterable[Any], values: Iterable[Any] = ()) -> list[sqlite3.Row]:
        """The rows of a query whose ``{ids}``, after all other `values`, stands for a list; asked in chunks."""
        ids, before = list(ids), list(values)
        chunks = [ids[start : start + CHUNK] for start in range(0, len(ids), CHUNK)]
        rows: list[sqlite3.Row] = []
        with self.connect() as connection:
            for chunk in chunks:
                marks = ",".join("?" * len(chunk))
                rows += connection.execute(sql.format(ids=marks), [*before, *chunk]).fetchall()
        return rows

    def _check(self, connection: sqlite3.Connection) -> list[str]:
        """Conditions beside `CURRENT` that this build's tables need; `ToolError` when tables or columns are missing."""
        columns = {
            table: {row["name"] for row in connection.execute(f"PRAGMA table_info({table})")}
            for table in TABLES
        }
        missing = [f"{t}.{c}" if columns[t] else t for t in TABLES for c in sorted(TABLES[t] - columns[t])]
        if missing:
            raise self._unusable(
                f"not a Who's On First distribution, lacking {', '.join(dict.fromkeys(missing))}"
            )
        self.geojson_is_default = "g.is_alt = 0" if "is_alt" in columns["geojson"] else "1"
        return ["s.is_alt = 0"] if "is_alt" in columns["spr"] else []

    def _unusable(self, reason: str, *, hint: str = "") -> ToolError:
        return ToolError(
            "not_available",
            f"source wof-sqlite cannot use {self.path.name}: {reason}",
            hint=hint
            or "set [sources.wof-sqlite] path to a decompressed SQLite distribution of Who's On First",
        )
