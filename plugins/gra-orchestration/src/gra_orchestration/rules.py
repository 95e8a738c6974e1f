"""The guidance rules. Each has an id, so that it can be switched off alone; what code can enforce, code enforces."""

from __future__ import annotations

from attrs import evolve

from gra_core import GuidanceRule, ToolCall, ToolError, ToolResult
from gra_core.coretools import CORE_TOOLS
from gra_core.session import Session

WEB_SKILLS = {"web-search"}
WEB_TOOLS = {"search_web", "read_web_page", "search_maps"}
MAX_FAILURES = 3
LATE_TOKENS = 20_000


def hold_back_web_search(call: ToolCall, session: Session) -> ToolResult | None:
    """The first web search waits until a dedicated skill has been loaded; asked again, it passes."""
    if call.name not in WEB_TOOLS or set(session.loaded) - WEB_SKILLS or not set(session.skills) - WEB_SKILLS:
        return None
    if session.state.setdefault("dedicated-source-first", False):
        return None
    session.state["dedicated-source-first"] = True
    return ToolResult.failed(
        ToolError(
            "not_available",
            "no dedicated skill has been tried yet",
            hint="load a skill whose source covers this; if none does, repeat the search",
        )
    )


def refuse_dead_end(call: ToolCall, session: Session) -> ToolResult | None:
    """More than three unsuccessful calls of one tool for one need, without a success between: a dead end."""
    failed = session.state.setdefault("dead-end", {}).get(_need(call, session), 0)
    if failed <= MAX_FAILURES:
        return None
    return ToolResult.failed(
        ToolError(
            "not_available",
            f"{call.name} failed {failed} times in a row: treat this need as a dead end",
            hint="use another source or tool, take a substitute and record it, or answer without it",
        )
    )


def count_failures(call: ToolCall, result: ToolResult, session: Session) -> ToolResult:
    """Bookkeeping of `refuse_dead_end`: a success starts the count anew, and an empty result is one."""
    failures = session.state.setdefault("dead-end", {})
    need = _need(call, session)
    if failures.get(need, 0) <= MAX_FAILURES and call.name not in CORE_TOOLS:
        failures[need] = failures.get(need, 0) + 1 if result.status == "error" else 0
    return result


def _need(call: ToolCall, session: Session) -> tuple[str, int]:
    """A need is one tool within one step of the plan: closing a step opens new needs."""
    closed = (
        sum(s.status in ("done", "replaced", "dropped") for s in session.plan.steps) if session.plan else 0
    )
    return call.name, closed


def mark_empty(call: ToolCall, result: ToolResult, session: Session) -> ToolResult:
    """An authoritative empty answer is labelled as a finding."""
    if result.status != "empty" or call.name in WEB_TOOLS:
        return result
    note = (
        "The source covers this and has nothing: report that as a finding; do not ask again in other words."
    )
    return evolve(result, notes=(*result.notes, note))


def note_late_loading(call: ToolCall, result: ToolResult, session: Session) -> ToolResult:
    """Say when skills are loaded one at a time after large results have piled up."""
    if call.name != "load_skills" or result.status != "ok" or session.meter.history_tokens < LATE_TOKENS:
        return result
    note = "Loading skills this late makes the whole conversation be read again: load all that are still needed now."
    return evolve(result, notes=(*result.notes, note))


RULES = (
    GuidanceRule(
        id="dedicated-source-first",
        title="Dedicated source before web search",
        instruction="Prefer the skill whose source is made for the data you need; search the web only for what no skill covers.",
        guard=hold_back_web_search,
    ),
    GuidanceRule(
        id="empty-is-a-finding",
        title="An authoritative empty result is a finding",
        instruction="When a source that covers the place and period returns nothing, that is a result: report it, do not retry it.",
        review=mark_empty,
    ),
    GuidanceRule(
        id="dead-end",
        title="More than three failed calls are a dead end",
        instruction="After more than three unsuccessful calls of one tool for the same need, stop and take another way.",
        guard=refuse_dead_end,
        review=count_failures,
    ),
    GuidanceRule(
        id="closest-proxy",
        title="Closest defensible proxy, recorded",
        instruction="When the ideal data is missing, use the closest substitute an analyst would defend, and record it with record_proxy.",
        when="best_effort",
    ),
    GuidanceRule(
        id="abstain-when-missing",
        title="Abstain when a needed source is missing",
        instruction="When a tool or dataset that the answer depends on is missing, call abstain with the reason early, before costly work.",
        when="strict",
    ),
    GuidanceRule(
        id="state-limits",
        title="State bounds, proxies and uncertainty",
        instruction="In the answer state area and period covered, every substitute used, and how certain the result is, unless a bare form of answer is asked for.",
    ),
    GuidanceRule(
        id="load-together",
        title="Load skills early and together",
        instruction="Load all the skills you expect to need in one call at the start, before large results pile up.",
        review=note_late_loading,
    ),
)
