"""The tables of a report beside the main one: by domain, K and tier, cost, capabilities, saturation, abstention."""

from __future__ import annotations

import statistics
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import resources
from typing import Any

from attrs import field, frozen

from gra_bench.summary import clustered_error

Results = list[dict[str, Any]]
# Group of a wide table: the configuration and the model.
Column = tuple[str, str]


@frozen(kw_only=True)
class Table:
    """One table: `rows` hold a label, `n` and one cell for each of `columns`; a cell is a number or None.

    `spread` holds standard deviations over repeats by row and column, `unit` says what the numbers are.
    `published` are rows of the published table of the same form, with columns of their own.
    """

    id: str
    title: str
    unit: str
    columns: list[str]
    rows: list[dict[str, Any]]
    spread: list[dict[str, float | None]] = field(factory=list)
    published_columns: list[str] = field(factory=list)
    published: list[dict[str, Any]] = field(factory=list)
    published_spread: list[dict[str, float]] = field(factory=list)


def tables(results: Iterable[dict[str, Any]], configurations: Sequence[str] = ()) -> list[Table]:
    """Every table for which the results have something to say."""
    results = list(results)
    columns = _columns(results, configurations)
    made = [
        _scores("main", "Main results", results, columns, lambda r: r["benchmark"]),
        _scores("domain", "By domain", [r for r in results if r["domain"]], columns, lambda r: r["domain"]),
        _scores(
            "K", "By number of tool types", [r for r in results if r["K"]], columns, lambda r: str(r["K"])
        ),
        _scores("tier", "By tier", [r for r in results if r["tier"]], columns, lambda r: r["tier"]),
        _costs(results, columns),
        _capabilities(results, columns),
        _saturation(results, columns),
        _abstention(results, columns),
    ]
    return [table for table in made if table.rows]


def _columns(results: Results, configurations: Sequence[str]) -> list[Column]:
    rank = {name: number for number, name in enumerate(dict.fromkeys(configurations))}
    found = {(r["configuration"], r["model"]) for r in results}
    return sorted(found, key=lambda c: (rank.get(c[0], len(rank)), c))


def _name(column: Column, columns: list[Column]) -> str:
    """The configuration alone where there is one model, else both."""
    return column[0] if len({model for _, model in columns}) == 1 else f"{column[0]} {column[1]}"


def _split(results: Results, columns: list[Column]) -> dict[str, Results]:
    parts: dict[Column, Results] = {column: [] for column in columns}
    for result in results:
        parts[(result["configuration"], result["model"])].append(result)
    return {_name(column, columns): part for column, part in parts.items()}


def _scores(
    id: str, title: str, results: Results, columns: list[Column], label: Callable[[dict[str, Any]], str]
) -> Table:
    """Scores on 0–100, mean and standard deviation over repeats; a trial that failed counts as zero."""
    groups: dict[tuple[str, str], Results] = defaultdict(list)
    for result in results:
        groups[(result["benchmark"], label(result))].append(result)
    rows, spread = [], []
    for (benchmark, name), group in sorted(groups.items()):
        parts = _split(group, columns)
        cells = {column: repeated(part) for column, part in parts.items()}
        heading = name if id == "main" else f"{benchmark}: {name}"
        rows.append(
            {"label": heading, "n": len({r["query"] for r in group}), **{c: m for c, (m, _) in cells.items()}}
        )
        spread.append({c: s for c, (_, s) in cells.items()})
    known = {row: v for row, v in published().get(id, {}).items() if row in {label(r) for r in results}}
    return Table(
        id=id,
        title=title,
        unit="score, 0 to 100",
        columns=list(_split([], columns)),
        rows=rows,
        spread=spread,
        published_columns=published()["columns"] if known else [],
        published=[{"label": row, **_published_cells(v[0] for v in values)} for row, values in known.items()],
        published_spread=[_published_cells(v[1] for v in values) for values in known.values()],
    )


def _published_cells(values: Iterable[float]) -> dict[str, float]:
    return dict(zip(published()["columns"], values, strict=True))


