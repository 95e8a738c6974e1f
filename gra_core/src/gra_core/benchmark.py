"""Benchmarks: queries with answers, who scores them, and the reference trajectories that prove them answerable."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Generator, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from attrs import field, frozen

from gra_core.converter import dump
from gra_core.errors import GraError, UsageError
from gra_core.lazy import load_object
from gra_core.workflow import Workflow

if TYPE_CHECKING:
    from gra_core.sources import Sources

Split = Literal["dev", "test", "all"]
BlankType = Literal["entity", "number", "text", "boolean", "date"]


@frozen(kw_only=True)
class Blank:
    """One blank of an answer. `tolerance` names the domain that says how close is close (see the scorer);
    `depends_on` is the index of the blank whose entity it belongs to."""

    label: str
    type: BlankType
    unit: str = ""
    tolerance: str = ""
    depends_on: int | None = None
    aliases: tuple[str, ...] = ()


@frozen(kw_only=True)
class Query:
    """One question. Fields that a benchmark lacks stay None or empty.

    `text` is what the agent reads, without best-effort prefix; `answer` the reference answer; `domain` and
    `tier` group reports; `cluster` names what is not independent (the template); `extra` is the benchmark's own.
    `golden_workflows` are the reference of an open-ended query; several are alternatives. Of a query that is not
    `solvable` no answer is right: the agent should abstain.
    """

    id: str
    benchmark: str
    text: str
    split: str = ""
    answer: Any = None
    template: str | None = None
    K: int | None = None
    tool_types: tuple[str, ...] = ()
    blanks: tuple[Blank, ...] = ()
    domain: str = ""
    tier: str = ""
    golden_workflows: tuple[Workflow, ...] = ()
    solvable: bool = True
    parameters: dict[str, Any] = field(factory=dict)
    extra: dict[str, Any] = field(factory=dict)

    @property
    def cluster(self) -> str:
        return self.template or self.id

    def public(self) -> dict[str, Any]:
        """For `gra-bench queries --json`: id, template, K, tool_types, split, text, answer and the like; absent fields
        left out."""
        full = dump(self)
        keys = (
            "id",
            "template",
            "K",
            "tool_types",
            "split",
            "text",
            "answer",
            "domain",
            "tier",
            "golden_workflows",
        )
        shown = {k: full[k] for k in keys if full[k] not in (None, "", [], ())}
        return shown if self.solvable else {**shown, "solvable": False}


def content_hash(queries: Iterable[Query]) -> str:
    """Identity of a set of queries: SHA-256 of their canonical JSON."""
    digest, before = hashlib.sha256(), b"["
    for query in queries:  # one by one: a text of all of them would be the largest thing in memory
        text = json.dumps(dump(query), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        digest.update(before + text.encode())
        before = b","
    digest.update(b"[]" if before == b"[" else b"]")
    return digest.hexdigest()


@frozen(kw_only=True)
class QuerySet:
    """Queries and the hash that names them: of seed, split, source snapshot, template versions and content.

    `notes` are told to whoever prints or runs the queries: what they are not, what was left out.
    """

    queries: tuple[Query, ...]
    dataset_hash: str
    notes: tuple[str, ...] = ()


class IllPosed(GraError):
    """An instance of a template that has no single clear answer: it hangs on a near tie or on missing data."""


@frozen(kw_only=True)
class QueryRequest:
    """Which instances are wanted. `ids` keeps only these; an unknown id is a `UsageError`."""

    split: Split = "dev"
    seed: int = 0
    limit: int | None = None
    ids: tuple[str, ...] = ()

    def select(self, queries: Iterable[Query]) -> tuple[Query, ...]:
        """Apply `ids`, then `limit`."""
        queries = list(queries)
        if self.ids:
            known = {q.id: q for q in queries}
            if unknown := [i for i in self.ids if i not in known]:
                raise UsageError(
                    f"unknown query {', '.join(unknown)}",
                    hint="`gra-bench queries BENCHMARK --split all` lists the ids",
                )
            queries = [known[i] for i in self.ids]
        return tuple(queries[: self.limit] if self.limit is not None else queries)


# A reference trajectory: yields ("tool", {arguments}), receives what the model would read, returns the answer.
Step = tuple[str, dict[str, Any]]
ReferenceTrajectory = Generator[Step, dict[str, Any], Any]


class BenchmarkProtocol:
    """What a benchmark's `factory` returns."""

    def queries(self, request: QueryRequest, sources: Sources) -> QuerySet:
        """The instances: a function of the request, the sources and the code, and of nothing else."""
        raise NotImplementedError

    def reference(self, query: Query) -> ReferenceTrajectory | None:
        """The tool calls that answer a query, or None when there are none."""
        return None

    def skills(self, query: Query) -> tuple[str, ...]:
        """The skills that the reference trajectory needs."""
        return ()

    def answer(self, query: Query, sources: Sources) -> Any:
        """A query's true answer on today's sources, for `gra-bench revalidate`; `IllPosed` when there is none any
        more, `NotImplementedError` for a benchmark whose answers are not computed."""
        raise NotImplementedError


@frozen(kw_only=True)
class Benchmark:
    """A declared benchmark. `factory` is ``"module:callable"``; `scorers` are the deterministic scorers' names, the
    first of which scores every run; `autoraters` those that are used as well when a run has a judge. Without a scorer, a
    run without a judge leaves trials unscored.

    `answer_instruction` follows every query's text (how to write the final answer).
    """

    name: str
    title: str
    factory: str
    scorers: tuple[str, ...] = ()
    autoraters: tuple[str, ...] = ()
    splits: tuple[str, ...] = ("dev", "test")
    licence: str = ""
    attribution: str = ""
    url: str = ""
    answer_instruction: str = ""
    version: str = "1"

    def load(self) -> BenchmarkProtocol:
        """The benchmark object, imported now."""
        return load_object(self.factory)()


@frozen(kw_only=True)
class Score:
    """A score between 0 and 1, or None: *unscored*. `parts` are the scores of the blanks."""

    value: float | None
    parts: tuple[float, ...] = ()
    explanation: str = ""
    extra: dict[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class Scorer:
    """A scorer by name. `function` is ``"module:callable"`` (or the callable) taking a query and the final
    answer's text, and returning a `Score`; it needs no model. One with a parameter `status` is told how the trial
    ended (answered or abstained)."""

    name: str
    function: str | Callable[..., Score]
    title: str = ""

    def score(self, query: Query, answer: str, status: str = "answered") -> Score:
        function = load_object(self.function) if isinstance(self.function, str) else self.function
        if _takes_status(function):
            return function(query, answer, status=status)
        return function(query, answer)


@lru_cache(maxsize=256)
def _takes_status(function: Callable[..., Score]) -> bool:
    return "status" in inspect.signature(function).parameters
