"""Golden workflows: how experts would answer an open-ended query."""

from __future__ import annotations

from attrs import frozen


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
