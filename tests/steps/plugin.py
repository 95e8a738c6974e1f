"""Benchmark `steps` (as many queries as `--limit` says), its tools, and configuration `steps`, as a plugin."""

from __future__ import annotations

import math
import os
import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gra_core import (
    Benchmark,
    BenchmarkProtocol,
    Configuration,
    PluginSelection,
    Query,
    QueryRequest,
    QuerySet,
    Score,
    Scorer,
    Skill,
    ToolContext,
    ToolError,
    ToolResult,
    Usage,
    content_hash,
    hookimpl,
    tool,
)
from gra_core.tool import Tool

OVER = threading.Event()
ANSWER = "{n} is there"
KINDS = ("surrogates", "nul", "nan", "large", "nested", "large-nan", "failure")


class Steps(BenchmarkProtocol):
    """Queries that differ in a number only."""

    def queries(self, request: QueryRequest, sources: Any) -> QuerySet:
        made = [
            Query(
                id=f"steps-{n}",
                benchmark="steps",
                text=f"Sample {n}: walk to the end.",
                split="dev",
                answer=ANSWER.format(n=n),
            )
            for n in range(1, (request.limit or 6) + 1)
        ]
        chosen = request.select(made)
        return QuerySet(queries=chosen, dataset_hash=content_hash(chosen))


@tool()
def walk(ctx: ToolContext, to: int) -> str:
    """Go a step; every time it really happens is billed otherwise.

    Args:
        to: Number of the step.
    """
    ctx.bill("openai:loopback", Usage(requests=1, input=secrets.randbits(40), searches=1))
    return f"you are at step {to}"


@tool()
def keep(ctx: ToolContext, size: int) -> Any:
    """Save a dataset.

    Args:
        size: Its size in bytes.
    """
    return ToolResult.ok("it is kept", datasets=[ctx.save(["x" * size], name="steps")])


@tool()
def noise(ctx: ToolContext, kind: str) -> Any:
    """Answer with something that is hard to keep.

    Args:
        kind: One of `KINDS`, or key.
    """
    if kind == "failure":
        raise ToolError("upstream", "\udc80\x00 " + "no" * 5_000_000)
    made: dict[str, Callable[[], Any]] = {
        "surrogates": lambda: "\ud83d half \udc80",
        "nul": lambda: "a\x00b",
        "nan": lambda: {"value": [math.nan, math.inf]},
        "large": lambda: "\x00\ud83d" + "ten megabytes " * 750_000,
        "nested": lambda: {f"k{n}": ["\udfff\x00" * 9] * 20 for n in range(9000)},
        "large-nan": lambda: [math.nan] * 50_000,
        "key": lambda: os.environ["OPENAI_API_KEY"],
    }
    return made[kind]()


@tool()
def keep_key(ctx: ToolContext) -> Any:
    """Save the key as a dataset."""
    key = os.environ["OPENAI_API_KEY"]
    saved = ctx.save({"key": key, key: 1}, name=key, notes=(key,))
    return ToolResult.ok({key: key}, datasets=[saved], notes=[key])


@tool(timeout_s=0.3)
def hang(ctx: ToolContext) -> str:
    """Never answers."""
    OVER.wait(60)
    return "too late"


TOOLS = (walk, keep, noise, keep_key, hang)


@hookimpl
def gra_skills() -> list[Skill]:
    folder = Path(__file__).with_name("steps-tools")
    return [Skill(folder=folder, tools=tuple(Tool(handler=t, skill="steps-tools") for t in TOOLS))]


@hookimpl
def gra_configurations() -> list[Configuration]:
    return [
        Configuration(
            name="steps",
            executor="reactive",
            tools=tuple(t.__name__ for t in TOOLS),
            plugins=PluginSelection(only=("steps", "orchestration", "model-openai")),
        )
    ]


@hookimpl
def gra_benchmarks() -> list[Benchmark]:
    return [
        Benchmark(
            name="steps",
            title="Synthetic walks",
            factory="steps.plugin:Steps",
            scorers=("there",),
            licence="CC0-1.0",
        )
    ]


@hookimpl
def gra_scorers() -> list[Scorer]:
    def there(query: Query, answer: str) -> Score:
        return Score(value=float(answer.strip() == query.answer))

    return [Scorer(name="there", title="The very answer", function=there)]
