"""One trial from start to outcome: plan, execute, account."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import attrs
from attrs import field, frozen

from gra_core.configuration import Configuration
from gra_core.converter import dump
from gra_core.errors import GraError, LimitExceeded, RunStopped, UsageError
from gra_core.journal import Journal
from gra_core.loop import ModelStopped
from gra_core.model import Model, ModelError, TrialBrief
from gra_core.provenance import trace_numbers
from gra_core.registry import Registry
from gra_core.session import Session
from gra_core.sources import Sources
from gra_core.trajectory import Event
from gra_core.usage import Usage, price_table
from gra_core.workspace import Workspace

BEST_EFFORT_PREFIX = "Answer this on a best-effort basis, using substitutes where data is missing:\n\n"
TrialStatus = Literal["answered", "abstained", "limit", "failed"]


@frozen(kw_only=True)
class Outcome:
    """What a trial led to.

    `usage` is the model's, `tool_usage` that of requests which tools made themselves (grounded search); `cost_usd`
    covers both and is None when a price is not known. `reason` says why a trial has no answer (the limit, the stop
    reason or the error's kind); `tools` counts the calls of each tool; `reused_calls` of the model calls were answered by what
    an earlier attempt had paid for.
    """

    status: TrialStatus
    answer: str = ""
    reason: str = ""
    message: str = ""
    usage: Usage = Usage()
    tool_usage: Usage = Usage()
    cost_usd: Decimal | None = None
    model_calls: int = 0
    reused_calls: int = 0
    tools: dict[str, int] = field(factory=dict)
    tool_errors: int = 0
    skills: tuple[str, ...] = ()
    plan: dict[str, Any] | None = None
    proxies: tuple[dict[str, str], ...] = ()
    disclosure: dict[str, int] = field(factory=dict)
    seconds: float = 0.0
    waited_s: float = 0.0
    ends_run: bool = False


@frozen(kw_only=True)
class TrialSetup:
    """Everything a trial needs. `text` is the query as asked; `instruction` (how to write the answer) follows it;
    `state` is put into the session's; `journal` holds what earlier attempts have paid for."""

    registry: Registry
    configuration: Configuration
    model: Model
    sources: Sources
    workspace: Path
    text: str
    instruction: str = ""
    best_effort: bool = True
    brief: TrialBrief = TrialBrief()
    journal: Journal = field(factory=Journal)
    state: dict[str, Any] = field(factory=dict)

    @property
    def prompt(self) -> str:
        """What the agent reads: prefix, query, answer instruction."""
        parts = [self.text, self.instruction]
        return (BEST_EFFORT_PREFIX if self.best_effort else "") + "\n\n".join(p for p in parts if p)


@frozen(kw_only=True)
class TrialRecord:
    """A finished trial: its outcome and its trajectory."""

    outcome: Outcome
    events: tuple[Event, ...]


def run_trial(setup: TrialSetup) -> TrialRecord:
    """Run one trial. Every failure of the agent, the model or a limit is an outcome; only wrong use and `RunStopped` raise."""
    registry, configuration = setup.registry, setup.configuration
    planner = registry.planners[configuration.planner] if configuration.planner else None
    executor = registry.executors[configuration.executor]
    for name in configuration.tools:
        registry.tools[name]
    client = setup.model.open(setup.brief)
    try:
        session = Session(
            registry=registry, configuration=configuration, client=client, sources=setup.sources, text=setup.prompt,
            workspace=Workspace(setup.workspace, registry.formats), best_effort=setup.best_effort,
            journal=setup.journal,
        )  # fmt: skip
        session.state.update(setup.state)
        session.record(
            "trial_started", query=setup.text, prompt=setup.prompt, configuration=configuration.name, model=setup.model.id,
            best_effort=setup.best_effort, rules=[r.id for r in session.rules], skills=list(session.skills),
        )  # fmt: skip
        ending = _carry_out(session, planner, executor)
        outcome = _account(session, setup, ending)
        session.record("trial_finished", outcome=dump(outcome))
        return TrialRecord(outcome=outcome, events=tuple(session.trajectory.events))
    finally:
        client.close()


def _carry_out(session: Session, planner: Any, executor: Any) -> dict[str, Any]:
    """Plan and execute; how it ended as the first fields of an `Outcome`."""
    try:
        if planner is not None:
            session.record("stage_started", stage="planning", strategy=planner.name)
            planner.plan(session)
        answer = ""
        if session.abstention is None:
            session.record("stage_started", stage="execution", strategy=executor.name)
            answer = executor.execute(session)
        session.clock.check()
    except LimitExceeded as limit:
        session.record("limit_struck", limit=limit.limit, allowed=limit.allowed, used=limit.used)
        return {"status": "limit", "reason": limit.limit, "message": str(limit)}
    except ModelStopped as stopped:
        return {"status": "failed", "reason": stopped.stop, "message": stopped.message}
    except ModelError as error:
        return {
            "status": "failed",
            "reason": error.kind,
            "message": str(error),
            "ends_run": error.kind in ("daily_quota", "auth"),
        }
    except (UsageError, RunStopped):
        raise
    except GraError as error:
        return {"status": "failed", "reason": type(error).__name__, "message": str(error)}
    except Exception as error:
        return {"status": "failed", "reason": "internal", "message": f"{type(error).__name__}: {error}"}
    if session.abstention is not None:
        return {"status": "abstained", "reason": session.abstention, "answer": answer}
    session.record(
        "answered", text=answer, numbers=trace_numbers(answer, session.trajectory.of("tool_returned"))
    )
    return {"status": "answered", "answer": answer}


def _account(session: Session, setup: TrialSetup, ending: dict[str, Any]) -> Outcome:
    calls = list(session.trajectory.of("tool_returned"))
    return Outcome(
        **ending,
        usage=sum(session.requests, Usage()),
        tool_usage=sum((usage for _, usage in session.bills), Usage()),
        cost_usd=_cost(session, setup),
        model_calls=session.model_calls,
        reused_calls=session.reused_calls,
        tools=dict(sorted(Counter(e.data["name"] for e in session.trajectory.of("tool_called")).items())),
        tool_errors=sum(e.data["status"] == "error" for e in calls),
        skills=tuple(session.loaded),
        plan=attrs.asdict(session.plan) if session.plan else None,
        proxies=tuple(session.proxies),
        disclosure=session.meter.summary(),
        seconds=round(session.clock.used, 3),
        waited_s=round(session.clock.waited, 3),
    )


def _cost(session: Session, setup: TrialSetup) -> Decimal | None:
    """USD of the model's requests and of those that tools made; None as soon as one price is not known."""
    prices = price_table(setup.configuration.prices)
    today = dt.datetime.now(dt.UTC).date()
    parts = [prices.cost(setup.model.id, session.requests, today)]
    parts += [prices.cost(model_id, [usage], today) for model_id, usage in session.bills]
    known = [part for part in parts if part is not None]
    return sum(known, Decimal(0)) if len(known) == len(parts) else None
