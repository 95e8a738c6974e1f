"""Golden workflows: how experts would answer an open-ended query, and the forms in which they are written down."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from gra_core.records import RecordError

# The names that each part goes by in files; compared without case, spaces and underscores.
DATASETS = ("datasets", "data", "data_sources", "datasources", "inputs", "required_data")
STEPS = ("steps", "workflow", "analysis_steps", "analysis", "procedure", "methods")
OUTPUTS = ("outputs", "output", "deliverables", "expected_outputs", "results")
TEXT = ("text", "step", "description", "action", "instruction", "name", "title")
OPTIONAL = re.compile(
    r"^(?:[\[(]\s*optional(?:\s+step)?\s*[\])]\s*[:.\-–]?|optional(?:\s+step)?\s*[:\-–])\s*", re.IGNORECASE
)
OPTIONAL_END = re.compile(r"\s*[\[(]\s*optional(?:\s+step)?\s*[\])]\s*\.?$", re.IGNORECASE)
BULLET = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):])\s+")
HEADING = re.compile(r"^[#*\s]*([A-Za-z][A-Za-z _]{2,30})[*\s]*:?[*\s]*$")


@frozen(kw_only=True)
class WorkflowStep:
    """One step of an analysis. An optional one may be left out without loss."""

    text: str
    optional: bool = False


@frozen(kw_only=True)
class Workflow:
    """A reference workflow: the datasets it uses, its steps in order, and what it puts out.

    `title` tells alternatives of one query apart. A workflow that is known as running text only is one step.
    """

    steps: tuple[WorkflowStep, ...]
    datasets: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    title: str = ""


def read_workflow(value: Any) -> Workflow:
    """One workflow in any form: an object with datasets, steps and outputs; a list of steps; text with these headings, or
    without them; or JSON text of any of these. `RecordError` says what is missing."""
    value = _parsed(value)
    if isinstance(value, Mapping):
        return _from_object(value)
    if isinstance(value, list):
        return Workflow(steps=_steps(value))
    if isinstance(value, str) and value.strip():
        return _from_text(value)
    raise RecordError("an empty workflow", hint="expected text, a list of steps, or an object with steps")


def read_workflows(value: Any) -> tuple[Workflow, ...]:
    """Alternative workflows: a list of workflows, an object that names each, or a single one."""
    value = _parsed(value)
    if isinstance(value, list) and value:
        if all(isinstance(v, Mapping) and _partless(v) for v in value):
            return (read_workflow(value),)
        return tuple(read_workflow(v) for v in value)
    if isinstance(value, Mapping) and _partless(value):
        made = [(str(title), read_workflow(v)) for title, v in value.items() if v]
        if not made:
            raise RecordError("no workflow", hint="expected a list of workflows or an object that names each")
        return tuple(
            Workflow(steps=w.steps, datasets=w.datasets, outputs=w.outputs, title=w.title or t)
            for t, w in made
        )
    return (read_workflow(value),)


def _parsed(value: Any) -> Any:
    """JSON that stands in a text, as in a cell of a CSV file."""
    if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _from_object(value: Mapping[str, Any]) -> Workflow:
    steps = _parsed(_part(value, STEPS))
    if not steps:
        raise RecordError(
            f"a workflow without steps (has {', '.join(map(str, value)) or 'nothing'})",
            hint=f"the steps stand in one of: {', '.join(STEPS)}",
        )
    if isinstance(steps, str):
        steps = _from_text(steps).steps
    return Workflow(
        steps=steps if isinstance(steps, tuple) else _steps(steps),
        datasets=tuple(_lines(_part(value, DATASETS))),
        outputs=tuple(_lines(_part(value, OUTPUTS))),
        title=str(value.get("title") or ""),
    )


def _part(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    keys = {_key(key): key for key in value}
    return next((value[keys[_key(n)]] for n in names if _key(n) in keys), None)


def _partless(value: Mapping[str, Any]) -> bool:
    """Whether an object has none of a workflow's parts: a step, or a set of named workflows."""
    return all(_part(value, names) is None for names in (STEPS, DATASETS, OUTPUTS))


def _key(name: Any) -> str:
    return re.sub(r"[\W_]+", "", str(name)).casefold()


def _steps(value: Any) -> tuple[WorkflowStep, ...]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if not isinstance(value, list) or not value:
        raise RecordError(f"steps of type {type(value).__name__}", hint="expected a list of texts or objects")
    return tuple(_step(item) for item in value)


def _step(value: Any) -> WorkflowStep:
    optional: Any = False
    if isinstance(value, Mapping):
        optional = value.get("optional", value.get("Optional", False))
        value = _part(value, TEXT)
    if not isinstance(value, str) or not value.strip():
        raise RecordError(
            "a step without text", hint=f"the text of a step stands in one of: {', '.join(TEXT)}"
        )
    if isinstance(optional, str):
        optional = optional.strip().casefold() in ("true", "yes", "1", "optional")
    text = BULLET.sub("", value.strip(), count=1).strip()
    bare = OPTIONAL_END.sub("", OPTIONAL.sub("", text)).strip() or text
    said = bare != text or text.casefold().startswith("optionally")
    return WorkflowStep(text=bare, optional=bool(optional) or said)


def _lines(value: Any) -> Iterator[str]:
    """Texts of a list, of the lines of a text, or of the values of an object."""
    value = _parsed(value)
    if isinstance(value, Mapping):
        value = [f"{k}: {v}" if isinstance(v, str) else str(k) for k, v in value.items()]
    for item in value.splitlines() if isinstance(value, str) else value or ():
        if isinstance(item, Mapping):
            item = _part(item, TEXT)
        if text := BULLET.sub("", str(item or "").strip(), count=1):
            yield text


def _from_text(text: str) -> Workflow:
    """Text with headings for datasets, steps and outputs; without a heading for steps, all of it is one step."""
    parts: dict[str, list[str]] = {}
    current = ""
    for line in text.strip().splitlines():
        heading = HEADING.match(line)
        name = next((n for n, names in _HEADINGS.items() if heading and _key(heading[1]) in names), "")
        if name:
            current = name
        elif line.strip():
            parts.setdefault(current, []).append(line.strip())
    if not parts.get("steps"):
        return Workflow(steps=(WorkflowStep(text=text.strip()),))
    return Workflow(
        steps=tuple(_step(line) for line in parts["steps"]),
        datasets=tuple(_lines(parts.get("datasets", []))),
        outputs=tuple(_lines(parts.get("outputs", []))),
    )


_HEADINGS = {
    "datasets": {_key(n) for n in DATASETS},
    "steps": {_key(n) for n in STEPS},
    "outputs": {_key(n) for n in OUTPUTS},
}
