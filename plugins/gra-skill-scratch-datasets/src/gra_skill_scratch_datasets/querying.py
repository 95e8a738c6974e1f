"""SQL over tables, in a DuckDB that sees nothing but the registered tables."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
import geopandas as gpd
import pandas as pd
import pyarrow as pa

from gra_core import ToolContext, ToolError, ToolResult
from gra_geo.frames import rows_of

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
MAX_ROWS, SHOWN_ROWS, MAX_CHARACTERS = 1_000_000, 50, 20_000
TIMEOUT_S, MEMORY, THREADS = 60.0, "1GB", 2
# After the tables are in: no files, no network, no extensions, no Python objects, and no way to switch any of it back.
LOCK = (
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET python_enable_replacements = false",
    f"SET memory_limit = '{MEMORY}'",
    f"SET threads = {THREADS}",
    "SET temp_directory = ''",
    "SET max_temp_directory_size = '0B'",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)


def query(ctx: ToolContext, refs: dict[str, str] | list[str], sql: str) -> ToolResult:
    """Run one SELECT; see the tool `query_table`."""
    tables, notes = _tables(ctx, refs)
    geometry = {
        c.name: c.crs for t in tables.values() if isinstance(t, gpd.GeoDataFrame) for c in _geometries(t)
    }
    if geometry:
        notes.append("geometry columns are WKB blobs in SQL; DuckDB's spatial functions are not available")
    seconds = min(TIMEOUT_S, ctx.remaining_s)
    with _connection(tables) as connection:
        _only_select(connection, sql)
        result = _run(connection, sql, seconds)
    frame = _frame(result, geometry)
    if not len(frame):
        return ToolResult.empty(
            "the query returned no rows", notes=[*notes, f"columns: {', '.join(map(str, frame.columns))}"]
        )
    return _reply(ctx, frame, notes)


def _reply(ctx: ToolContext, frame: pd.DataFrame, notes: list[str]) -> ToolResult:
    content: dict[str, Any] = {"rows": len(frame), "columns": [str(c) for c in frame.columns]}
    shown = rows_of(frame, SHOWN_ROWS, geometry=True)
    while len(str(shown)) > MAX_CHARACTERS and len(shown) > 1:
        shown = shown[: len(shown) // 2]
    content["result"] = shown
    if len(shown) == len(frame) and not isinstance(frame, gpd.GeoDataFrame):
        return ToolResult.ok(content, notes=notes)
    content["rows_shown"] = len(shown)
    return ToolResult.ok(content, datasets=[ctx.save(frame, name="query-result")], notes=notes)


def _tables(ctx: ToolContext, refs: dict[str, str] | list[str]) -> tuple[dict[str, pd.DataFrame], list[str]]:
    named = dict(refs) if isinstance(refs, dict) else {f"t{i}": ref for i, ref in enumerate(refs, 1)}
    if not named:
        raise ToolError(
            "bad_argument",
            "refs is empty",
            hint='give references such as ["ds://counties-1"], which become t1, t2, …',
        )
    tables = {}
    for name, ref in named.items():
        if not NAME.fullmatch(name):
            raise ToolError("bad_argument", f"table name {name!r}", hint="expected letters, digits and _")
        value = ctx.load(ref)
        if not isinstance(value, pd.DataFrame):
            raise ToolError(
                "bad_argument",
                f"{ref} is {ctx.dataset(ref).manifest.format}, not a table",
                hint="use run_python for it",
            )
        tables[name] = value
    notes = [f"tables: {', '.join(f'{n} = {r}' for n, r in named.items())}"] if isinstance(refs, list) else []
    return tables, notes


@contextmanager
def _connection(tables: dict[str, pd.DataFrame]) -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect(":memory:")
    try:
        for name, frame in tables.items():
            connection.register("_given", _arrow(frame))
            connection.execute(f'CREATE TABLE "{name}" AS SELECT * FROM _given')
            connection.unregister("_given")
        for statement in LOCK:
            connection.execute(statement)
        yield connection
    finally:
        connection.close()


def _geometries(frame: gpd.GeoDataFrame) -> list[Any]:
    return [frame[c] for c in frame.columns if isinstance(frame[c].dtype, gpd.array.GeometryDtype)]


def _arrow(frame: pd.DataFrame) -> pa.Table:
    """Geometry as WKB, column names as text, mixed columns as text."""
    if isinstance(frame, gpd.GeoDataFrame):
        frame = pd.DataFrame(frame.to_wkb())
    columns: dict[str, pa.Array] = {}
    for name in frame.columns:
        try:
            columns[str(name)] = pa.array(frame[name], from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            columns[str(name)] = pa.array(frame[name].astype("string"), from_pandas=True)
    return pa.table(columns)


def _only_select(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise _bad(error) from error
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        kinds = ", ".join(s.type.name for s in statements) or "nothing"
        raise ToolError(
            "bad_argument",
            f"expected one SELECT, got {kinds}",
            hint="tables are read only; save results by the query itself",
        )


def _bad(error: Exception) -> ToolError:
    return ToolError(
        "bad_argument",
        f"SQL: {str(error).strip()[:1500]}",
        hint="DuckDB's dialect; quote names with double quotes",
    )


def _run(connection: duckdb.DuckDBPyConnection, sql: str, seconds: float) -> pa.Table:
    """All rows up to `MAX_ROWS`; interrupted when time is over."""
    late = threading.Event()

    def interrupt() -> None:
        late.set()
        connection.interrupt()

    timer = threading.Timer(max(seconds, 0.1), interrupt)
    timer.start()
    try:
        return _fetched(connection, sql)
    except duckdb.OutOfMemoryException as error:
        raise ToolError(
            "quota",
            f"the query needs more than {MEMORY} of memory",
            hint="filter or aggregate before joining",
        ) from error
    except duckdb.Error as error:
        if late.is_set():
            raise ToolError(
                "timeout",
                f"the query was not finished within {seconds:.0f} s",
                hint="join on keys, filter first",
            ) from error
        raise _bad(error) from error
    finally:
        timer.cancel()


def _fetched(connection: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
    relation = connection.sql(sql)
    reader = relation.to_arrow_reader(65_536)
    batches, rows = [], 0
    for batch in reader:
        batches.append(batch)
        rows += batch.num_rows
        if rows > MAX_ROWS:
            raise ToolError(
                "quota", f"the query returns more than {MAX_ROWS:,} rows", hint="aggregate, or add LIMIT"
            )
    return pa.Table.from_batches(batches, schema=reader.schema)


def _frame(result: pa.Table, geometry: dict[Any, Any]) -> pd.DataFrame:
    """A frame with unique column names; WKB of a known geometry column becomes geometry again."""
    names = result.column_names
    unique = [n if n not in names[:i] else f"{n}_{names[:i].count(n) + 1}" for i, n in enumerate(names)]
    result = result.rename_columns(unique)
    for index, field in enumerate(result.schema):
        if pa.types.is_decimal(field.type):
            result = result.set_column(index, field.name, _number(result.column(index)))
    frame = result.to_pandas()
    shapes = [
        n for n in unique if n in geometry and pa.types.is_binary(result.schema.field(unique.index(n)).type)
    ]
    for name in shapes:
        frame[name] = gpd.GeoSeries.from_wkb(frame[name], crs=geometry[name])
    return gpd.GeoDataFrame(frame, geometry=shapes[0]) if shapes else frame


def _number(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Decimals as plain numbers: sums of whole numbers come as decimals of 38 digits."""
    if column.type.scale == 0:
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            pass
    return column.cast(pa.float64())
