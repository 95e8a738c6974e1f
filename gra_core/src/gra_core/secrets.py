"""Keys stay out of logs, trajectories and errors."""

from __future__ import annotations

import json
import os
from typing import Any

_ENDS = tuple(word + s for word in ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL") for s in ("", "S"))
_SHORTEST = 8
MASK = "[secret removed]"


def secret_values() -> list[str]:
    """Values of environment variables whose names end like a key's, also as they are inside JSON text; longest first."""
    found = {
        value
        for name, value in os.environ.items()
        if name.upper().endswith(_ENDS) and len(value) >= _SHORTEST
    }
    found |= {json.dumps(value)[1:-1] for value in found}
    return sorted(found, key=lambda v: (-len(v), v))


def redact(value: Any, secrets: list[str] | None = None) -> Any:
    """The same JSON-ready data with every secret replaced by `MASK`, in keys too."""
    secrets = secret_values() if secrets is None else secrets
    if not secrets:
        return value
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, MASK)
        return value
    if isinstance(value, dict):
        return {redact(k, secrets): redact(v, secrets) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [redact(v, secrets) for v in value]
    return value
