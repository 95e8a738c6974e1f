"""Local token estimates, for measuring disclosure and the context limit. Billing uses the provider's counts."""

from __future__ import annotations

import json
from typing import Any

CHARACTERS_PER_TOKEN = 4


def estimate_tokens(value: Any) -> int:
    """About a token for four characters of text or of JSON; always an estimate."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return -(-len(text) // CHARACTERS_PER_TOKEN)
