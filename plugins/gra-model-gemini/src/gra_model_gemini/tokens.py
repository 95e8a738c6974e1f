"""Token counts: the provider's where it gives them, else a local estimate that is marked as one."""

from __future__ import annotations

import json
from typing import Any

from gra_core import Usage

CHARACTERS_PER_TOKEN = 4  # the provider's own rule of thumb for English text

# A request that was refused: it counts, and costs nothing.
REFUSED = Usage(requests=1)
# A request whose answer was lost: what it cost is not known.
LOST = Usage(requests=1, estimated=True)


def usage_of(counts: dict[str, Any], *, searches: int = 0, maps: int = 0) -> Usage:
    """One request's usage from its ``usageMetadata``, any field of which may be null.

    The prompt count contains the cached tokens but not those of built-in tools; the candidates' count
    contains no thoughts.
    """
    prompt, cached = counts.get("promptTokenCount") or 0, counts.get("cachedContentTokenCount") or 0
    return Usage(
        requests=1,
        input=max(0, prompt - cached),
        cached=cached,
        output=counts.get("candidatesTokenCount") or 0,
        thinking=counts.get("thoughtsTokenCount") or 0,
        tool_use=counts.get("toolUsePromptTokenCount") or 0,
        searches=searches,
        maps=maps,
    )


def estimated_usage(sent: Any, received: list[dict[str, Any]], *, searches: int = 0, maps: int = 0) -> Usage:
    """An estimate from the JSON text of request and reply, for a reply that came without counts."""
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
