"""Tools for a small window: declarations as short signatures."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gra_core import ToolDeclaration
from gra_core.tokens import estimate_tokens


def describe(tools: Iterable[ToolDeclaration], *, most_tokens: int) -> str:
    """One entry a tool: whole descriptions when they fit into `most_tokens`, else only their first sentences."""
    tools = list(tools)
    full = "\n".join(_entry(tool, full=True) for tool in tools)
    return (
        full
        if estimate_tokens(full) <= most_tokens
        else "\n".join(_entry(tool, full=False) for tool in tools)
    )


def _entry(tool: ToolDeclaration, *, full: bool) -> str:
    properties = tool.parameters.get("properties", {})
    required = set(tool.parameters.get("required", ()))
    fields = (
        f"{name}{'' if name in required else '?'}: {type_text(schema)}" for name, schema in properties.items()
    )
    head = f"{tool.name}({', '.join(fields)})"
    if not full:
        return f"{head}: {first_sentence(tool.description)}"
    notes = [
        f"  {name}: {schema['description']}"
        for name, schema in properties.items()
        if schema.get("description")
    ]
    return "\n".join([f"{head}: {' '.join(tool.description.split())}", *notes])


def first_sentence(text: str) -> str:
    """The first sentence, at most 160 characters of it."""
    sentence = re.split(r"(?<=[.!?])\s|\n\s*\n", text.strip(), maxsplit=1)[0]
    sentence = " ".join(sentence.split())
    return sentence if len(sentence) <= 160 else sentence[:157] + "..."


def type_text(schema: dict[str, Any]) -> str:
    """A schema as a short type: ``string``, ``"a"|"b"``, ``[number]``, ``{x: number}``."""
    if "enum" in schema:
        return "|".join(f'"{v}"' if isinstance(v, str) else str(v) for v in schema["enum"])
    if "anyOf" in schema:
        return "|".join(type_text(option) for option in schema["anyOf"])
    kind = schema.get("type", "any")
    if kind == "array":
        return f"[{type_text(schema.get('items', {}))}]"
    if kind == "object" and schema.get("properties"):
        return (
            "{" + ", ".join(f"{name}: {type_text(part)}" for name, part in schema["properties"].items()) + "}"
        )
    return "|".join(kind) if isinstance(kind, list) else str(kind)
