"""The tools of the loop itself: loading skills, planning, proxies, abstention."""

from __future__ import annotations

from typing import Annotated, Any

import attrs

from gra_core.context import ToolContext
from gra_core.errors import ToolError
from gra_core.message import ToolCall
from gra_core.plan import Milestone, Plan, PlanStep, StepStatus
from gra_core.result import ToolResult
from gra_core.schema import Param
from gra_core.session import Session
from gra_core.tool import Tool


def _session(ctx: ToolContext) -> Session:
    if ctx.session is None:
        raise ToolError(
            "not_available", f"{ctx.tool} works inside a trial only", hint="use `gra-bench ask` or `run`"
        )
    return ctx.session


def load_skills(ctx: ToolContext, names: Annotated[list[str], Param(min_items=1)]) -> ToolResult:
    """Load skills: returns each skill's guidance and makes its tools callable. Load all the skills you expect to
    need in one call, before large results pile up.

    Args:
        names: Names of skills from the list in the instructions.
    """
    session = _session(ctx)
    unknown = [n for n in names if n not in session.skills]
    if unknown:
        known = ", ".join(sorted(session.skills))
        raise ToolError("not_found", f"no skill {', '.join(unknown)}", hint=f"skills: {known}")
    fresh = [n for n in dict.fromkeys(names) if n not in session.loaded]
    content = {
        "loaded": {n: _disclosed(session, n) for n in fresh},
        "already_loaded": [n for n in dict.fromkeys(names) if n not in fresh],
    }
    session.loaded.extend(fresh)
    session.record("skills_loaded", names=fresh)
    return ToolResult.ok(content)


def _disclosed(session: Session, name: str) -> dict[str, Any]:
    skill = session.skills[name]
    shown: dict[str, Any] = {"guidance": skill.guidance}
    if resources := skill.resources():
        shown["resources"] = resources
    tools = session.skill_tools(name)
    if session.configuration.disclosure == "runner":
        shown["tools"] = [
            {"name": t.name, "description": t.description, "parameters": t.parameters} for t in tools
        ]
    else:
        shown["tools"] = [t.name for t in tools]
    if reason := session.unavailable(name):
        shown["warning"] = f"not available here: {reason}"
    return shown


def read_skill_resource(ctx: ToolContext, skill: str, path: str) -> ToolResult:
    """Read a text file that belongs to a loaded skill.

    Args:
        skill: Name of a loaded skill.
        path: One of the resources that load_skills listed.
    """
    session = _session(ctx)
    if skill not in session.loaded:
        raise ToolError(
            "not_available", f"skill {skill!r} is not loaded", hint="load it with load_skills first"
        )
    return ToolResult.ok({"text": session.skills[skill].read_resource(path)})


def run_skill_tool(ctx: ToolContext, tool: str, arguments: dict[str, Any]) -> ToolResult:
    """Call a tool of a loaded skill by name. The tools and their parameters are in what load_skills returned.

    Args:
        tool: Name of the tool.
        arguments: The tool's arguments, as its parameters schema says.
    """
    session = _session(ctx)
    if any(t.name == tool for t in CORE_TOOLS.values()):
        raise ToolError("bad_argument", f"{tool} is called directly, not through run_skill_tool")
    return session.dispatch(ToolCall(id=ctx.call_id, name=tool, arguments=arguments))


def submit_plan(
    ctx: ToolContext,
    milestones: Annotated[list[Milestone], Param(min_items=1, max_items=20)],
    gaps: list[str] | None = None,
) -> ToolResult:
    """Submit the plan. One milestone is right for a simple question; complex ones need several.

    Args:
        milestones: Stages in order: goal, skills it needs, data it retrieves, fallback if that data is missing.
        gaps: What the question wants that no capability covers, each with the closest substitute.
    """
    session = _session(ctx)
    known = set(session.skills)
    unknown = sorted({s for m in milestones for s in m["skills"]} - known)
    if unknown:
        raise ToolError(
            "bad_argument",
            f"unknown skills in the plan: {', '.join(unknown)}",
            hint=f"skills: {', '.join(sorted(known))}",
        )
    session.plan = Plan(steps=[PlanStep(**m) for m in milestones], gaps=list(gaps or []))
    session.record("plan_submitted", plan=attrs.asdict(session.plan))
    return ToolResult.ok({"steps": len(milestones)})


def update_plan(ctx: ToolContext, step: int, status: StepStatus, note: str = "") -> ToolResult:
    """Record what became of a plan step; replace or drop steps when results make them pointless.

    Args:
        step: Number of the step, from 1.
        status: The new status.
        note: What was found, or what replaces the step and why.
    """
    session = _session(ctx)
    if session.plan is None:
        raise ToolError("not_available", "there is no plan to update")
    session.plan.update(step, status, note)
    session.record("plan_updated", step=step, status=status, note=note)
    return ToolResult.ok(
        {"open_steps": sum(s.status in ("pending", "in_progress") for s in session.plan.steps)}
    )


def record_proxy(ctx: ToolContext, wanted: str, used: str, effect: str) -> ToolResult:
    """Record that a substitute stands in for data or a method that is not available. State it in the answer too.

    Args:
        wanted: The ideal measurement or data.
        used: What is used in its place.
        effect: How this changes the answer and its uncertainty.
    """
    proxy = {"wanted": wanted, "used": used, "effect": effect}
    session = _session(ctx)
    session.proxies.append(proxy)
    session.record("proxy_recorded", **proxy)
    return ToolResult.ok({"proxies": len(session.proxies)})


def abstain(ctx: ToolContext, reason: str) -> ToolResult:
    """Decline to answer because a needed tool or dataset is not available or the question has no answer.

    Args:
        reason: What is missing, in one or two sentences for the user.
    """
    session = _session(ctx)
    session.abstention = reason
    session.record("abstained", reason=reason)
    return ToolResult.ok({"abstained": True})


CORE_TOOLS = {
    t.name: t
    for t in (
        Tool(handler=f)
        for f in (
            load_skills,
            read_skill_resource,
            run_skill_tool,
            submit_plan,
            update_plan,
            record_proxy,
            abstain,
        )
    )
}
