"""Schemas made fit for grammars. Arguments are checked against the whole schema by the core in any case."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gra_model_local.llama import llama

_ANNOTATIONS = ("description", "title", "default", "examples")
_LITERAL = ("enum", "const", "required", *_ANNOTATIONS)
_CLASSES = {r"\d": "[0-9]", r"\w": "[A-Za-z0-9_]"}
MOST_ITEMS = 64
COMPACT = {"x-guidance": {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}}


def grammar_of(schema: dict[str, Any]) -> str:
    """The grammar of JSON texts that fit a schema, written as `json.dumps` writes them: fewer tokens, and no
    endless white space from a small model."""
    return str(llama().json_schema_to_grammar(schema | COMPACT))


def bare(schema: Any) -> Any:
    """A schema without what only people read."""
    return _mapped(schema, lambda key, value: {} if key in _ANNOTATIONS else {key: value})


def portable(schema: Any) -> Any:
    """A schema that llama.cpp's own converter can take (native declarations go through it): it knows plain
    patterns only, says so on stderr, and writes out repetitions, which can fill all memory."""

    def keep(key: str, value: Any) -> dict[str, Any]:
        if key == "pattern":
            return {key: plain} if (plain := plain_pattern(value)) else {}
        if key in ("minLength", "maxLength") or (key in ("minItems", "maxItems") and value > MOST_ITEMS):
            return {}
        return {key: value}

    return _mapped(schema, keep)


def _mapped(schema: Any, keep: Callable[[str, Any], dict[str, Any]]) -> Any:
    """Apply `keep` to the keywords of a schema and of those inside; names of properties are no keywords."""
    if isinstance(schema, list):
        return [_mapped(part, keep) for part in schema]
    if not isinstance(schema, dict):
        return schema
    mapped: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":
            mapped[key] = {name: _mapped(part, keep) for name, part in value.items()}
        else:
            mapped |= keep(key, value if key in _LITERAL else _mapped(value, keep))
    low, high = mapped.get("minItems", 0), mapped.get("maxItems", MOST_ITEMS)
    return mapped if low <= high else {k: v for k, v in mapped.items() if k not in ("minItems", "maxItems")}


def plain_pattern(pattern: Any) -> str:
    r"""An anchored pattern with ``\d`` and ``\w`` spelled out; empty when it needs more than GBNF offers."""
    if not isinstance(pattern, str):
        return ""
    for escape, plain in _CLASSES.items():
        pattern = re.sub(re.escape(escape) + r"(?![^\[]*\])", plain, pattern)
    whole = pattern.startswith("^") and pattern.endswith("$")
    return "" if not whole or re.search(r"\\[A-Za-z0-9]|\(\?|[+*?}]\?|\d{3,}", pattern) else pattern
