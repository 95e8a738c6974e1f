"""Objects named as ``"package.module:attribute"`` and imported on first use."""

from __future__ import annotations

import importlib
from typing import Any


def load_object(reference: str) -> Any:
    """Import what ``"package.module:attribute"`` names; `ValueError` when the text has another form."""
    module, _, attribute = reference.partition(":")
    if not module or not attribute:
        raise ValueError(f"expected 'package.module:attribute', got {reference!r}")
    value: Any = importlib.import_module(module)
    for part in attribute.split("."):
        value = getattr(value, part)
    return value
