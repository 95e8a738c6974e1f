"""Names of models and errors in the vocabulary of the GenAI semantic conventions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# Prefixes of model ids to the conventions' provider names; any other prefix stands for itself.
PROVIDERS = {"gemini": "gcp.gemini", "openai": "openai", "vertex": "gcp.vertex_ai", "anthropic": "anthropic"}
# Our stop reasons to the conventions' finish reasons; any other is passed on as it is.
FINISH = {
    "tool_calls": "tool_call", "max_tokens": "length", "safety": "content_filter", "recitation": "content_filter",
    "blocklist": "content_filter", "prohibited_content": "content_filter", "spii": "content_filter",
    "blocked_prompt": "content_filter", "malformed_call": "error", "malformed_response": "error",
}  # fmt: skip


def provider_and_model(model_id: str) -> tuple[str, str]:
    """``gemini:gemini-3.8-flash`` as ``("gcp.gemini", "gemini-3.8-flash")``; an id without prefix is both."""
    prefix, _, name = model_id.partition(":")
    return PROVIDERS.get(prefix, prefix), name or prefix


def finish_reason(stop: str) -> str:
    return FINISH.get(stop, stop)


def usage_attributes(usages: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Tokens of requests. Input has the cached and the built-in tools' tokens in it, output the reasoning's."""
    total = dict.fromkeys(("input", "cached", "tool_use", "output", "thinking", "requests"), 0)
    for usage in usages:
        for name in total:
            total[name] += int(usage.get(name) or 0)
    made = {
        "gen_ai.usage.input_tokens": total["input"] + total["cached"] + total["tool_use"],
        "gen_ai.usage.output_tokens": total["output"] + total["thinking"],
        "gra.requests": total["requests"],
    }
    if total["cached"]:
        made["gen_ai.usage.cache_read.input_tokens"] = total["cached"]
    if total["thinking"]:
        made["gen_ai.usage.reasoning.output_tokens"] = total["thinking"]
    return made


def request_attributes(settings: Any) -> dict[str, Any]:
    """Decoding settings of a configuration that are set."""
    named = {
        "gen_ai.request.temperature": settings.temperature,
        "gen_ai.request.top_p": settings.top_p,
        "gen_ai.request.seed": settings.seed,
        "gen_ai.request.max_tokens": settings.max_output_tokens,
    }
    return {name: value for name, value in named.items() if value is not None}
