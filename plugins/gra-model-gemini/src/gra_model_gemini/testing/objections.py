"""What the real API is known to refuse."""

from __future__ import annotations

import re
from typing import Any

from gra_model_gemini.testing.wire import Received, signature_bytes

STAND_IN = b"skip_thought_signature_validator"
UNANSWERED = (
    "Please ensure that the number of function response parts is equal to that of function call parts."
)


def objection(request: Received, signatures: set[bytes]) -> str:
    """Why the real API would refuse a request, as far as that is known; empty when it would not."""
    contents, body = request.contents, request.body
    if not contents or contents[0].get("role") != "user":
        return "Please ensure that the conversation starts with a user turn"
    if contents[-1].get("role") != "user":
        return "Requests ending with a model turn are not supported"
    for turn in contents:
        if not turn.get("parts") or any(p in ({}, {"text": ""}) for p in turn["parts"]):
            return "contents.parts must not be empty"
    return (
        _unanswered(contents)
        or _unsigned(contents, request.model, signatures)
        or _bad_tools(body)
        or _bad_thinking(body, request.model)
    )


def _unanswered(contents: list[dict[str, Any]]) -> str:
    for index, turn in enumerate(contents):
        calls = [p["functionCall"] for p in turn["parts"] if "functionCall" in p]
        following = contents[index + 1]["parts"] if index + 1 < len(contents) else []
        responses = [p["functionResponse"] for p in following if "functionResponse" in p]
        if turn["role"] == "model" and [(c.get("id"), c["name"]) for c in calls] != [
            (r.get("id"), r["name"]) for r in responses
        ]:
            return UNANSWERED
        if any(not r["response"].keys() & {"output", "error"} for r in responses):
            return "function_response.response must have the key output or error"
    return ""


def _unsigned(contents: list[dict[str, Any]], model: str, signatures: set[bytes]) -> str:
    for turn in contents:
        calls = [p for p in turn["parts"] if "functionCall" in p]
        if calls and "thoughtSignature" not in calls[0] and not model.startswith(("gemini-2", "gemini-1")):
            return "Function call is missing a thought_signature in functionCall parts."
        for part in turn["parts"]:
            if (text := part.get("thoughtSignature")) and signature_bytes(text) not in signatures | {
                STAND_IN
            }:
                return "Corrupted thought signature."
    return ""


def _bad_tools(body: dict[str, Any]) -> str:
    tools, config = body.get("tools", []), body.get("toolConfig", {})
    functions = [f for tool in tools for f in tool.get("functionDeclarations", [])]
    built_in = [key for tool in tools for key in tool if key != "functionDeclarations"]
    calling = config.get("functionCallingConfig", {})
    if any(not re.match(r"^[A-Za-z_][\w.:-]{0,63}$", f["name"]) for f in functions):
        return "Invalid function name."
    empty = [f for f in functions if f.get("parametersJsonSchema", {"properties": 1}).get("properties") == {}]
    if calling.get("mode") == "ANY" and empty:
        return "parameters.properties: should be non-empty for OBJECT type"
    if functions and built_in and not config.get("includeServerSideToolInvocations"):
        return "Built-in tools and function calling cannot be combined in the same request."
    return ""


def _bad_thinking(body: dict[str, Any], model: str) -> str:
    thinking = body.get("generationConfig", {}).get("thinkingConfig", {})
    if model.startswith("gemini-3.8-flash") and thinking.get("thinkingLevel") == "MINIMAL":
        return "Thinking level MINIMAL is not supported for this model."
    if model.startswith("gemini-2.5") and "thinkingLevel" in thinking:
        return "Thinking level is not supported for this model."
    return ""
