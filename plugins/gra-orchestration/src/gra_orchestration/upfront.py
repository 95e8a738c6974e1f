"""The upfront planner: a stage of its own, before any geospatial tool is used."""

from __future__ import annotations

from gra_core import ToolChoice
from gra_core.coretools import CORE_TOOLS
from gra_core.loop import converse
from gra_core.plan import Plan, PlanStep
from gra_core.session import Session
from gra_orchestration.instructions import planning_instruction

MAX_PLANNING_CALLS = 4


def plan(session: Session) -> None:
    """Have the model submit a plan (or abstain, where it may).

    A model that answers in words instead gets a plan of one step with these words as its note, so that a weak
    model is not stopped by the planning stage; so does one that keeps submitting plans that are refused.
    """
    tools = [CORE_TOOLS["submit_plan"]]
    if not session.best_effort:
        tools.append(CORE_TOOLS["abstain"])
    instruction = planning_instruction(session)
    start = session.model_calls

    def done() -> bool:
        return (
            session.plan is not None
            or session.abstention is not None
            or session.model_calls - start >= MAX_PLANNING_CALLS
        )

    words = converse(
        session,
        system=lambda: instruction,
        tools=lambda: tools,
        finished=done,
        choice=ToolChoice(mode="any", names=tuple(t.name for t in tools)),
    )
    if session.plan is None and session.abstention is None:
        session.plan = Plan(
            steps=[PlanStep(goal="Answer the question.", skills=[], note=words.strip()[:2000])]
        )
        session.record("plan_submitted", plan={"steps": [{"goal": "Answer the question."}]}, fallback=True)
