"""Benchmark `trivial` (as many queries as `--limit` says), scorer `exact`, model `canned`, which answers them all, and
configuration `insisting`, which asks several times before it believes the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gra_core import (
    Benchmark,
    BenchmarkProtocol,
    Clock,
    Configuration,
    Executor,
    Message,
    Model,
    ModelReply,
    ModelRequest,
    Query,
    QueryRequest,
    QuerySet,
    Score,
    Scorer,
    Usage,
    content_hash,
    hookimpl,
)

if TYPE_CHECKING:
    from gra_core.session import Session

# The same in inspect_task.py.
QUESTION = "Sample {n}: which city is the capital of France?"
ANSWER = "Paris"
USAGE = Usage(requests=1, input=12, output=3)
AGAIN = "Are you sure?"
TURNS = 3


class Trivial(BenchmarkProtocol):
    """`--limit` queries that differ in a number only."""

    def queries(self, request: QueryRequest, sources: Any) -> QuerySet:
        made = [
            Query(
                id=f"trivial-{n}", benchmark="trivial", text=QUESTION.format(n=n), split="dev", answer=ANSWER
            )
            for n in range(1, (request.limit or 100) + 1)
        ]
        chosen = request.select(made)
        return QuerySet(queries=chosen, dataset_hash=content_hash(chosen))


class Canned:
    """Gives the answer, with the usage of a short reply."""

    context_window = None
    model_id = "canned"

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        return ModelReply(message=Message(role="model", text=ANSWER, provider="canned"), requests=(USAGE,))

    def close(self) -> None:
        pass


def exact(query: Query, answer: str) -> Score:
    """1 for the very answer, else 0."""
    return Score(value=float(answer.strip() == query.answer))


def insist(session: Session) -> str:
    """The answer after `TURNS` model calls."""
    messages = [Message.user(session.text)]
    for _ in range(TURNS):
        reply = session.call_model(messages, system="", tools=[])
        messages += [reply.message, Message.user(AGAIN)]
    return reply.message.text


@hookimpl
def gra_executors() -> list[Executor]:
    return [Executor(name="insisting", title="Asks several times", function=insist)]


@hookimpl
def gra_configurations() -> list[Configuration]:
    return [Configuration(name="insisting", executor="insisting")]


@hookimpl
def gra_benchmarks() -> list[Benchmark]:
    return [
        Benchmark(
            name="trivial",
            title="Trivial queries, for measuring",
            factory=f"{__name__}:Trivial",
            scorers=("exact",),
            splits=("dev",),
            licence="CC0-1.0",
            attribution="synthetic",
        )
    ]


@hookimpl
def gra_scorers() -> list[Scorer]:
    return [Scorer(name="exact", title="The very answer", function=exact)]


@hookimpl
def gra_models(model_id: str) -> Model | None:
    return Model(id=model_id, open=lambda brief: Canned()) if model_id == "canned" else None
