"""A synthetic benchmark and its scorer, as a plugin for the tests of the runner."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from gra_core import (
    Autorater,
    Benchmark,
    BenchmarkProtocol,
    Clock,
    Configuration,
    Judge,
    Message,
    Model,
    ModelError,
    ModelReply,
    ModelRequest,
    Query,
    QueryRequest,
    QuerySet,
    Score,
    Scorer,
    Submission,
    TrialBrief,
    Unreadable,
    Usage,
    content_hash,
    hookimpl,
)

CALLS: list[str] = []
JUDGED: list[str] = []
BEHAVIOUR: dict[str, Any] = {}
LOCK = threading.Lock()


class Sums(BenchmarkProtocol):
    def queries(self, request: QueryRequest, sources: Any) -> QuerySet:
        made = [
            Query(
                id=f"sum-{n}",
                benchmark="sums",
                text=f"{n} + {n} = ?",
                split="dev",
                answer=2 * n,
                template=f"t{n % 3}",
            )
            for n in range(BEHAVIOUR.get("size", 6))
        ]
        chosen = request.select(made)
        return QuerySet(queries=chosen, dataset_hash=content_hash(chosen))

    def reference(self, query: Query) -> Iterator[Any]:
        return iter(())


class Adder:
    """Adds, and misbehaves where `BEHAVIOUR` says so."""

    context_window = None

    def __init__(self, model_id: str) -> None:
        self.model_id = model_id

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        text = request.messages[0].text
        with LOCK:
            CALLS.append(text)
        number = int(text.split(" + ")[0].split()[-1])
        usage = (Usage(requests=1, input=1000, output=100),)
        if "hangs" in BEHAVIOUR:
            BEHAVIOUR["hangs"].wait(20)
        if number in BEHAVIOUR.get("quota", ()) and self.model_id in BEHAVIOUR.get(
            "quota_of", [self.model_id]
        ):
            raise ModelError("daily_quota", "daily quota of 6 requests is used up", requests=usage)
        if number in BEHAVIOUR.get("fails", ()):
            raise ModelError("bad_request", "synthetic failure", requests=usage)
        if number in BEHAVIOUR.get("down", ()):
            raise ModelError("unavailable", "synthetic outage", requests=usage)
        if number in BEHAVIOUR.get("interrupts", ()):
            raise KeyboardInterrupt
        message = Message(role="model", text=str(2 * number + BEHAVIOUR.get("offset", 0)), provider="adder")
        return ModelReply(message=message, requests=usage)

    def close(self) -> None:
        pass


@hookimpl
def gra_benchmarks() -> list[Benchmark]:
    return [
        Benchmark(
            name="sums",
            title="Sums",
            factory=f"{__name__}:Sums",
            scorers=BEHAVIOUR.get("scorers", ("equal",)),
            autoraters=("close",),
            licence="CC0-1.0",
        )
    ]


@hookimpl
def gra_scorers() -> list[Scorer]:
    def equal(query: Query, answer: str) -> Score:
        return Score(value=float(answer.strip() == str(query.answer)))

    def length(query: Query, answer: str) -> Score:
        return Score(value=1.0 if len(answer) == 1 else 0.5)

    return [Scorer(name="equal", function=equal), Scorer(name="length", function=length)]


def read_grade(reply: str) -> float:
    if not reply.startswith("GRADE "):
        raise Unreadable("it must start with GRADE")
    return float(reply.removeprefix("GRADE "))


def close(submission: Submission, judge: Judge) -> Score:
    if submission.status != "answered":
        return Score(value=0.0, explanation=submission.status)
    steps = [e.kind for e in submission.events]
    text = (
        f"{submission.query.id}: {submission.answer} after {len(steps)} events from {steps[0]} to {steps[-1]}"
    )
    return Score(value=judge.ask("Grade it.", text, read_grade))


@hookimpl
def gra_autoraters() -> list[Autorater]:
    return [
        Autorater(
            name="close",
            title="asks a model",
            function=close,
            passes=3,
            version=BEHAVIOUR.get("version", "1"),
        )
    ]


class Grader:
    """Gives half a point, and misbehaves where `BEHAVIOUR` says so, for a query's number at its n-th request."""

    context_window = None

    def __init__(self, model_id: str) -> None:
        self.model_id = model_id

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        text = request.messages[0].text
        with LOCK:
            JUDGED.append(text)
        number = int(text.split(":")[0].removeprefix("sum-"))
        usage = (Usage(requests=1, input=500, output=50),)
        if number in BEHAVIOUR.get("judge_quota", ()):
            raise ModelError("daily_quota", "daily quota of the judge is used up", requests=usage)
        if number in BEHAVIOUR.get("judge_down", ()):
            raise ModelError("unavailable", "synthetic outage", requests=usage)
        if number in BEHAVIOUR.get("judge_interrupts", ()) and sum(t == text for t in JUDGED) == 2:
            raise KeyboardInterrupt
        words = (
            "Well."
            if number in BEHAVIOUR.get("judge_babbles", ())
            else f"GRADE {BEHAVIOUR.get('grade', 0.5)}"
        )
        return ModelReply(message=Message(role="model", text=words, provider="grader"), requests=usage)

    def close(self) -> None:
        pass


@hookimpl
def gra_models(model_id: str) -> Model | None:
    kind = {"adder": Adder, "grader": Grader}.get(model_id.partition(":")[0])
    if kind is None:
        return None

    def open_client(_brief: TrialBrief) -> Adder | Grader:
        return kind(model_id)

    return Model(id=model_id, open=open_client)


@hookimpl
def gra_configurations() -> list[Configuration]:
    return [
        Configuration(name="plain", executor="reactive"),
        Configuration(name="other", executor="reactive", instructions="Add."),
    ]
