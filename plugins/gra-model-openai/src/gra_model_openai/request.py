"""The body of a chat-completions request."""

from __future__ import annotations

from typing import Any

from gra_core import ModelRequest, ModelSettings, ToolDeclaration, UsageError
from gra_model_openai.settings import Endpoint, split_extra
from gra_model_openai.turns import wire_messages

MAX_TOKENS_FIELDS = ("max_completion_tokens", "max_tokens")


def request_body(request: ModelRequest, *, model_id: str, name: str, endpoint: Endpoint) -> dict[str, Any]:
    """Everything of a request, ready for JSON; only what is set is sent, and `extra` has the last word."""
    _, extra = split_extra(request.settings.extra)
    body: dict[str, Any] = {"model": name, "messages": wire_messages(request, model_id)}
    body |= tool_fields(request) | sampling_fields(request.settings, endpoint)
    return body | extra


def sampling_fields(settings: ModelSettings, endpoint: Endpoint) -> dict[str, Any]:
    """Decoding settings under their wire names; thinking ``off`` is the effort ``none``."""
    effort = "none" if settings.thinking == "off" else settings.thinking
    values = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        _max_tokens_field(settings, endpoint): settings.max_output_tokens,
        "reasoning_effort": effort,
    }
    return {key: value for key, value in values.items() if value is not None}


def _max_tokens_field(settings: ModelSettings, endpoint: Endpoint) -> str:
    field = split_extra(settings.extra)[0].max_tokens_field
    if field and field not in MAX_TOKENS_FIELDS:
        raise UsageError(
            f"model setting max_tokens_field is {field!r}",
            hint=f"it must be {' or '.join(MAX_TOKENS_FIELDS)}",
        )
    return field or MAX_TOKENS_FIELDS[0 if endpoint.official else 1]


def tool_fields(request: ModelRequest) -> dict[str, Any]:
    """Declarations and choice. A choice among several names declares just these: every server understands that."""
    names = request.choice.names if request.choice.mode == "any" else ()
    tools = [t for t in request.tools if not names or t.name in names]
    if not tools:
        return {}
    fields: dict[str, Any] = {"tools": [_declaration(t) for t in tools]}
    if request.choice.mode == "none":
        fields["tool_choice"] = "none"
    elif request.choice.mode == "any":
        one = {"type": "function", "function": {"name": tools[0].name}}
        fields["tool_choice"] = one if len(names) == 1 else "required"
    return fields


def _declaration(tool: ToolDeclaration) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}
