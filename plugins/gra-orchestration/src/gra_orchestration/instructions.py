"""System instructions, put together from the configuration and the state of the session."""

from __future__ import annotations

from gra_core.capability import capabilities
from gra_core.session import Session

PLANNING = """
You plan how a question about places on Earth will be answered; somebody else carries the plan out with the skills below.
Nothing is retrieved in this stage. Compare what the question needs with what the cards say: coverage, resolution,
period, limits. Then call submit_plan once.

- A simple look-up is one milestone. Split only where one stage needs the results of another.
- Name for each milestone the skills it needs, the data it retrieves, and what to fall back on.
- List as gaps what no card covers.
"""

SUBSTITUTES = "- This is a best-effort question: for every gap plan the closest defensible substitute; do not plan to decline.\n"
DECLINING = (
    "- If no sound answer is possible with these skills, call abstain with the reason instead of planning.\n"
)

EXECUTING = """
Follow the plan below as a roadmap, not as a script: when results show a shorter way or a hole in the data, change the
steps. Mark steps with update_plan when they are done, replaced or dropped.
"""


def execution_instruction(session: Session, *, planned: bool) -> str:
    """Configuration's instructions, skills, rules and, for the guided executor, the plan as it was submitted.

    The text stays the same over a trial, so that only loading skills changes the request's beginning.
    """
    parts = [session.configuration.instructions.strip()]
    if session.skills:
        parts.append("Skills (load them with load_skills before use):\n" + skill_list(session))
    if planned and session.plan is not None:
        parts.append(
            EXECUTING.strip() + "\n\nPlan:\n" + session.state.setdefault("plan_text", session.plan.as_text())
        )
    if session.rules:
        parts.append("Rules:\n" + "\n".join(f"- {rule.instruction}" for rule in session.rules))
    return "\n\n".join(p for p in parts if p)


def planning_instruction(session: Session) -> str:
    """What the planner reads: how to plan, and every capability card."""
    ending = SUBSTITUTES if session.best_effort else DECLINING
    return PLANNING.strip() + "\n" + ending + "\n" + capabilities(session)


def skill_list(session: Session) -> str:
    """Name and description of each skill; nothing else of it is disclosed before it is loaded."""
    lines = []
    for name, skill in session.skills.items():
        reason = session.unavailable(name)
        lines.append(
            f"- {name}: {skill.description}" + (f" (not available here: {reason})" if reason else "")
        )
    return "\n".join(lines)
