"""Text that every file, server and database takes."""

from __future__ import annotations

import json
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
