"""From a model request to the SDK's ``GenerateContentConfig``: tools, tool choice, thinking, safety."""

from __future__ import annotations

import re
from typing import Any

from gra_core import ModelError, ModelRequest, ToolChoice, ToolDeclaration
from gra_model_gemini.families import Family
from gra_model_gemini.options import Options

NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$")


def config_of(request: ModelRequest, *, options: Options, family: Family, model: str) -> dict[str, Any]:
    """The configuration of one request, made anew each time: nothing in it is shared with another request."""
    settings = request.settings
    config: dict[str, Any] = {
        "system_instruction": request.system.strip() or None,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        "max_output_tokens": settings.max_output_tokens,
        "tools": _tools(request.tools, options) or None,
        "tool_config": _tool_config(request, options, family, model),
        "thinking_config": family.thinking_config(
            settings.thinking, include_thoughts=options.include_thoughts, model=model
        ),
        "safety_settings": [{"category": c, "threshold": t} for c, t in options.safety.items()] or None,
        # The loop calls tools itself, and counts every request itself.
        "automatic_function_calling": {"disable": True},
        "automatic_continuation": False,
    }
    return {key: value for key, value in config.items() if value is not None} | options.config


def _tools(declarations: tuple[ToolDeclaration, ...], options: Options) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = [{name: {}} for name in options.built_in]
    if declarations:
        tools.append({"function_declarations": [_declaration(d) for d in declarations]})
    return tools


def _declaration(tool: ToolDeclaration) -> dict[str, Any]:
    if not NAME.match(tool.name):
        raise ModelError(
            "bad_request",
            f"Gemini does not take the tool name {tool.name!r}",
            hint="a letter or _ first, then letters, digits, _ . : or -, at most 64 in all",
        )
    declaration: dict[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.parameters.get("properties"):
        # An empty object schema is refused in mode ANY; no schema at all is not.
        declaration["parameters_json_schema"] = tool.parameters
    return declaration


def _tool_config(
    request: ModelRequest, options: Options, family: Family, model: str
) -> dict[str, Any] | None:
    if not request.tools:
        if request.choice.mode == "any":
            raise ModelError("bad_request", "a tool call is asked for, but no tool is declared")
        return None
    mixed = bool(options.built_in)
    if mixed and not family.mixes_tools:
        raise ModelError(
            "bad_request",
            f"{model} cannot mix built-in tools ({', '.join(options.built_in)}) with functions",
            hint="use Gemini 3 or later, or leave built_in out",
        )
    config: dict[str, Any] = {"function_calling_config": _calling(request.choice, request.tools, mixed)}
    return config | ({"include_server_side_tool_invocations": True} if mixed else {})


def _calling(choice: ToolChoice, tools: tuple[ToolDeclaration, ...], mixed: bool) -> dict[str, Any]:
    declared = {tool.name for tool in tools}
    if unknown := [name for name in choice.names if name not in declared]:
        raise ModelError("bad_request", f"tool choice names {unknown[0]!r}, which is not declared")
    mode = {"auto": "VALIDATED" if mixed else "AUTO", "any": "ANY", "none": "NONE"}[choice.mode]
    calling: dict[str, Any] = {"mode": mode}
    if choice.mode == "any" and choice.names:
        calling["allowed_function_names"] = list(choice.names)
    return calling
