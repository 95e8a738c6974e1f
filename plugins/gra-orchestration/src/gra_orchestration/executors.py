"""The two executors: one loop, with and without a plan."""

from __future__ import annotations

from gra_core.coretools import CORE_TOOLS
from gra_core.loop import converse
from gra_core.session import Session
from gra_core.tool import Tool
from gra_orchestration.instructions import execution_instruction


def reactive(session: Session) -> str:
    """Choose each action after seeing the result of the one before."""
    return _execute(session, planned=False, tracking=())


def guided(session: Session) -> str:
    """Carry out the plan, adapt it, record substitutes."""
    tracking = ("update_plan", "record_proxy") if session.plan is not None else ("record_proxy",)
    return _execute(session, planned=True, tracking=tracking)


def _execute(session: Session, *, planned: bool, tracking: tuple[str, ...]) -> str:
    names = [*tracking]
    if session.skills:
        names += ["load_skills"]
        if any(skill.resources() for skill in session.skills.values()):
            names.append("read_skill_resource")
        if session.configuration.disclosure == "runner":
            names.append("run_skill_tool")
    if not session.best_effort:
        names.append("abstain")
    core: list[Tool] = [CORE_TOOLS[name] for name in names]
    instruction = execution_instruction(session, planned=planned)
    return converse(
        session,
        system=lambda: instruction,
        tools=lambda: core + session.disclosed(),
        finished=lambda: session.abstention is not None,
    )
