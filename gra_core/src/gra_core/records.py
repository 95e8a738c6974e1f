"""Records of a data file in JSON, JSON lines or CSV, and their fields under whatever names they were published."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from gra_core.errors import UsageError

Record = dict[str, Any]
FORMATS = "JSON (a list of objects), JSON lines or CSV with a header"


class RecordError(UsageError):
    """A data file that cannot be read as records, or lacks fields; names file, place and what was expected."""


def read_records(data: bytes, name: str) -> list[Record]:
    """The records of a file. The suffix of `name` tells the format; another one is told from the content.

    In a JSON object, the one list of objects inside it is taken. Records of a Hugging Face rows reply
    (``{"row": {...}}``) are opened. Text is UTF-8, with or without a byte order mark.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(
            f"{name} is not UTF-8 text (byte {error.start})", hint=f"expected {FORMATS}"
        ) from error
    if not text.strip():
        raise RecordError(f"{name} is empty", hint=f"expected {FORMATS}")
    records = _READERS[_format(text, name)](text, name)
    if not records:
        raise RecordError(f"{name} has no record", hint=f"expected {FORMATS}")
    return records


def _format(text: str, name: str) -> str:
    suffix = PurePath(name).suffix.casefold()
    start = text.lstrip()[:1]
    if start == "<":
        raise RecordError(f"{name} is a web page, not data", hint=f"expected {FORMATS}")
    if suffix in (".csv", ".tsv"):
        return suffix
    if suffix in (".jsonl", ".ndjson"):
        return ".jsonl"
    if start == "[":
        return ".json"
    if start == "{":  # JSON lines are often called .json too
        first = text.strip().partition("\n")[0].strip()
        return ".jsonl" if _is_object(first) and "\n" in text.strip() else ".json"
    return suffix if suffix == ".json" else ".csv"


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _read_json(text: str, name: str) -> list[Record]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{name} is not JSON: {error}", hint=f"expected {FORMATS}") from error
    if isinstance(value, dict):
        lists = {key: found for key, found in value.items() if _all_objects(found)}
        if len(lists) != 1:
            named = f"lists of objects: {', '.join(sorted(lists))}" if lists else "no list of objects"
            raise RecordError(
                f"{name}: the JSON object has {named}", hint=f"expected {FORMATS}, or one list in an object"
            )
        value = next(iter(lists.values()))
    if not _all_objects(value) and value != []:
        raise RecordError(f"{name}: the JSON value is no list of objects", hint=f"expected {FORMATS}")
    return [_opened(record) for record in value]


def _all_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _opened(record: Record) -> Record:
    """The record of a Hugging Face rows reply, else the record."""
    inner = record.get("row")
    return (
        inner if isinstance(inner, dict) and set(record) <= {"row", "row_idx", "truncated_cells"} else record
    )


def _read_lines(text: str, name: str) -> list[Record]:
    records = []
    # Not splitlines: a line of JSON may hold U+2028, which ends no line there.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RecordError(
                f"{name}, line {number} is not JSON: {error}", hint="expected one object a line"
            ) from error
        if not isinstance(record, dict):
            raise RecordError(f"{name}, line {number} is no JSON object", hint="expected one object a line")
        records.append(_opened(record))
    return records


def _read_csv(text: str, name: str, delimiter: str = ",") -> list[Record]:
    before = csv.field_size_limit(1 << 24)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        header = reader.fieldnames or []
        if twice := sorted({h for h in header if header.count(h) > 1}):
            raise RecordError(f"{name}: the header has {', '.join(map(repr, twice))} twice")
        records = []
        for record in reader:
            if None in record or None in record.values():
                raise RecordError(
                    f"{name}, line {reader.line_num}: the row has not the {len(header)} fields of the header",
                    hint="a field with commas, quotes or line breaks must stand in double quotes",
                )
            records.append(dict(record))
        return records
    except csv.Error as error:
        raise RecordError(f"{name}: {error}", hint=f"expected {FORMATS}") from error
    finally:
        csv.field_size_limit(before)


def _read_tsv(text: str, name: str) -> list[Record]:
    return _read_csv(text, name, "\t")


_READERS = {".json": _read_json, ".jsonl": _read_lines, ".csv": _read_csv, ".tsv": _read_tsv}


def pick_fields(
    records: Sequence[Record], aliases: Mapping[str, Sequence[str]], *, required: Iterable[str], name: str
) -> list[Record]:
    """Records with the fields named in `aliases` (their own name first, then others), absent ones None.

    Case, spaces, hyphens and underscores in names do not matter. Every required field that is missing is named, with the
    names that would do and those that were found.
    """
    rows = [{_key(key): value for key, value in record.items()} for record in records]
    names = {field: [_key(n) for n in (field, *others)] for field, others in aliases.items()}
    known = set().union(*rows)
    if missing := [field for field in required if not known & set(names[field])]:
        wanted = "; ".join(
            f"{field} (also: {', '.join(aliases[field])})" if aliases[field] else field for field in missing
        )
        found = dict.fromkeys(str(key) for record in records for key in record)
        raise RecordError(f"{name}: no field {wanted}", hint=f"fields found: {', '.join(found) or 'none'}")
    picked = [
        {field: next((row[n] for n in keys if not _blank(row.get(n))), None) for field, keys in names.items()}
        for row in rows
    ]
    for number, record in enumerate(picked, 1):
        if empty := [field for field in required if _blank(record[field])]:
            raise RecordError(
                f"{name}, record {number}: {', '.join(empty)} is empty", hint="every record needs it"
            )
    return picked


def _key(name: Any) -> str:
    return re.sub(r"[\W_]+", "", str(name)).casefold()


def _blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or value in ([], {})
