"""Text tables (CSV, TSV) read without losing identifiers: first everything is text, then each column earns a type."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pandas as pd

from gra_core import ToolError

IDENTIFIER = re.compile(r"(^|_)(fips|geoid\d*|zip|zip_?code|post_?code|postal_?code|zcta\d*)$", re.I)
LEADING_ZERO = re.compile(r"[+-]?0\d")
INTEGER = re.compile(r"[+-]?\d+")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?")
# Words that mean "missing" in a column of numbers; in a column of text they may be Namibia or a name.
MISSING = {"na", "n/a", "nan", "null", "none", "-", ".."}
MAX_DIGITS = 15


def read_text_table(file: Path, notes: list[str]) -> pd.DataFrame:
    """A table from a delimited text file with a header. What was decided about columns is told in `notes`."""
    encoding = _encoding(file, notes)
    separator = "\t" if file.suffix.lower() == ".tsv" else _separator(file, encoding)
    try:
        raw = pd.read_csv(file, sep=separator, dtype=str, keep_default_na=False, encoding=encoding)
        _refuse_ragged(raw)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise ToolError(
            "bad_argument",
            f"{file.name} is not a table: {error}",
            hint="expected a header line and the same number of fields in every line",
        ) from error
    columns = {str(name).strip(): typed(raw[name].str.strip(), notes) for name in raw.columns}
    return pd.DataFrame(columns)


def _encoding(file: Path, notes: list[str]) -> str:
    try:
        with file.open(encoding="utf-8-sig") as stream:
            while stream.read(1 << 20):
                pass
    except UnicodeDecodeError:
        notes.append("the file is not UTF-8; read as Windows-1252")
        return "cp1252"
    return "utf-8-sig"


def _refuse_ragged(raw: pd.DataFrame) -> None:
    """`ParserError` when lines have more fields than the header: pandas takes the surplus for an index and shifts the columns."""
    if len(raw) and not isinstance(raw.index, pd.RangeIndex):
        raise pd.errors.ParserError(f"its lines have more fields than the {len(raw.columns)} of the header")


def _separator(file: Path, encoding: str) -> str:
    with file.open(encoding=encoding, newline="") as stream:
        head = stream.readline()
    try:
        return csv.Sniffer().sniff(head, delimiters=",;\t|").delimiter
    except csv.Error:
        return ","


def typed(values: pd.Series, notes: list[str]) -> pd.Series:
    """A column of text as numbers or times where every value is one; as text where a number would lose something."""
    filled = values[values != ""]
    if filled.empty:
        return values.where(values != "", None)
    words = filled.str.lower().isin(MISSING)
    numbers = filled[~words]
    if len(numbers) and numbers.map(lambda v: NUMBER.fullmatch(v) is not None).all():
        if reason := _identifier(str(values.name), numbers):
            notes.append(f"column {values.name!r} was kept as text: {reason}")
            return values.where(values != "", None)
        if words.any():
            notes.append(
                f"column {values.name!r}: {int(words.sum())} values such as {filled[words].iloc[0]!r} were taken as missing"
            )
        return _numeric(values.where(values.isin(set(numbers))), numbers)
    if filled.map(lambda v: DATE.fullmatch(v) is not None).all():
        return _times(values, notes)
    return values.where(values != "", None)


def _identifier(name: str, numbers: pd.Series) -> str:
    """Why digits are an identifier and not a number, or an empty text."""
    if numbers.map(lambda v: LEADING_ZERO.match(v) is not None and "." not in v).any():
        return "values have leading zeros"
    whole = numbers.map(lambda v: INTEGER.fullmatch(v) is not None).all()
    if whole and numbers.str.len().max() > MAX_DIGITS:
        return f"values have more than {MAX_DIGITS} digits"
    if whole and IDENTIFIER.search(name):
        lengths = sorted(set(numbers.str.len()))
        lost = (
            f"; lengths differ ({', '.join(map(str, lengths))} digits), so the file may have lost leading zeros"
            if len(lengths) > 1
            else ""
        )
        return "its name is that of an identifier" + lost
    return ""


def _numeric(values: pd.Series, numbers: pd.Series) -> pd.Series:
    converted = pd.to_numeric(values)
    whole = numbers.map(lambda v: INTEGER.fullmatch(v) is not None).all()
    return converted.astype("Int64") if whole and converted.isna().any() else converted


def _times(values: pd.Series, notes: list[str]) -> pd.Series:
    filled = values.where(values != "", None)
    zoned = filled.dropna().str.contains(r"(?:Z|[+-]\d{2}:?\d{2})$", regex=True) & (
        filled.dropna().str.len() > 10
    )
    if zoned.any() and not zoned.all():
        notes.append(f"column {values.name!r} was kept as text: only some of its times have an offset")
        return filled
    try:
        return pd.to_datetime(filled, utc=bool(zoned.all()), format="ISO8601")
    except ValueError:
        notes.append(f"column {values.name!r} was kept as text: not all values are dates of the calendar")
        return filled
