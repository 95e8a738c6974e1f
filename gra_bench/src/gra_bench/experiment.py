"""An experiment: the options of a run, and the trials they stand for."""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
from decimal import Decimal
from typing import Any

from attrs import frozen

from gra_bench.ablation import variants
from gra_bench.execute import Stage
from gra_bench.scoring import Method, find_method, score_outcome
from gra_bench.trials import Trial, core_of, plugins_of, setting_of, trial_id
from gra_bench.workbench import Workbench, pairs
from gra_core import Benchmark, Query, QueryRequest, Score, UsageError, converter, dump, load


@frozen(kw_only=True)
class Options:
    """The options of `gra-bench run` that a resume takes over; stored in the manifest. All but `max_cost` decide which
    trials there are, and stay as they were."""

    benchmarks: tuple[str, ...] = ("geoktools",)
    configurations: tuple[str, ...] = ("llm", "llm-basic", "llm-tools", "gra")
    models: tuple[str, ...] = ("oracle",)
    split: str = "dev"
    limit: int | None = None
    queries: tuple[str, ...] = ()
    repeats: int = 1
    seed: int = 0
    best_effort: bool = True
    sources: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    ablate: tuple[str, ...] = ()
    sandbox: str | None = None
    judge: str | None = None
    judge_passes: int | None = None
    max_cost: Decimal | None = None


@frozen(kw_only=True)
class Experiment:
    """Benchmarks with their queries, stages with their plugins, and all trials."""

    options: Options
    benchmarks: dict[str, Benchmark]
    dataset_hashes: dict[str, str]
    notes: tuple[str, ...]
    stages: dict[str, Stage]
    trials: tuple[Trial, ...]
    bench: Workbench

    @property
    def dataset_hash(self) -> str:
        """The hash of the only benchmark, or one over all of them."""
        hashes = sorted(self.dataset_hashes.items())
        if len(hashes) == 1:
            return hashes[0][1]
        return hashlib.sha256(repr(hashes).encode()).hexdigest()

    def score(self, query: Query, benchmark: str, outcome: Any) -> Score:
        """The default scorer's score; a trial without an answer scores zero and stays in."""
        scorers = self.benchmarks[benchmark].scorers
        if not scorers:
            return Score(value=None, explanation="this benchmark is scored by a judge")
        return score_outcome(self.bench.registry.scorers[scorers[0]], query, dump(outcome))

    def judging(self) -> dict[str, list[Method]]:
        """How each benchmark is judged, when the run has a judge."""
        if self.options.judge is None:
            return {}
        registry, options = self.bench.registry, self.options
        return {
            name: [
                find_method(registry, n, options.judge, options.judge_passes) for n in benchmark.autoraters
            ]
            for name, benchmark in self.benchmarks.items()
        }

    def manifest(self) -> dict[str, Any]:
        """What the run's manifest says of the experiment."""
        return {
            "options": converter.unstructure(self.options),
            "dataset_hash": self.dataset_hash,
            "datasets": self.dataset_hashes,
            "notes": list(self.notes),
            "core": core_of(),
            "scorers": {name: list(b.scorers) for name, b in self.benchmarks.items()},
            "autoraters": {name: list(b.autoraters) for name, b in self.benchmarks.items()},
            "configurations": {
                name: {
                    "configuration": dump(stage.configuration),
                    "plugins": plugins_of(stage.registry),
                    "sources": stage.sources.snapshot(),
                }
                for name, stage in self.stages.items()
            },
            "models": {t.model.id: t.model.snapshot for t in self.trials},
            "trials": len(self.trials),
        }


def read_options(manifest: dict[str, Any]) -> Options:
    """The options a run was started with."""
    return load(manifest["options"], Options, what="options in manifest.json")


