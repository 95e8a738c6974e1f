"""Scoring finished trials again, by a deterministic scorer or by an autorater with its judge.

Each score is durable before anybody is told of it, and every request to a judge is on record as it is made. What a
score rests on (trial, scorer and its version, judge, passes) is its identity: what is scored stays scored.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from attrs import frozen

from gra_bench.accounts import prices_of
from gra_bench.desk import Desk
from gra_bench.execute import GatedClient
from gra_bench.index import RunIndex
from gra_bench.scores import ScoreStore, cut_off_calls, read_scores
from gra_bench.store import read_manifest, read_queries
from gra_bench.workers import share_out
from gra_core import (
    Autorater,
    DuplicateName,
    Event,
    Judge,
    Model,
    ModelError,
    Query,
    Registry,
    Score,
    Scorer,
    Submission,
    TrialBrief,
    UnknownName,
    Usage,
    UsageError,
    dump,
)
from gra_core.errors import RunStopped

ENDS = ("daily_quota", "auth")


def score_outcome(scorer: Scorer, query: Query, outcome: dict[str, Any]) -> Score:
    """A deterministic score; a trial that failed or struck a limit scores zero without the scorer being asked."""
    if outcome["status"] in ("limit", "failed"):
        return Score(value=0.0, explanation=f"{outcome['status']}: {outcome['reason']}")
    return scorer.score(query, outcome["answer"], outcome["status"])


@frozen(kw_only=True)
class Method:
    """How trials are scored: a scorer, or an autorater with judge and number of passes."""

    scorer: Scorer | Autorater
    version: str
    model: Model | None = None
    passes: int = 0

    @property
    def judge(self) -> str | None:
        return self.model.id if self.model else None

    def identity(self, result: dict[str, Any]) -> str:
        """SHA-256 (first 20 hex digits) over all that can change the score of a result."""
        model = [self.model.id, self.model.snapshot] if self.model else []
        own = getattr(self.scorer, "version", "")
        parts = [result["trial"], result["attempt"], self.scorer.name, self.version, own, model, self.passes]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]


def find_method(registry: Registry, name: str, judge: str | None, passes: int | None) -> Method:
    """The method of a scorer's or autorater's name; `UsageError` when the judge is missing or has nothing to do."""
    scorers, autoraters = registry.scorers, registry.autoraters
    if name in scorers and name in autoraters:
        raise DuplicateName(
            f"{name!r} is both a scorer and an autorater", hint="leave one plugin out with --no-plugin"
        )
    if name in autoraters:
        if judge is None:
            raise UsageError(f"{name} asks a model", hint="say which with --judge MODEL")
        autorater = autoraters[name]
        version = autoraters.plugin(name).version
        return Method(
            scorer=autorater, version=version, model=registry.model(judge), passes=passes or autorater.passes
        )
    if name not in scorers:
        raise UnknownName("scorer", name, [*scorers, *autoraters], install="see `gra-bench list scorers`")
    if judge is not None or passes is not None:
        raise UsageError(
            f"{name} is deterministic and needs no judge", hint="leave --judge and --judge-passes out"
        )
    return Method(scorer=scorers[name], version=scorers.plugin(name).version)


class Rating:
    """Scores results of one run by one method; requests to the judge have their turn at the desk. `stopped` says why it
    ended early, if it did."""

    def __init__(
        self, store: ScoreStore, method: Method, desk: Desk, *, retry_unscored: bool = False
    ) -> None:
        self.store, self.method, self.desk = store, method, desk
        self.stopped = ""
        self._stop = threading.Event()
        self._known = {record["rating"]: record for record in read_scores(store.folder)}
        self._retry = retry_unscored
        self._prices = prices_of(read_manifest(store.folder))
        self._queries: dict[str, Query] = {}
        self._index: RunIndex | None = None
        self._paid: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)

    def todo(self, results: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """The results that this method has not scored yet. What the judge could not be reached for is due again."""
        return [r for r in results if self._due(self._known.get(self.method.identity(r)))]

    def _due(self, record: dict[str, Any] | None) -> bool:
        return record is None or (record["score"] is None and (self._retry or bool(record["error"])))

    def run(
        self,
        results: list[dict[str, Any]],
        *,
        concurrency: int = 1,
        tell: Callable[[dict[str, Any]], None] = lambda record: None,
    ) -> list[dict[str, Any]]:
        """Score the results; returns the new records."""
        if not results:
            return []
        self._queries = read_queries(self.store.folder)
        if self.method.model is not None:
            self._index = RunIndex(self.store.folder)
            for call in cut_off_calls(self.store.folder):
                self._paid[call["rating"]].append(call)
        made: list[dict[str, Any]] = []

        def done(record: dict[str, Any]) -> None:
            made.append(record)
            tell(record)

        try:
            share_out(results, self._score, done, stop=self._stop, concurrency=concurrency, name="score")
        finally:
            if self._index is not None:
                self._index.close()
        return made

    def _score(self, result: dict[str, Any]) -> dict[str, Any] | None:
        method, query = self.method, find_query(result, self._queries, self.store)
        session = uuid.uuid4().hex[:8]
        account: dict[str, Any] = {
            "judge_calls": 0,
            "judge_usage": dump(Usage()),
            "judge_cost_usd": None,
            "waited_s": 0.0,
        }
        rated: tuple[Score, dict[str, Any], str] | None
        try:
            if isinstance(method.scorer, Scorer):
                rated = score_outcome(method.scorer, query, result["outcome"]), account, ""
            else:
                rated = self._rate(method.scorer, query, result, session)
        except (ValueError, TypeError, KeyError) as fault:
            raise UsageError(
                f"{method.scorer.name} cannot score query {query.id} of {result['benchmark']}: {fault}",
                hint="choose a scorer that is made for this benchmark",
            ) from fault
        if rated is None:
            return None
        score, account, error = rated
        record = {
            "rating": method.identity(result), "session": session, "trial": result["trial"], "attempt": result["attempt"],
            "benchmark": result["benchmark"], "query": result["query"], "scorer": method.scorer.name,
            "scorer_version": method.version, "judge": method.judge, "passes": method.passes, "score": score.value,
            "scoring": dump(score), "error": error, **account, "at": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        }  # fmt: skip
        self.store.finish(record)
        return record

    def _rate(
        self, autorater: Autorater, query: Query, result: dict[str, Any], session: str
    ) -> tuple[Score, dict[str, Any], str] | None:
        """Score, account and the kind of a judge's failure; None when the judge's failure ends everything."""
        assert self.method.model is not None and self._index is not None
        outcome = result["outcome"]
        submission = Submission(
            query=query, answer=outcome["answer"], status=outcome["status"],
            events=tuple(map(_event, self._index.events(result["trial"], result["attempt"]))),
        )  # fmt: skip
        rating = {"rating": self.method.identity(result), "session": session, "trial": result["trial"]}

        def observe(call: dict[str, Any]) -> None:
            self.store.note({**rating, "scorer": autorater.name, "judge": self.method.judge, **call})

        price = (
            self._prices.find(self.method.model.id, dt.datetime.now(dt.UTC).date())
            if self.desk.budget
            else None
        )
        opened = self.method.model.open(TrialBrief(trial_id=rating["rating"], query=query))
        client = GatedClient(opened, self.desk, session, price)
        judge = Judge(client, observe=observe, paid=self._paid.get(rating["rating"], ()))
        error = ""
        try:
            score = autorater.rate(submission, judge, self.method.passes)
        except ModelError as fault:
            if fault.kind in ENDS:
                self._end(fault.message)
                return None
            score, error = (
                Score(value=None, explanation=f"the judge failed: {fault.kind}: {fault.message}"),
                fault.kind,
            )
        except RunStopped as stopped:
            self._end(str(stopped))
            return None
        finally:
            client.close()
        cost = self._prices.cost(self.method.model.id, judge.requests, dt.datetime.now(dt.UTC).date())
        account = {
            "judge_calls": judge.calls, "judge_usage": dump(sum(judge.requests, Usage())),
            "judge_cost_usd": None if cost is None and judge.calls else dump(cost or 0), "waited_s": round(judge.waited_s, 3),
        }  # fmt: skip
        return score, account, error

    def _end(self, why: str) -> None:
        self.stopped = why
        self._stop.set()


def _event(record: dict[str, Any]) -> Event:
    return Event(**{k: record[k] for k in ("seq", "kind", "at", "elapsed_s", "data")})


def judge_results(
    methods: dict[str, list[Method]],
    results: Iterable[dict[str, Any]],
    folder: Path,
    *,
    concurrency: int = 1,
    desk: Desk | None = None,
    retry_unscored: bool = False,
    tell: Callable[[dict[str, Any]], None] = lambda record: None,
) -> dict[str, Any]:
    """Score results by the methods of their benchmark, in the run directory whose lock the caller holds.

    Returns how many scores are new, the requests to the judge that took, how many results have no score by the methods
    (unscored or not reached), and why it stopped early, if it did.
    """
    results = list(results)
    desk = desk or Desk(lambda trial, attempt, event: None, most=concurrency)
    store = ScoreStore(folder)
    new = calls = missing = 0
    stopped = ""
    try:
        for benchmark, chosen in methods.items():
            mine = [r for r in results if r["benchmark"] == benchmark]
            for method in chosen:
                rating = Rating(store, method, desk, retry_unscored=retry_unscored)
                if not stopped:
                    made = rating.run(rating.todo(mine), concurrency=concurrency, tell=tell)
                    new, calls, stopped = (
                        new + len(made),
                        calls + sum(r["judge_calls"] for r in made),
                        rating.stopped,
                    )
                known = {record["rating"]: record["score"] for record in read_scores(folder)}
                missing += sum(known.get(method.identity(r)) is None for r in mine)
    finally:
        store.close()
    return {"new_scores": new, "new_judge_calls": calls, "unscored": missing, "stopped": stopped}


def find_query(result: dict[str, Any], queries: dict[str, Query], store: ScoreStore) -> Query:
    """The query of a result as it was asked."""
    query = queries.get(result.get("query_hash", ""))
    if query is None:
        raise UsageError(
            f"{store.folder} does not hold query {result['query']} of benchmark {result['benchmark']}",
            hint="the run is of an older version, or its queries.jsonl was changed; run it again",
        )
    return query
