"""Constrained output: one JSON object that is either a final answer or a tool call, read strictly."""

from __future__ import annotations

import json
import re
from typing import Any

from attrs import field, frozen

from gra_core import ToolDeclaration
from gra_model_local.grammar import bare

_OPEN_ANSWER = re.compile(r'\A\s*\{\s*"answer"\s*:\s*"(.*)\Z', re.DOTALL)


class BadOutput(Exception):
    """Output that is neither an answer nor a call; the text says why."""


@frozen(kw_only=True)
class Output:
    """An answer, or the call of `tool`."""

    answer: str = ""
    tool: str = ""
    arguments: dict[str, Any] = field(factory=dict)


def output_schema(tools: tuple[ToolDeclaration, ...], *, answer: bool, loose: bool = False) -> dict[str, Any]:
    """The JSON schema of what may come: an answer (when allowed) or the call of one of the tools, with its
    arguments. `loose` leaves the arguments open, for schemas that cannot be made into a grammar."""
    options = [_object({"answer": {"type": "string"}})] if answer else []
    if loose:
        options.append(_object({"tool": {"enum": [t.name for t in tools]}, "arguments": {"type": "object"}}))
    else:
        options += [_object({"tool": {"const": t.name}, "arguments": bare(t.parameters)}) for t in tools]
    return options[0] if len(options) == 1 else {"anyOf": options}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def read_output(text: str, tools: tuple[ToolDeclaration, ...], *, answer: bool) -> Output:
    """The answer or call in a reply; `BadOutput` for anything that is not exactly one of the two."""
    try:
        value = json.loads(text, parse_constant=_refuse)
        json.dumps(
            value, ensure_ascii=False
        ).encode()  # fails on half a surrogate pair, which no log can hold
    except (ValueError, RecursionError) as error:
        raise BadOutput(f"it is not valid JSON ({error})") from None
    if not isinstance(value, dict):
        raise BadOutput(f"it is a JSON {type(value).__name__}, not an object")
    if answer and set(value) == {"answer"} and isinstance(value["answer"], str):
        return Output(answer=value["answer"])
    if set(value) != {"tool", "arguments"}:
        raise BadOutput(f"it has the keys {', '.join(sorted(value)) or 'of nothing'}")
    if value["tool"] not in [t.name for t in tools]:
        raise BadOutput(f"there is no tool {value['tool']!r}")
    if not isinstance(value["arguments"], dict):
        raise BadOutput("its arguments are not an object")
    return Output(tool=value["tool"], arguments=value["arguments"])


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def well_begun(text: str) -> bool:
    """Whether cut-off output is the start of an answer or call, rather than something else altogether."""
    start = re.sub(r"\s", "", text[:40])[:8]
    return any(begin.startswith(start[: len(begin)]) for begin in ('{"answer"', '{"tool"'))


def open_answer(text: str) -> str:
    """The text of an answer that the output limit cut off; empty when the cut-off output was no answer."""
    found = _OPEN_ANSWER.match(text)
    if not found:
        return ""
    for end in range(len(found[1]), max(-1, len(found[1]) - 12), -1):  # an escape may be cut in two
        try:
            return str(json.loads(f'"{found[1][:end]}"', strict=False)).encode("utf-8", "ignore").decode()
        except ValueError:
            continue
    return ""
