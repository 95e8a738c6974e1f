"""Tool calls of a reply: ids, names and arguments made safe."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from attrs import field, frozen

from gra_core import Message, ToolCall


class BadCall(Exception):
    """A tool call that cannot be used; the text says why."""


@frozen(kw_only=True)
class Calls:
    """The calls of one reply. `faults` name calls that cannot be used; `message` is the raw message with ids
    that identify (the only change ever made to it)."""

    calls: tuple[ToolCall, ...] = ()
    faults: tuple[str, ...] = ()
    message: dict[str, Any] = field(factory=dict)


def read_calls(message: dict[str, Any], *, history: tuple[Message, ...], declared: Iterable[str]) -> Calls:
    """The calls in ``tool_calls`` or, in the old form, ``function_call``."""
    raw = message.get("tool_calls")
    wanted = [c for c in raw if isinstance(c, dict)] if isinstance(raw, list) else []
    legacy = message.get("function_call")
    old_form = not wanted and isinstance(legacy, dict)
    if isinstance(legacy, dict) and old_form:
        wanted = [{"function": legacy}]
    used = {call.id for turn in history for call in turn.tool_calls}
    names, calls, faults = set(declared), [], []
    for place, call in enumerate(wanted):
        identity = _identity(call.get("id"), used, seed=f"{len(history)}/{place}")
        used.add(identity)
        wanted[place] = call if call.get("id") == identity else call | {"id": identity}
        try:
            calls.append(_call(call, identity, names))
        except BadCall as error:
            faults.append(str(error))
    patched = message if old_form or not wanted else message | {"tool_calls": wanted}
    return Calls(calls=tuple(calls), faults=tuple(faults), message=patched)


def _call(call: dict[str, Any], identity: str, declared: set[str]) -> ToolCall:
    function = call.get("function")
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(function, dict) or not isinstance(name, str) or not name:
        raise BadCall("a tool call without a function name")
    name = _name(name, declared)
    return ToolCall(id=identity, name=name, arguments=_arguments(name, function.get("arguments")))


def _name(name: str, declared: set[str]) -> str:
    """Models put a namespace before a name now and then: ``functions.foo`` means ``foo`` when that is declared."""
    short = name.rpartition(".")[2]
    return short if name not in declared and short in declared else name


def _arguments(name: str, raw: Any) -> dict[str, Any]:
    """Arguments as an object; absent ones are none, text must be a JSON object."""
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise BadCall(f"the arguments of {name} are not valid JSON ({error})") from None
    if not isinstance(raw, dict):
        raise BadCall(f"the arguments of {name} are a JSON {type(raw).__name__}, not an object")
    return raw


def _identity(given: Any, used: set[str], *, seed: str) -> str:
    """The given id, or one of ours where it is missing or used before: nine letters and digits suit every server."""
    if isinstance(given, str) and given and given not in used:
        return given
    count = 0
    while (ours := hashlib.sha256(f"{seed}/{count}".encode()).hexdigest()[:9]) in used:
        count += 1
    return ours
