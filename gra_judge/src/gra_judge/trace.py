"""What is left of a trajectory once execution noise is gone: the analysis, in order, and the final answer.

The same for every configuration. Left out are what only the machinery of a configuration does (loading skills, plans and
their tracking, guards), the model's thoughts, timings, tokens, and the texts of errors; a tool that was called through a
runner stands there as if it had been called directly. Two trajectories with the same analysis give the same trace.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import attrs
from attrs import frozen

from gra_core import Event

# The loop's own tools: none of them retrieves or computes anything.
BOOKKEEPING = frozenset(
    {
        "load_skills",
        "read_skill_resource",
        "submit_plan",
        "update_plan",
        "record_proxy",
        "abstain",
        "run_skill_tool",
    }
)
RUNNER = "run_skill_tool"
# The parts of a reply that say what was found; anything else (quotas) is the machinery's.
CONTENT_KEYS = ("content", "datasets", "notes", "stored")
# Characters that could pass for the layout of what the judge reads, or hide in it.
INVISIBLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)


@frozen(kw_only=True)
class Said:
    """Words of the agent between calls: what it says, not what it did. `cut` counts characters left out."""

    text: str
    cut: int = 0


@frozen(kw_only=True)
class Call:
    """A tool call and what came back; `times` when the same call gave the same result several times in a row.

    `status` is ok, empty, failed, or unfinished. Of a failed call only the tool and the kind of failure are kept.
    """

    tool: str
    arguments: Any = None
    status: str = "ok"
    result: Any = None
    times: int = 1
    cut: int = 0


@frozen(kw_only=True)
class Gap:
    """Steps left out for length."""

    steps: int


Item = Said | Call | Gap


@frozen(kw_only=True)
class Trace:
    """The steps of an analysis in order, and the whole final answer."""

    items: tuple[Item, ...] = ()
    answer: str = ""


def trace_of(events: Iterable[Event], answer: str | None = None) -> Trace:
    """The trace of a trajectory. `answer` is the final answer, by default that of the event ``answered``."""
    reader = _Reader()
    for event in events:
        reader.take(event)
    return reader.trace(answer)


class _Reader:
    """Goes through the events once."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.answer = ""
        self._stage = ""
        self._open: dict[str, dict[str, Any]] = {}
        self._last = ""
        self._blocked: set[str] = set()

    def take(self, event: Event) -> None:
        handler = getattr(self, f"_{event.kind}", None)
        if handler is not None:
            handler(event.data)

    def trace(self, answer: str | None) -> Trace:
        for data in self._open.values():
            if (named := _named(data)) is not None:
                self._add(Call(tool=named[0], arguments=named[1], status="unfinished"))
        final = self.answer if answer is None else answer
        items = self.items
        if items and isinstance(items[-1], Said) and items[-1].text == final.strip():
            items = items[:-1]
        return Trace(items=tuple(items), answer=final)

    def _stage_started(self, data: dict[str, Any]) -> None:
        self._stage = data["stage"]

    def _model_replied(self, data: dict[str, Any]) -> None:
        if self._stage != "planning" and (text := data["text"].strip()):
            self._add(Said(text=text))

    def _tool_called(self, data: dict[str, Any]) -> None:
        self._open[data["id"]] = data
        self._last = data["id"]

    def _guidance_applied(self, data: dict[str, Any]) -> None:
        if "tool" in data:
            self._blocked.add(self._last)

    def _tool_returned(self, data: dict[str, Any]) -> None:
        called = self._open.pop(data["id"], None)
        # A call that a guard blocked was never made.
        if data["id"] in self._blocked:
            self._blocked.discard(data["id"])
            return
        if called is not None and (named := _named(called)) is not None:
            self._add(_call(*named, data["status"], data["output"]))

    def _answered(self, data: dict[str, Any]) -> None:
        self.answer = data["text"]

    def _add(self, item: Item) -> None:
        last = self.items[-1] if self.items else None
        if isinstance(item, Call) and isinstance(last, Call) and attrs.evolve(last, times=1) == item:
            self.items[-1] = attrs.evolve(last, times=last.times + 1)
        else:
            self.items.append(item)


def _named(called: dict[str, Any]) -> tuple[str, Any] | None:
    """Tool and arguments of a call, out of the runner where it went through one; None for bookkeeping."""
    name, arguments = called["name"], called["arguments"]
    if name == RUNNER and isinstance(arguments, dict):
        name, arguments = arguments.get("tool", RUNNER), arguments.get("arguments", {})
    return None if name in BOOKKEEPING or not isinstance(name, str) else (name, arguments)


def _call(tool: str, arguments: Any, status: str, output: dict[str, Any]) -> Call:
    if status == "error":
        kind = output.get("error", {}).get("kind", "unknown")
        return Call(tool=tool, status="failed", result=kind)
    # What rules add to an empty result are notes; the reason is content.
    left_out = {"notes"} if status == "empty" else set()
    result = {k: output[k] for k in CONTENT_KEYS if k in output and k not in left_out}
    return Call(tool=tool, arguments=arguments, status=status, result=result)


def line(item: Item, number: int) -> str:
    """An item as one line of JSON: nothing inside it can begin a line, or a field, of its own."""
    if isinstance(item, Gap):
        return dumps({"left_out_for_length": f"{item.steps} steps"})
    shown: dict[str, Any] = {"step": number}
    if isinstance(item, Said):
        shown |= {"kind": "words", "text": item.text}
    else:
        shown |= {"kind": "call", "tool": item.tool, "status": item.status}
        shown |= {} if item.arguments is None else {"arguments": item.arguments}
        shown |= (
            {} if item.result is None else {"failure" if item.status == "failed" else "result": item.result}
        )
        shown |= {"times": item.times} if item.times > 1 else {}
    if item.cut:
        shown["cut"] = f"{item.cut} characters left out of this step for length"
    return dumps(shown)


def lines(trace: Trace) -> str:
    """The steps, one a line, numbered; steps left out keep their numbers."""
    made, number = [], 0
    for item in trace.items:
        made.append(line(item, number + 1))
        number += item.steps if isinstance(item, Gap) else 1
    return "\n".join(made)


def dumps(value: Any) -> str:
    """Compact JSON; characters that are invisible or end a line are escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return INVISIBLE.sub(lambda found: json.dumps(found[0])[1:-1], text)