def repeated(results: Results) -> tuple[float | None, float | None]:
    """Mean over repeats of the mean score, times 100, and the standard deviation over repeats (None for one)."""
    repeats: dict[int, list[float]] = defaultdict(list)
    for result in results:
        if result["score"] is not None:
            repeats[result["repeat"]].append(100 * result["score"])
    means = [statistics.fmean(values) for _, values in sorted(repeats.items())]
    if not means:
        return None, None
    return statistics.fmean(means), statistics.stdev(means) if len(means) > 1 else None


def _costs(results: Results, columns: list[Column]) -> Table:
    """USD per query, failed trials included; None as soon as one price is not known."""
    groups: dict[str, Results] = defaultdict(list)
    for result in results:
        groups[result["benchmark"]].append(result)
    rows = []
    for benchmark, group in sorted(groups.items()):
        cells = {column: _cost(part) for column, part in _split(group, columns).items()}
        rows.append({"label": benchmark, "n": len({r["query"] for r in group}), **cells})
    known = {name: values for name, values in published()["cost"].items() if name in groups}
    return Table(
        id="cost",
        title="Cost per query",
        unit="USD",
        columns=list(_split([], columns)),
        rows=rows,
        published_columns=published()["columns"] if known else [],
        published=[{"label": name, **_published_cells(values)} for name, values in known.items()],
    )


def _cost(results: Results) -> float | None:
    costs = [r["outcome"]["cost_usd"] for r in results]
    if not costs or None in costs:
        return None
    return statistics.fmean(float(c) for c in costs)


def _capabilities(results: Results, columns: list[Column]) -> Table:
    """Per benchmark: share of trials that load a skill of each pillar, and activity per query."""
    rows = []
    for benchmark in sorted({r["benchmark"] for r in results}):
        group = [r for r in results if r["benchmark"] == benchmark]
        parts = _split(group, columns)
        for label, measure in _measures():
            cells = {column: _mean(part, measure) for column, part in parts.items()}
            if any(cells.values()):
                rows.append(
                    {"label": f"{benchmark}: {label}", "n": len({r["query"] for r in group}), **cells}
                )
    return Table(
        id="capabilities",
        title="Capability usage",
        unit="% of trials, or count per trial",
        columns=list(_split([], columns)),
        rows=rows,
    )


def _measures() -> list[tuple[str, Callable[[dict[str, Any]], float]]]:
    def loads(skills: set[str]) -> Callable[[dict[str, Any]], float]:
        return lambda result: 100.0 * bool(skills & set(result["outcome"]["skills"]))

    def counts(tool: str) -> Callable[[dict[str, Any]], float]:
        return lambda result: float(result["outcome"]["tools"].get(tool, 0))

    named = {skill for skills in pillars().values() for skill in skills}
    made = [(f"{pillar} (%)", loads(set(skills))) for pillar, skills in pillars().items()]
    made.append(("Other (%)", lambda result: 100.0 * bool(set(result["outcome"]["skills"]) - named)))
    made.append(("skills loaded", lambda result: float(len(result["outcome"]["skills"]))))
    return [*made, ("Python calls", counts("run_python")), ("web searches", counts("search_web"))]


def _mean(results: Results, measure: Callable[[dict[str, Any]], float]) -> float | None:
    return statistics.fmean(map(measure, results)) if results else None


def _saturation(results: Results, columns: list[Column]) -> Table:
    """How far a benchmark is answered without analysis: share of trials that are right without any tool call, right
    without computing (no Python, no tool of a geospatial skill), and right at all."""
    rows = []
    for benchmark in sorted({r["benchmark"] for r in results}):
        group = [r for r in results if r["benchmark"] == benchmark and r["score"] is not None]
        parts = _split(group, columns)
        for label, fits in (
            ("right", lambda r: True),
            ("right without any tool", lambda r: not r["outcome"]["tools"]),
            ("right without a domain skill or Python", _without_analysis),
        ):
            cells = {
                column: _mean(part, lambda r, fits=fits: 100.0 * (r["score"] >= 0.995 and fits(r)))  # type: ignore[misc]
                for column, part in parts.items()
            }
            rows.append({"label": f"{benchmark}: {label}", "n": len({r["query"] for r in group}), **cells})
    return Table(
        id="saturation", title="Saturation", unit="% of trials", columns=list(_split([], columns)), rows=rows
    )


