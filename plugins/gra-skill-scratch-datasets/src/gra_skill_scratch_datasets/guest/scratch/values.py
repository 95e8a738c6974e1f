"""Python values as JSON: numpy and pandas scalars become plain ones, missing and non-finite numbers null."""

from __future__ import annotations

import datetime as dt
import json
import math
from typing import Any

MAX_JSON, MAX_TEXT, MAX_ROWS = 8000, 4000, 20


def plain(value: Any) -> Any:
    """A JSON-ready form; `TypeError` for what has none."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if type(value).__name__ in ("NaTType", "NAType"):
        return None
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(v) for v in value]
    if hasattr(value, "__geo_interface__") and hasattr(value, "geom_type"):
        return plain(value.__geo_interface__)
    raise TypeError(
        f"{type(value).__name__} cannot be stored as JSON; make it a DataFrame, list or dict of plain values"
    )


def shown(value: Any) -> dict[str, Any]:
    """The value of the last expression as a report gives it: `value` when small and JSON-ready, else `value_text`."""
    if value is None:
        return {}
    try:
        data = plain(value)
        if len(json.dumps(data)) <= MAX_JSON:
            return {"value": data}
    except (TypeError, ValueError, RecursionError):
        pass
    text = _table(value) if hasattr(value, "to_string") and hasattr(value, "head") else repr(value)
    short = text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + f"… ({len(text)} characters)"
    return {"value_text": short}


def _table(value: Any) -> str:
    text = value.head(MAX_ROWS).to_string()
    return text if len(value) <= MAX_ROWS else f"{text}\n… {len(value)} rows"
