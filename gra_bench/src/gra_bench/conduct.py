"""A run under way: the trials that are not finished yet, here or on a cluster, then judging."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from attrs import frozen

from gra_bench.accounts import BUDGET, attempts_by_trial, spent
from gra_bench.budget import Budget
from gra_bench.desk import Desk
from gra_bench.execute import Here
from gra_bench.experiment import Experiment
from gra_bench.index import RunIndex, standing_attempts
from gra_bench.log import Log, read_lines
from gra_bench.runner import Progress, Runner
from gra_bench.scoring import judge_results
from gra_bench.store import RunStore, read_results
from gra_core import UsageError, price_table


@frozen(kw_only=True)
class Manner:
    """How a run is carried out; none of it changes an outcome. `connection` is to a cluster (`connected`), `watch` and
    `watch_scores` show progress."""

    concurrency: int
    keep_workspaces: bool
    retry_failed: bool
    connection: Any
    watch: Callable[[Progress], AbstractContextManager[Any]]
    watch_scores: Callable[[], AbstractContextManager[Any]]


def carry_on(experiment: Experiment, store: RunStore, manner: Manner) -> tuple[Progress, str, dict[str, Any]]:
    """Run what is not finished, then judge: what was run now, why it stopped early, what judging led to."""
    options, folder, concurrency = experiment.options, store.folder, manner.concurrency
    budget = note = None
    if options.max_cost:
        own = [price for stage in experiment.stages.values() for price in stage.configuration.prices]
        budget = Budget(allowed=options.max_cost, spent=spent(folder, price_table(own)))
        note = Log(folder / BUDGET)
    desk = Desk(
        store.write_event, most=concurrency, budget=budget, note=note.append if note else lambda record: None
    )
    store.add_queries(t.query for t in experiment.trials)
    finished = set(standing_attempts(folder)) - (_unreached(folder) if manner.retry_failed else set())
    todo = [t for t in experiment.trials if t.id not in finished]
    index = RunIndex(folder)
    begun = attempts_by_trial(index)

    def earlier(trial: str, lost: list[str]) -> list[dict[str, Any]]:
        return [event for attempt in (*begun.get(trial, ()), *lost) for event in index.events(trial, attempt)]

    progress = Progress(total=len(experiment.trials), finished=len(experiment.trials) - len(todo))
    judging: dict[str, Any] = {}
    try:
        with _hands(experiment, desk, folder, manner) as hands, manner.watch(progress):
            runner = Runner(
                store=store, desk=desk, carry_out=hands.carry_out, score=experiment.score, earlier=earlier
            )
            runner.run(todo, progress, concurrency=concurrency)
        if options.judge and not desk.stops:
            results = read_results(folder)
            wanted = [results[t.id] for t in experiment.trials if t.id in results]
            with manner.watch_scores() as tell:
                judging = judge_results(
                    experiment.judging(), wanted, folder, concurrency=concurrency, desk=desk, tell=tell
                )
    except BaseException:
        desk.stop("the run was interrupted")
        raise
    finally:
        index.close()
        if note:
            note.close()
    stopped = "; ".join(dict.fromkeys(desk.stops.values())) or judging.get("stopped", "")
    return progress, stopped, judging


@contextlib.contextmanager
def connected(scheduler: str | None) -> Iterator[Any]:
    """A `gra_bench.cluster.Connection` to the cluster, None without a scheduler; `UsageError` when there is none, or the
    extra is not installed."""
    if scheduler is None:
        yield None
        return
    try:
        from gra_bench.cluster import connect
    except ImportError as error:
        raise UsageError(
            f"--scheduler {scheduler} needs the package {error.name}", hint='pip install "gra-bench[dask]"'
        ) from error
    connection = connect(scheduler)
    try:
        yield connection
    finally:
        connection.close()


@contextlib.contextmanager
def _hands(experiment: Experiment, desk: Desk, folder: Path, manner: Manner) -> Iterator[Any]:
    """What carries out trials: this process, or a cluster."""
    connection, keep = manner.connection, manner.keep_workspaces
    if connection is None:
        shutil.rmtree(folder / "desk", ignore_errors=True)  # left by a run on a cluster that was killed
        yield Here(stages=experiment.stages, desk=desk, folder=folder, keep_workspaces=keep)
        return
    from gra_bench.cluster import Cluster

    cluster = Cluster(connection, desk, folder, experiment.bench.options, keep_workspaces=keep)
    try:
        yield cluster
    finally:
        cluster.close()


# Failures that say nothing of the agent: they are tried again when the user asks for it.
UNREACHED = ("unavailable", "timeout", "quota", "worker_lost")


def _unreached(folder: Path) -> set[str]:
    """The trials whose last result is such a failure."""
    last = {r["trial"]: r["outcome"] for r in read_lines(folder / "results.jsonl")}
    return {t for t, o in last.items() if o["status"] == "failed" and o["reason"] in UNREACHED}