def _without_analysis(result: dict[str, Any]) -> bool:
    used = result["outcome"]
    return set(used["skills"]) <= {"web-search"} and not used["tools"].get("run_python")


def _abstention(results: Results, columns: list[Column]) -> Table:
    """Where a benchmark says which queries can be answered: precision and recall of abstaining."""
    rows = []
    for benchmark in sorted({r["benchmark"] for r in results}):
        group = [r for r in results if r["benchmark"] == benchmark and r.get("solvable") is not None]
        if not any(r["solvable"] is False for r in group):
            continue
        parts = _split(group, columns)
        for label, ratio in (("abstention precision", _precision), ("abstention recall", _recall)):
            rows.append(
                {
                    "label": f"{benchmark}: {label}",
                    "n": len({r["query"] for r in group}),
                    **{c: ratio(p) for c, p in parts.items()},
                }
            )
    return Table(id="abstention", title="Abstention", unit="%", columns=list(_split([], columns)), rows=rows)


def _precision(results: Results) -> float | None:
    abstained = [r for r in results if r["outcome"]["status"] == "abstained"]
    return _mean(abstained, lambda r: 100.0 * (r["solvable"] is False))


def _recall(results: Results) -> float | None:
    infeasible = [r for r in results if r["solvable"] is False]
    return _mean(infeasible, lambda r: 100.0 * (r["outcome"]["status"] == "abstained"))


@frozen(kw_only=True)
class Comparison:
    """Two configurations on the same queries: mean difference of scores (second less first, 0–100), its 95 %
    interval (clusters respected), and how many queries each wins."""

    benchmark: str
    model: str
    first: str
    second: str
    queries: int
    difference: float
    low: float | None
    high: float | None
    first_better: int
    second_better: int
    ties: int


def compare(results: Iterable[dict[str, Any]], first: str, second: str) -> list[Comparison]:
    """Paired comparisons, one for each benchmark and model, over the queries that both have scores of."""
    scores: dict[tuple[str, str], dict[str, dict[str, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    clusters: dict[str, str] = {}
    for r in results:
        if r["score"] is not None and r["configuration"] in (first, second):
            scores[(r["benchmark"], r["model"])][r["query"]][r["configuration"]].append(100 * r["score"])
            clusters[r["query"]] = r["cluster"]
    made = []
    for (benchmark, model), queries in sorted(scores.items()):
        both = {
            q: (statistics.fmean(s[first]), statistics.fmean(s[second]))
            for q, s in queries.items()
            if first in s and second in s
        }
        if not both:
            continue
        gaps = [(clusters[q], b - a) for q, (a, b) in sorted(both.items())]
        mean = statistics.fmean(gap for _, gap in gaps)
        low, high = interval(mean, gaps)
        made.append(
            Comparison(
                benchmark=benchmark,
                model=model,
                first=first,
                second=second,
                queries=len(both),
                difference=mean,
                low=low,
                high=high,
                first_better=sum(gap < 0 for _, gap in gaps),
                second_better=sum(gap > 0 for _, gap in gaps),
                ties=sum(gap == 0 for _, gap in gaps),
            )
        )
    return made


def interval(mean: float, values: list[tuple[str, float]]) -> tuple[float | None, float | None]:
    """95 % interval of a mean with the cluster-robust error and Student's t on clusters − 1 degrees of freedom."""
    error = clustered_error(values)
    if error is None:
        return None, None
    from scipy.stats import t

    width = float(t.ppf(0.975, len({cluster for cluster, _ in values}) - 1)) * error
    return mean - width, mean + width


@cache
def published() -> dict[str, Any]:
    """The published numbers, for reading side by side."""
    return tomllib.loads(resources.files("gra_bench").joinpath("published.toml").read_text(encoding="utf-8"))


@cache
def pillars() -> dict[str, list[str]]:
    """Capability pillars and their skills."""
    return tomllib.loads(resources.files("gra_bench").joinpath("pillars.toml").read_text(encoding="utf-8"))
