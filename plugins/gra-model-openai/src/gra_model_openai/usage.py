"""Token counts of a reply, from the server or else estimated."""

from __future__ import annotations

from typing import Any

from gra_core import Usage
from gra_core.tokens import estimate_tokens


def read_usage(raw: dict[str, Any], body: dict[str, Any]) -> Usage:
    """Usage of one answered request. Any count may be absent or null; what the server does not say is estimated
    from the texts and marked as an estimate."""
    counts = _part(raw, "usage")
    prompt, completion = _count(counts, "prompt_tokens"), _count(counts, "completion_tokens")
    total = _count(counts, "total_tokens")
    if completion is None and total is not None and prompt is not None:
        completion = max(0, total - prompt)
    cached = (
        _count(_part(counts, "prompt_tokens_details"), "cached_tokens")
        or _count(counts, "prompt_cache_hit_tokens")
        or 0
    )
    thinking = _count(_part(counts, "completion_tokens_details"), "reasoning_tokens") or 0
    estimated = prompt is None or completion is None
    prompt = prompt_estimate(body) if prompt is None else prompt
    completion = estimate_tokens(_said(raw)) if completion is None else completion
    return Usage(
        requests=1, input=max(0, prompt - cached), cached=min(cached, prompt),
        output=max(0, completion - thinking), thinking=thinking, estimated=estimated,
    )  # fmt: skip


def unanswered(body: dict[str, Any], *, processed: bool) -> Usage:
    """Usage of a request without an answer. When the server may have worked on it, its prompt is counted, as an
    estimate; a request that was refused costs nothing."""
    return Usage(requests=1, input=prompt_estimate(body), estimated=True) if processed else Usage(requests=1)


def prompt_estimate(body: dict[str, Any]) -> int:
    return estimate_tokens(body.get("messages", [])) + (
        estimate_tokens(body["tools"]) if body.get("tools") else 0
    )


def _said(raw: dict[str, Any]) -> str:
    choices = raw.get("choices") or []
    message = choices[0].get("message") if choices and isinstance(choices[0], dict) else None
    if not isinstance(message, dict):
        return ""
    parts = (
        message.get(k)
        for k in ("content", "reasoning_content", "reasoning", "tool_calls", "function_call", "refusal")
    )
    return "".join(p if isinstance(p, str) else str(p) for p in parts if p)


def _part(counts: dict[str, Any], name: str) -> dict[str, Any]:
    part = counts.get(name)
    return part if isinstance(part, dict) else {}


def _count(counts: dict[str, Any], name: str) -> int | None:
    value = counts.get(name)
    return (
        int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 else None
    )
