"""The workflow autorater: how much of the golden workflow's value the executed work has, 0, ½ or 1."""

from __future__ import annotations

from gra_core import Autorater, Judge, Query, Score, Submission, UsageError, Workflow
from gra_judge.abstention import score_abstention
from gra_judge.compaction import compact
from gra_judge.material import enclose
from gra_judge.rules import as_text, rules
from gra_judge.trace import Call, Gap, Trace, lines
from gra_judge.verdict import FORM, Verdict, read_verdict

NAME = "workflow-autorater"
VERSION = "1"
RULES = "workflow_rules"
PASSES = 3

TASK = """You are an experienced analyst of geospatial data. An agent was given a query about places on Earth. You see the query, how
experts would answer it (the golden workflow), what the agent did, and its final answer. Rate how much of what the golden
workflow delivers the agent's executed work delivers as well."""


def rate_workflow(submission: Submission, judge: Judge) -> Score:
    """One pass. Two of the rules need no judge: a trial without a final answer scores 0, and so does one in which no
    tool returned anything (``extra["plan_is_answer"]`` of a query that asks for a plan lifts this)."""
    query = submission.query
    if (abstention := score_abstention(query, submission.answer, submission.status)) is not None:
        return abstention
    if not query.golden_workflows:
        raise UsageError(f"query {query.id} has no golden workflow to rate against")
    if (missing := no_answer(submission)) is not None:
        return decided(missing, "no-final-answer")
    trace = compact(submission.events, submission.answer)
    if not (retrieved(trace) or query.extra.get("plan_is_answer")):
        return decided("no tool returned anything", "no-analysis")
    cases = frozenset({"alternatives"} if len(query.golden_workflows) > 1 else ())
    zeros = [rule.id for rule in rules(RULES, cases) if rule.zero]

    def read(reply: str) -> Verdict:
        return read_verdict(reply, zeros)

    verdict = judge.ask(instruction(cases), material(submission, trace), read)
    text = f"rule {verdict.zero}" if verdict.zero != "none" else f"effect of deviations: {verdict.effect}"
    extra = {
        "score": verdict.score,
        "effect": verdict.effect,
        "zero": verdict.zero,
        "reasoning": verdict.reasoning,
    }
    return Score(value=verdict.value, explanation=text, extra={**extra, "judged": True})


def decided(why: str, rule: str) -> Score:
    """No credit by a rule that code can apply."""
    return Score(value=0.0, explanation=why, extra={"zero": rule, "judged": False})


def retrieved(trace: Trace) -> bool:
    """Whether any call of a tool was answered; an authoritative empty result is an answer."""
    return any(
        isinstance(item, Gap) or (isinstance(item, Call) and item.status in ("ok", "empty"))
        for item in trace.items
    )


def no_answer(submission: Submission) -> str | None:
    """Why a trial has no final answer, or None when it has one."""
    if submission.status == "abstained":
        return "the agent declined to answer"
    if submission.status != "answered":
        return f"the trial ended without an answer: {submission.status}"
    return None if submission.answer.strip() else "the final answer is empty"


def instruction(cases: frozenset[str] = frozenset()) -> str:
    """What the judge is told; the same for every query with (or without) alternatives."""
    first = "which golden workflow you rate against; " if "alternatives" in cases else ""
    return "\n\n".join([TASK, as_text(RULES, cases), FORM.format(alternative=first)])


def material(submission: Submission, trace: Trace) -> str:
    """Query, golden workflow, compacted trajectory and final answer."""
    date = submission.events[0].at[:10] if submission.events else ""
    parts = {
        "query": submission.query.text,
        "golden workflow": golden(submission.query),
        "what the agent did": lines(trace) or "(no step)",
        "final answer": trace.answer,
    }
    when = (
        f"The agent worked on {date}; that date is no mistake, even if it lies after your training.\n\n"
        if date
        else ""
    )
    return f"{when}{enclose(parts)}\n\nThe material ends here. Rate it by the rules, in the required form."


def golden(query: Query) -> str:
    """The golden workflow, or its numbered alternatives."""
    flows = query.golden_workflows
    if len(flows) == 1:
        return workflow_text(flows[0])
    titles = [
        f"Alternative {n}" + (f": {flow.title}" if flow.title else "") for n, flow in enumerate(flows, 1)
    ]
    return "\n\n".join(f"{title}\n{workflow_text(flow)}" for title, flow in zip(titles, flows, strict=True))


def workflow_text(flow: Workflow) -> str:
    """Datasets and steps, optional ones marked. What it puts out is not rated and therefore not shown."""
    datasets = [f"- {name}" for name in flow.datasets]
    steps = [
        f"{n}. {'(optional) ' if step.optional else ''}{step.text}" for n, step in enumerate(flow.steps, 1)
    ]
    return "\n".join([*(["Datasets:", *datasets] if datasets else []), "Steps:", *steps])


WORKFLOW = Autorater(
    name=NAME,
    title="how much of a golden workflow the executed work delivers; asks a model",
    function="gra_judge.workflow:rate_workflow",
    passes=PASSES,
    version=VERSION,
)
