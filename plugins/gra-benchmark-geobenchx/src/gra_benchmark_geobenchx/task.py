"""Tasks in the published form: what their reference solutions say of solvability, and as golden workflows."""

from __future__ import annotations

import json
from typing import Any, Literal

from gra_core import Workflow, WorkflowStep
from gra_core.records import RecordError

REJECT = "reject_task"
CONTROL = "Control question"
DATASET_ARGUMENTS = ("dataset", "geodataset", "rasterdataset")
Decision = Literal["solve", "abstain", "either", "answer"]


def solutions(task: dict[str, Any], where: str) -> list[list[dict[str, Any]]]:
    """The steps of each reference solution; `RecordError` for another form."""
    try:
        found = [list(solution["steps"]) for solution in task["reference_solutions"]]
        for step in (step for steps in found for step in steps):
            if not isinstance(step["function_name"], str) or not isinstance(
                step.get("arguments") or {}, dict
            ):
                raise TypeError(f"step {step!r}")
    except (KeyError, TypeError) as error:
        raise RecordError(
            f"{where}: reference_solutions have another form: {type(error).__name__}: {error}",
            hint='expected [{"steps": [{"function_name": "…", "arguments": {…}, "comment": "…"}]}]',
        ) from error
    if not found:
        raise RecordError(f"{where}: no reference solution")
    return found


def decision(found: list[list[dict[str, Any]]], labels: list[str]) -> Decision:
    """What an agent should do: solve the task, abstain, either, or (control questions) answer without tools.

    A solution is a rejection when it calls `reject_task`. An empty one beside a rejection says nothing of its own.
    """
    if CONTROL in labels:
        return "answer"
    rejected = any(_rejects(steps) for steps in found)
    solved = any(steps and not _rejects(steps) for steps in found)
    if solved:
        return "either" if rejected else "solve"
    if not rejected:
        raise RecordError("its reference solutions have no step, and it is no control question")
    return "abstain"


def workflows(found: list[list[dict[str, Any]]], choice: Decision) -> tuple[Workflow, ...]:
    """The solutions that solve the task, as golden workflows; several are alternatives."""
    if choice == "answer":
        return (
            Workflow(
                steps=(
                    WorkflowStep(
                        text="Answer from general knowledge; the question needs no geospatial data."
                    ),
                )
            ),
        )
    solved = [steps for steps in found if steps and not _rejects(steps)]
    return tuple(
        Workflow(
            title=f"reference solution {number}" if len(solved) > 1 else "",
            datasets=tuple(dict.fromkeys(name for step in steps for name in _datasets(step))),
            steps=tuple(WorkflowStep(text=_text(step), optional=_optional(step)) for step in steps),
        )
        for number, steps in enumerate(solved, 1)
    )


def _rejects(steps: list[dict[str, Any]]) -> bool:
    return any(step["function_name"] == REJECT for step in steps)


def _datasets(step: dict[str, Any]) -> list[str]:
    arguments = step.get("arguments") or {}
    return [str(arguments[name]) for name in DATASET_ARGUMENTS if arguments.get(name)]


def _text(step: dict[str, Any]) -> str:
    """The step in the benchmark's own terms: function, arguments, comment."""
    arguments = ", ".join(
        f"{k} = {json.dumps(v, ensure_ascii=False)}" for k, v in (step.get("arguments") or {}).items()
    )
    text = (
        f"{step['function_name'].replace('_', ' ')}: {arguments}"
        if arguments
        else step["function_name"].replace("_", " ")
    )
    comment = str(step.get("comment") or "").strip()
    return f"{text} ({comment})" if comment else text


def _optional(step: dict[str, Any]) -> bool:
    return str(step.get("comment") or "").strip().casefold().startswith("optional step")