def prepare(options: Options, bench: Workbench) -> Experiment:
    """Everything that can be wrong with the options is found here, before anything is written."""
    _check(options)
    registry = bench.registry
    benchmarks = {name: registry.benchmarks[name] for name in options.benchmarks}
    configurations = {c.name: c for c in (bench.configuration(name) for name in options.configurations)}
    if len(configurations) < len(options.configurations):
        raise UsageError("two of the configurations have the same name", hint="give each its own `name`")
    configurations |= {c.name: c for c in variants(configurations.values(), options.ablate, registry)}
    models = [registry.model(model_id) for model_id in options.models]
    stages = {
        name: Stage(configuration=c, registry=bench.registry_of(c), sources=bench.sources(c))
        for name, c in configurations.items()
    }
    for stage in stages.values():
        _check_stage(stage)
    for catalogue in (registry.scorers, registry.autoraters, registry.model_families):
        len(catalogue)
    registry.plugins.raise_failures()
    for benchmark in benchmarks.values():
        for scorer in benchmark.scorers:
            registry.scorers[scorer]
        for autorater in benchmark.autoraters:
            registry.autoraters[autorater]
    _check_judge(options, bench, benchmarks)
    request = QueryRequest(split=options.split, seed=options.seed, limit=options.limit, ids=options.queries)  # type: ignore[arg-type]
    sources = bench.sources()
    sets = {name: b.load().queries(request, sources) for name, b in benchmarks.items()}
    trials = []
    order = itertools.product(range(options.repeats), benchmarks, models)
    settings: dict[tuple[str, str, str], str] = {}
    for repeat, name, model in order:
        for stage in stages.values():
            key = (name, model.id, stage.configuration.name)
            if key not in settings:
                settings[key] = setting_of(
                    stage.configuration, stage.registry, stage.sources, benchmarks[name], model, _best_effort(options, stage)
                )  # fmt: skip
        for query, stage in itertools.product(sets[name].queries, stages.values()):
            setting = settings[name, model.id, stage.configuration.name]
            trials.append(
                Trial(
                    id=trial_id(query, setting, repeat),
                    query=query,
                    benchmark=benchmarks[name],
                    configuration=stage.configuration,
                    model=model,
                    repeat=repeat,
                    best_effort=_best_effort(options, stage),
                )
            )
    hashes = {name: s.dataset_hash for name, s in sets.items()}
    return Experiment(
        options=options,
        benchmarks=benchmarks,
        dataset_hashes=hashes,
        notes=tuple(f"{name}: {note}" for name, s in sets.items() for note in s.notes),
        stages=stages,
        trials=tuple(trials),
        bench=bench,
    )


def _best_effort(options: Options, stage: Stage) -> bool:
    own = stage.configuration.best_effort
    return options.best_effort if own is None else own


def _check(options: Options) -> None:
    counts = {"--repeats": options.repeats, "--limit": options.limit, "--judge-passes": options.judge_passes}
    for name, value in counts.items():
        if value is not None and value < 1:
            raise UsageError(f"{name} {value}: expected at least 1")
    if options.max_cost is not None and not options.max_cost > 0:
        raise UsageError(f"--max-cost {options.max_cost}: expected an amount of US dollars above zero")
    pairs(options.sources, "--source")


def check_prices(experiment: Experiment) -> None:
    """`UsageError` when a budget is set and a model's price is not known: what it spends could not be told."""
    if experiment.options.max_cost is None:
        return
    today = dt.datetime.now(dt.UTC).date()
    tables = [stage.prices for stage in experiment.stages.values()]
    names = {t.model.id for t in experiment.trials} | {experiment.options.judge or "oracle"}
    for name in sorted(names):
        if any(prices.find(name, today) is None for prices in tables):
            raise UsageError(
                f"--max-cost {experiment.options.max_cost}: the price of {name} is not known",
                hint="give it as [[prices]] in a configuration file, see docs/configurations.md",
            )


def _check_judge(options: Options, bench: Workbench, benchmarks: dict[str, Benchmark]) -> None:
    """A judge must exist and have something to do."""
    if options.judge is None:
        if options.judge_passes is not None:
            raise UsageError("--judge-passes needs --judge", hint="say which model judges")
        return
    bench.registry.model(options.judge)
    if not any(b.autoraters for b in benchmarks.values()):
        raise UsageError(
            f"--judge {options.judge}: {', '.join(benchmarks)} names no autorater",
            hint="leave it out, or choose one for the finished run: gra-bench score RUN --scorer NAME --judge MODEL",
        )


def _check_stage(stage: Stage) -> None:
    """Names in a configuration are checked before the run, not in its first trial."""
    from gra_core.session import chosen_rules, chosen_skills

    c, registry = stage.configuration, stage.registry
    if c.planner:
        registry.planners[c.planner]
    registry.executors[c.executor]
    chosen_skills(registry, c)
    chosen_rules(registry, c, True)
    for tool in (*c.tools, *c.tool_caps):
        registry.tools[tool]
    if sandbox := c.settings.get("sandbox"):
        registry.sandboxes[sandbox]
    if c.limits.model_calls < 1 or c.limits.wall_clock_s <= 0:
        raise UsageError(f"configuration {c.name}: limits must be positive, got {c.limits}")
