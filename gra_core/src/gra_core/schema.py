"""JSON schemas from type annotations, and arguments checked against them.

The subset is what every provider accepts: type, description, properties, required, items, enum, anyOf,
minimum, maximum, minItems, maxItems, pattern, additionalProperties.
"""

from __future__ import annotations

import difflib
import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Literal, Union, get_args, get_origin

from attrs import frozen

from gra_core.errors import PluginError, ToolError

_SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    dict: {"type": "object"},
    list: {"type": "array", "items": {}},
}


@frozen(kw_only=True)
class Param:
    """Extra facts of a parameter, given as ``Annotated[type, Param(...)]``."""

    description: str = ""
    minimum: float | None = None
    maximum: float | None = None
    min_items: int | None = None
    max_items: int | None = None
    pattern: str | None = None

    def keywords(self) -> dict[str, Any]:
        """The JSON-schema keywords that are set."""
        named = {
            "description": self.description or None,
            "minimum": self.minimum,
            "maximum": self.maximum,
            "minItems": self.min_items,
            "maxItems": self.max_items,
            "pattern": self.pattern,
        }
        return {key: value for key, value in named.items() if value is not None}


def schema_of(annotation: Any) -> dict[str, Any]:
    """The JSON schema of one annotation; `TypeError` for types that tools cannot take."""
    if annotation in _SIMPLE:
        return dict(_SIMPLE[annotation])
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        schema = schema_of(args[0])
        for extra in args[1:]:
            if isinstance(extra, Param):
                schema |= extra.keywords()
        return schema
    if origin is Literal:
        kinds = {type(a) for a in args}
        if len(kinds) != 1:
            raise TypeError(f"Literal of mixed types: {annotation}")
        return _SIMPLE[kinds.pop()] | {"enum": list(args)}
    if origin in (Union, types.UnionType):
        return _union(args)
    if origin is list:
        return {"type": "array", "items": schema_of(args[0])}
    if origin is dict:
        return (
            {"type": "object", "additionalProperties": schema_of(args[1])}
            if args[1] is not Any
            else {"type": "object"}
        )
    if typing.is_typeddict(annotation):
        hints = typing.get_type_hints(annotation, include_extras=True)
        # Not __required_keys__: postponed annotations hide NotRequired from it.
        optional = {name for name, hint in hints.items() if get_origin(hint) is typing.NotRequired}
        properties = {
            name: schema_of(get_args(hint)[0] if name in optional else hint) for name, hint in hints.items()
        }
        required = [name for name in properties if name not in optional]
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }
    raise TypeError(
        f"unsupported annotation {annotation!r}; use str, int, float, bool, list, dict, Literal, TypedDict or unions"
    )


def _union(args: tuple[Any, ...]) -> dict[str, Any]:
    rest = [a for a in args if a is not type(None)]
    if len(rest) == 1:
        return schema_of(rest[0])
    return {"anyOf": [schema_of(a) for a in rest]}


def parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The object schema of a tool function's parameters: all but the first, which is the context.

    Descriptions come from the docstring's ``Args:`` section unless `Param` gives one. An optional parameter
    (``X | None = None``) may be left out or null.
    """
    hints = typing.get_type_hints(function, include_extras=True)
    described = argument_docs(inspect.getdoc(function) or "")
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        where = f"tool {function.__module__}:{function.__name__}, parameter {parameter.name!r}"
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or parameter.name not in hints:
            raise PluginError(f"{where}: needs a name and a type annotation of its own")
        try:
            schema = schema_of(hints[parameter.name])
        except TypeError as error:
            raise PluginError(f"{where}: {error}") from error
        if parameter.name in described:
            schema["description"] = described[parameter.name]
        properties[parameter.name] = schema
        if parameter.default is parameter.empty:
            required.append(parameter.name)
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def summary_of(function: Callable[..., Any]) -> str:
    """The docstring up to its ``Args:``, ``Returns:`` or ``Raises:`` section."""
    text = inspect.getdoc(function) or ""
    return re.split(r"\n\s*(?:Args|Returns|Raises):\s*\n", text)[0].strip()


def argument_docs(doc: str) -> dict[str, str]:
    """The entries of a Google-style ``Args:`` section."""
    match = re.search(r"(?:^|\n)Args:\n(.*?)(?=\n\S|\Z)", doc, re.S)
    if not match:
        return {}
    entries: dict[str, str] = {}
    name = ""
    for line in match[1].splitlines():
        if entry := re.match(r"^ {4}(\w+):\s*(.*)$", line):
            name = entry[1]
            entries[name] = entry[2].strip()
        elif name and line.strip():
            entries[name] += " " + line.strip()
    return entries


def check_arguments(tool: str, schema: dict[str, Any], arguments: Any) -> dict[str, Any]:
    """Arguments that fit the schema, whole floats made integers where integers are wanted, nulls of optional
    parameters dropped; else `ToolError` of kind ``bad_argument`` that names every fault."""
    if not isinstance(arguments, dict):
        raise ToolError(
            "bad_argument",
            f"{tool}: arguments must be a JSON object, got {type(arguments).__name__}",
            hint=f"give an object with: {', '.join(schema['properties']) or 'nothing'}",
        )
    required = set(schema.get("required", ()))
    arguments = {
        k: v for k, v in arguments.items() if v is not None or k in required or k not in schema["properties"]
    }
    faults = list(_faults(schema, arguments))
    if faults:
        wanted = ", ".join(f"{n}{'' if n in required else ' (optional)'}" for n in schema["properties"])
        raise ToolError(
            "bad_argument", f"{tool}: " + "; ".join(faults[:5]), hint=f"parameters: {wanted or 'none'}"
        )
    return {k: _coerce(schema["properties"][k], v) for k, v in arguments.items()}


def _faults(schema: dict[str, Any], arguments: dict[str, Any]) -> Iterator[str]:
    known = schema["properties"]
    for name in sorted(set(arguments) - set(known)):
        near = difflib.get_close_matches(name, known, n=1)
        yield f"unknown parameter {name!r}" + (f", did you mean {near[0]!r}?" if near else "")
    for name in schema.get("required", ()):
        if name not in arguments:
            yield f"missing parameter {name!r}: {known[name].get('description', known[name].get('type', ''))}"
    for name, value in arguments.items():
        if name in known:
            if (place := _non_finite(value, name)) is not None:
                yield f"parameter {place!r} is not a finite number"
                continue
            yield from _mismatches(name, known[name], value)


def _mismatches(name: str, schema: dict[str, Any], value: Any) -> Iterator[str]:
    for error in _validator(_Frozen(schema)).iter_errors(value):
        deepest = error
        while deepest.context:
            deepest = max(deepest.context, key=lambda e: len(e.absolute_path))
            if len(deepest.absolute_path) == len(error.absolute_path):
                deepest = error
                break
        path = name + "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in deepest.absolute_path)
        yield f"parameter {path!r}: {_wanted(deepest)}, got {_short(deepest.instance)}"


def _wanted(error: Any) -> str:
    if error.validator == "anyOf":
        options = [s.get("type", "value") for s in error.validator_value]
        return "expected " + " or ".join(map(str, options))
    if error.validator == "type":
        return f"expected {error.validator_value}"
    if error.validator == "enum":
        return f"expected one of {error.validator_value}"
    labels = {
        "minimum": "at least",
        "maximum": "at most",
        "minItems": "at least this many items:",
        "maxItems": "at most this many items:",
        "pattern": "text matching",
    }
    return f"expected {labels.get(error.validator, error.validator)} {error.validator_value}"


def _short(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 80 else text[:77] + '...'}"


def _non_finite(value: Any, path: str) -> str | None:
    if isinstance(value, float) and not math.isfinite(value):
        return path
    items: Any = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return next((p for k, v in items if (p := _non_finite(v, f"{path}[{k}]")) is not None), None)


def _coerce(schema: dict[str, Any], value: Any) -> Any:
    """Providers send 5.0 for 5: whole floats become integers where the schema wants integers."""
    if schema.get("type") == "integer" and isinstance(value, float):
        return int(value)
    if schema.get("type") == "number" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [_coerce(schema["items"], v) for v in value]
    return value


class _Frozen:
    """A hashable view of a schema, by identity: tool schemas live as long as their tool."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Frozen) and other.schema is self.schema


@lru_cache(maxsize=2048)
def _validator(schema: _Frozen) -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator(schema.schema)
