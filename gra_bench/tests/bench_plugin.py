"""A synthetic benchmark and its scorer, as a plugin for the tests of the runner."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from gra_core import (
    Benchmark,
    BenchmarkProtocol,
    Clock,
    Configuration,
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
    TrialBrief,
    Usage,
    content_hash,
    hookimpl,
)

CALLS: list[str] = []
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
        if number in BEHAVIOUR.get("quota", ()):
            raise ModelError("daily_quota", "daily quota of 6 requests is used up", requests=usage)
        if number in BEHAVIOUR.get("fails", ()):
            raise ModelError("bad_request", "synthetic failure", requests=usage)
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
            name="sums", title="Sums", factory=f"{__name__}:Sums", scorers=("equal",), licence="CC0-1.0"
        )
    ]


@hookimpl
def gra_scorers() -> list[Scorer]:
    def equal(query: Query, answer: str) -> Score:
        return Score(value=float(answer.strip() == str(query.answer)))

    return [Scorer(name="equal", function=equal)]


@hookimpl
def gra_models(model_id: str) -> Model | None:
    if not model_id.startswith("adder"):
        return None

    def open_client(_brief: TrialBrief) -> Adder:
        return Adder(model_id)

    return Model(id=model_id, open=open_client)


@hookimpl
def gra_configurations() -> list[Configuration]:
    return [
        Configuration(name="plain", executor="reactive"),
        Configuration(name="other", executor="reactive", instructions="Add."),
    ]
