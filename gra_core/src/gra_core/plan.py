"""Plans: milestones with their status, a roadmap that may change while it is followed."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from attrs import define, field

from gra_core.errors import ToolError

StepStatus = Literal["pending", "in_progress", "done", "replaced", "dropped"]


class Milestone(TypedDict):
    """One stage of a plan, as the planner submits it."""

    goal: str
    skills: list[str]
    data: NotRequired[str]
    fallback: NotRequired[str]


@define
class PlanStep:
    """A milestone with what became of it."""

    goal: str
    skills: list[str]
    data: str = ""
    fallback: str = ""
    status: StepStatus = "pending"
    note: str = ""


@define
class Plan:
    """Steps, numbered from 1, and the gaps between what is wanted and what the capabilities cover."""

    steps: list[PlanStep]
    gaps: list[str] = field(factory=list)

    def update(self, step: int, status: StepStatus, note: str) -> None:
        """Change a step's status. A step may also be replaced: the note becomes its goal."""
        if not 1 <= step <= len(self.steps):
            raise ToolError(
                "bad_argument", f"the plan has no step {step}", hint=f"steps are 1 to {len(self.steps)}"
            )
        current = self.steps[step - 1]
        current.status, current.note = status, note

    def as_text(self) -> str:
        """The plan as the executor's instruction shows it."""
        lines = []
        for number, step in enumerate(self.steps, 1):
            lines.append(
                f"{number}. [{step.status}] {step.goal} (skills: {', '.join(step.skills) or 'none'})"
            )
            lines += [
                f"   {label}: {text}"
                for label, text in (("data", step.data), ("fallback", step.fallback), ("note", step.note))
                if text
            ]
        lines += [f"Gap: {gap}" for gap in self.gaps]
        return "\n".join(lines)
