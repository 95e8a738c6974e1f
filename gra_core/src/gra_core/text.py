"""Text and data that every file, server and database takes."""

from __future__ import annotations

import json
import math
from typing import Any


def whole(value: Any) -> Any:
    """JSON-ready data with every lone half of a surrogate pair (an answer cut off inside an emoji) replaced by U+FFFD:
    UTF-8 has no form for it, so neither a request nor a database takes it. Data without any is returned as it is."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return _replaced(value)
    return value


def _replaced(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_replaced(k): _replaced(v) for k, v in value.items()}
    return [_replaced(v) for v in value] if isinstance(value, (list, tuple)) else value


def plain(value: Any) -> Any:
    """JSON-ready data of anything: NaN and infinities become null, keys and unknown objects their text. Data that is ready is
    returned as it is."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return _plain(value)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)


def shortened(value: Any, *, characters: int = 2000, items: int = 100) -> Any:
    """JSON-ready data with long texts and lists cut; a text says how long it was."""
    if isinstance(value, str) and len(value) > characters:
        return f"{value[:characters]}… ({len(value)} characters in all)"
    if isinstance(value, dict):
        return {k: shortened(v, characters=characters, items=items) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [shortened(v, characters=characters, items=items) for v in value[:items]]
    return value
