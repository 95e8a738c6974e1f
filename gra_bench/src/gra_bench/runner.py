"""The runner: carries out the trials of a run that are not finished yet, several at a time."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from attrs import define, field

from gra_bench.desk import Desk
from gra_bench.execute import WorkerLost
from gra_bench.store import RunStore
from gra_bench.trials import Trial
from gra_bench.workers import share_out
from gra_core import Query, content_hash, dump
from gra_core.errors import RunStopped
from gra_core.secrets import redact
from gra_core.trial import Outcome

Records = list[dict[str, Any]]
# A trial that has cost so many workers their lives is a failed one.
MAX_LOSSES = 3


@define
class Progress:
    """What the runner reports while it goes on. `tell` is called after every finished trial."""

    total: int
    finished: int = 0
    failed: int = 0
    new: int = 0
    model_calls: int = 0
    tell: Callable[[dict[str, Any]], None] = field(default=lambda result: None)


@define(kw_only=True)
class Runner:
    """Runs trials, `concurrency` at a time. The desk knows why it ended early, if it did.

    `carry_out` makes one attempt at a trial, here or on a cluster; `earlier` gives the event records of attempts at a trial
    that were cut off, those lost since the run began given by their ids.
    """

    store: RunStore
    desk: Desk
    carry_out: Callable[[Trial, str, Records], Outcome]
    score: Callable[[Query, str, Any], Any]
    earlier: Callable[[str, list[str]], Records] = lambda trial, lost: []
    stop: threading.Event = field(factory=threading.Event)

    def run(self, trials: list[Trial], progress: Progress, *, concurrency: int = 1) -> None:
        """Carry out the trials; each is durable before `progress` is told of it. Ctrl-C ends at once."""

        def done(result: dict[str, Any]) -> None:
            progress.finished += 1
            progress.new += 1
            progress.model_calls += result["outcome"]["model_calls"] - result["outcome"]["reused_calls"]
            progress.failed += result["outcome"]["status"] in ("failed", "limit")
            progress.tell(result)

        share_out(trials, self._trial, done, stop=self.stop, concurrency=concurrency, name="trial")

    def _trial(self, trial: Trial) -> dict[str, Any] | None:
        """One trial from start to durable result; None when it must be repeated by a resume."""
        lost: list[str] = []
        while not self.desk.stopped(trial.model.id):
            attempt = new_attempt()
            try:
                return self.settle(
                    trial, attempt, self.carry_out(trial, attempt, self.earlier(trial.id, lost))
                )
            except RunStopped as stopped:
                if not self.desk.stopped(trial.model.id):
                    self.desk.stop(str(stopped))
            except WorkerLost as loss:
                lost.append(attempt)
                if len(lost) == MAX_LOSSES:
                    return self.settle(trial, new_attempt(), _given_up(loss))
            finally:
                self.desk.end(attempt)
        return None

    def settle(self, trial: Trial, attempt: str, outcome: Outcome) -> dict[str, Any] | None:
        """Score an outcome and make its trial finished, or stop the run (or the model) as it demands."""
        complete = self.desk.end(attempt)
        if outcome.ends_run:
            self.desk.stop(outcome.message, trial.model.id)
        if outcome.ends_run or not complete:
            return None
        result = self._result(trial, attempt, outcome)
        self.store.finish(result)
        return result

    def _result(self, trial: Trial, attempt: str, outcome: Outcome) -> dict[str, Any]:
        query = trial.query
        score = self.score(query, trial.benchmark.name, outcome)
        scorers = trial.benchmark.scorers
        return {
            "trial": trial.id, "attempt": attempt, "benchmark": query.benchmark, "configuration": trial.configuration.name,
            "model": trial.model.id, "query": query.id, "repeat": trial.repeat, "split": query.split, "cluster": query.cluster,
            "template": query.template, "K": query.K, "domain": query.domain, "tier": query.tier,
            "solvable": query.solvable,
            "scorer": scorers[0] if scorers else None, "score": score.value, "scoring": dump(score),
            "outcome": redact(dump(outcome)), "query_hash": content_hash([query]),
        }  # fmt: skip


def new_attempt() -> str:
    """The id of an attempt."""
    return uuid.uuid4().hex[:12]


def _given_up(loss: WorkerLost) -> Outcome:
    """What the lost attempts have cost is in the run's account of unfinished attempts."""
    message = f"{MAX_LOSSES} workers died while they ran it; the last: {loss.message}"
    return Outcome(status="failed", reason="worker_lost", message=message, cost_usd=Decimal(0))
