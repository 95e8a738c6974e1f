"""Finding the values of the blanks in the text of a final answer."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

# An answer stands at the end of a text; more of it than this is never searched.
MAX_CHARACTERS = 50_000
NESTED = 500
BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_decoder = json.JSONDecoder(parse_constant=lambda _name: None)


def read_answer(text: str | None, labels: Sequence[str]) -> list[Any]:
    """The values a final answer gives, in the order of the blanks; an empty list when it gives none.

    Taken is the last list with as many values as blanks, JSON before what only looks like it (single quotes, bare
    words, numbers with units); else the last list; else, for one blank, the last line of the text.
    A JSON object counts as a list: by its keys where they are the labels, else by its order.
    """
    text = (text or "").strip()[-MAX_CHARACTERS:]
    if not text:
        return []
    strict = [values for found in _json_values(text) if (values := _as_list(found, labels)) is not None]
    loose = [_loose_list(match[1], len(labels)) for match in BRACKETS.finditer(text)]
    for candidates in (strict, loose):
        if fitting := [values for values in candidates if len(values) == len(labels)]:
            return fitting[-1]
    if strict or loose:
        return (strict or loose)[-1]
    return [last_line(text)] if len(labels) == 1 else []


def last_line(text: str) -> str:
    """The last line that says something, without code fences, Markdown emphasis and a leading "Answer:"."""
    lines = [line.strip(" \t`*_#>") for line in text.splitlines()]
    lines = [line for line in lines if line]
    return (
        re.sub(
            r"^(?:the\s+)?(?:final\s+)?answer(?:\s+is)?\s*[:=]?[\s`*_]*", "", lines[-1], flags=re.IGNORECASE
        )
        if lines
        else ""
    )


def _json_values(text: str) -> Iterator[Any]:
    """Every JSON list and object of a text that is not inside another one."""
    position = 0
    while match := re.compile(r"[\[{]").search(text, position):
        try:
            value, position = _decoder.raw_decode(text, match.start())
            yield value
        except RecursionError:
            # Nested over hundreds of levels, so at least as many characters belong to what is no answer.
            position = match.start() + NESTED
        except ValueError:
            position = match.start() + 1


def _as_list(value: Any, labels: Sequence[str]) -> list[Any] | None:
    """A list as it is; one list inside another, and objects, opened."""
    if isinstance(value, dict):
        return _from_object(value, labels)
    if len(value) == 1 and isinstance(value[0], (list, dict)):
        return _as_list(value[0], labels)
    if value and all(isinstance(v, dict) and len(v) == 1 for v in value):
        return [next(iter(v.values())) for v in value]
    return value


def _from_object(value: dict[str, Any], labels: Sequence[str]) -> list[Any] | None:
    by_label = {_key(k): v for k, v in value.items()}
    if labels and all(_key(label) in by_label for label in labels):
        return [by_label[_key(label)] for label in labels]
    inner = [v for v in value.values() if isinstance(v, (list, dict))]
    if len(inner) == 1:
        return _as_list(inner[0], labels)
    return list(value.values()) if len(value) == len(labels) else None


def _key(label: str) -> str:
    return re.sub(r"[\W_]+", " ", label).strip().casefold()


def _loose_list(inside: str, length: int) -> list[Any]:
    """The items between two brackets that are not JSON."""
    try:
        return list(ast.literal_eval(f"[{inside}]"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    by_comma = next(csv.reader([" ".join(inside.split())], skipinitialspace=True), [])
    # The comma of 1,234 separates nothing.
    by_comma_and_space = re.split(r",\s+", inside)
    items = by_comma_and_space if len(by_comma_and_space) == length else by_comma
    return [text for item in items if (text := item.strip(" \t\n\"'"))]
