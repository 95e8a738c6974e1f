"""The runner: carries out the trials of a run that are not finished yet, several at a time."""

from __future__ import annotations

import shutil
import threading
import uuid
from collections.abc import Callable
from typing import Any

from attrs import define, field, frozen

from gra_bench.store import RunStore
from gra_bench.trials import Trial
from gra_bench.workers import share_out
from gra_core import Configuration, Event, GraError, Query, Registry, Sources, content_hash, dump, hookimpl
from gra_core.model import TrialBrief
from gra_core.trial import TrialSetup, run_trial


@frozen(kw_only=True)
class Stage:
    """What the trials of one configuration share."""

    configuration: Configuration
    registry: Registry
    sources: Sources


class EventWriter:
    """Plugin that writes each event to the run's log as it happens."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self.fault: GraError | None = None

    @hookimpl
    def gra_event(self, event: Event, context: Any) -> None:
        trial, attempt = context.state["gra-bench"]
        try:
            self._store.write_event(trial, attempt, event)
        except GraError as error:
            self.fault = error


@define
class Progress:
    """What the runner reports while it goes on. `tell` is called after every finished trial."""

    total: int
    finished: int = 0
    failed: int = 0
    tell: Callable[[dict[str, Any]], None] = field(default=lambda result: None)


class Runner:
    """Runs trials with `concurrency` workers. `stopped` says why it ended early, if it did."""

    def __init__(
        self,
        *,
        store: RunStore,
        stages: dict[str, Stage],
        score: Callable[[Query, str, Any], Any],
        keep_workspaces: bool = True,
    ) -> None:
        self._store, self._stages, self._score = store, stages, score
        self._keep = keep_workspaces
        self._writer = EventWriter(store)
        self._stop = threading.Event()
        self.stopped = ""
        for registry in {id(s.registry): s.registry for s in stages.values()}.values():
            registry.plugins.manager.register(self._writer, name="gra-bench-events")

    def run(self, trials: list[Trial], progress: Progress, *, concurrency: int = 1) -> None:
        """Carry out the trials; each is durable before `progress` is told of it. Ctrl-C ends at once."""

        def done(result: dict[str, Any]) -> None:
            progress.finished += 1
            progress.failed += result["outcome"]["status"] in ("failed", "limit")
            progress.tell(result)

        share_out(trials, self._carry_out, done, stop=self._stop, concurrency=concurrency, name="trial")

    def _carry_out(self, trial: Trial) -> dict[str, Any] | None:
        """One trial from start to durable result; None when it must be repeated by a resume."""
        stage = self._stages[trial.configuration.name]
        benchmark = trial.benchmark.load()
        attempt = uuid.uuid4().hex[:8]
        folder = self._store.folder / "workspaces" / trial.id
        shutil.rmtree(folder, ignore_errors=True)
        brief = TrialBrief(
            trial_id=trial.id,
            query=trial.query,
            skills=benchmark.skills(trial.query),
            reference=lambda: benchmark.reference(trial.query),
        )
        setup = TrialSetup(
            registry=stage.registry, configuration=trial.configuration, model=trial.model, sources=stage.sources, workspace=folder,
            text=trial.query.text, instruction=trial.benchmark.answer_instruction, best_effort=trial.best_effort, brief=brief,
            state={"gra-bench": (trial.id, attempt)},
        )  # fmt: skip
        record = run_trial(setup)
        if self._writer.fault is not None:
            raise self._writer.fault
        if record.outcome.ends_run:
            self.stopped = record.outcome.message
            self._stop.set()
            return None
        if not self._keep:
            shutil.rmtree(folder, ignore_errors=True)
        result = self._result(trial, attempt, dump(record.outcome), record.outcome)
        self._store.finish(result)
        return result

    def _result(self, trial: Trial, attempt: str, outcome: dict[str, Any], value: Any) -> dict[str, Any]:
        query = trial.query
        score = self._score(query, trial.benchmark.name, value)
        scorers = trial.benchmark.scorers
        return {
            "trial": trial.id, "attempt": attempt, "benchmark": query.benchmark, "configuration": trial.configuration.name,
            "model": trial.model.id, "query": query.id, "repeat": trial.repeat, "split": query.split, "cluster": query.cluster,
            "template": query.template, "K": query.K, "domain": query.domain, "tier": query.tier,
            "solvable": query.solvable,
            "scorer": scorers[0] if scorers else None, "score": score.value, "scoring": dump(score), "outcome": outcome,
            "query_hash": content_hash([query]),
        }  # fmt: skip
