"""Token counts: the provider's where it gives them, else a local estimate that is marked as one."""

from __future__ import annotations

import json
from typing import Any

from gra_core import Usage

COUNTS = (
    "promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount",
    "toolUsePromptTokenCount",
)  # fmt: skip
CHARACTERS_PER_TOKEN = 4  # the provider's own rule of thumb for English text

# A request that was refused: it counts, and costs nothing.
REFUSED = Usage(requests=1)


def usage_of(counts: dict[str, Any], *, searches: int = 0, maps: int = 0) -> Usage:
    """One request's usage from its ``usageMetadata``, any field of which may be missing or null.

    The prompt count contains the cached tokens but not those of built-in tools; the candidates' count
    contains no thoughts.
    """
    prompt, cached, output, thinking, tool_use = (counts.get(name) or 0 for name in COUNTS)
    return Usage(
        requests=1,
        input=max(0, prompt - cached),
        cached=cached,
        output=output,
        thinking=thinking,
        tool_use=tool_use,
        searches=searches,
        maps=maps,
    )


def readable(counts: Any) -> bool:
    """Whether a ``usageMetadata`` is an object whose counts are numbers of tokens, null or missing."""
    values = [counts.get(name) for name in COUNTS] if isinstance(counts, dict) else [""]
    return all(v is None or (type(v) is int and v >= 0) for v in values)


def estimated_usage(sent: Any, received: list[dict[str, Any]], *, searches: int = 0, maps: int = 0) -> Usage:
    """An estimate from the JSON text of request and reply, for a reply that came without counts or not at all."""
    return Usage(
        requests=1,
        input=_tokens(sent),
        output=_tokens(received),
        searches=searches,
        maps=maps,
        estimated=True,
    )


def _tokens(value: Any) -> int:
    if not value:
        return 0
    return -(-len(json.dumps(value, default=str, ensure_ascii=False)) // CHARACTERS_PER_TOKEN)
