"""`gra-bench run`."""

from __future__ import annotations

import datetime as dt
import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import attrs
import click

from gra_bench.options import (
    json_option,
    judge_options,
    plugin_options,
    print_json,
    recording_options,
    sandbox_option,
    source_option,
    tool_settings,
)

DEFAULT_FOLDER = "runs"
DEFAULT_CONCURRENCY = 8
INTERRUPTED = "interrupted"


class Dollars(click.ParamType):
    """An exact amount."""

    name = "USD"

    def convert(self, value: Any, param: Any, ctx: Any) -> Decimal:
        try:
            amount = Decimal(str(value).removeprefix("$"))
        except InvalidOperation:
            self.fail(f"{value!r} is not an amount of US dollars, such as 2.50", param, ctx)
        if not (amount.is_finite() and amount > 0):
            self.fail(f"{value!r}: expected an amount above zero", param, ctx)
        return amount


DOLLARS = Dollars()


@click.command(short_help="Run benchmarks over configurations and models.")
@click.option(
    "-b",
    "--benchmark",
    "benchmarks",
    multiple=True,
    metavar="NAME",
    help="Benchmark. Repeatable. [default: geoktools]",
)
@click.option(
    "-c",
    "--configuration",
    "configurations",
    multiple=True,
    metavar="NAME|FILE",
    help="Configuration, or a TOML file. Repeatable. [default: llm, llm-basic, llm-tools, gra]",
)
@click.option(
    "-m",
    "--model",
    "models",
    multiple=True,
    metavar="ID",
    help="Model id such as gemini:gemini-3.8-flash. Repeatable. [default: oracle]",
)
@click.option(
    "--split",
    type=click.Choice(["dev", "test", "all"]),
    default="dev",
    show_default=True,
    help="Which queries.",
)
@click.option("--limit", type=int, metavar="N", help="At most N queries of each benchmark.")
@click.option("--query", "queries", multiple=True, metavar="ID", help="Only this query. Repeatable.")
@click.option(
    "-r", "--repeats", type=int, default=1, show_default=True, metavar="N", help="Attempts at each query."
)
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the benchmark's instances."
)
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=DEFAULT_CONCURRENCY,
    show_default=True,
    metavar="N",
    help="At most N trials, and requests to a model, at a time; rate limits make it fewer.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS|local[:N]",
    help="Run trials on a Dask cluster: a running one, or N worker processes here.",
)
@click.option(
    "--max-cost",
    type=DOLLARS,
    metavar="USD",
    help="Stop before the run has cost more than this, all in all.",
)
@click.option(
    "--run-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help=f"Where the run is written. [default: {DEFAULT_FOLDER}/<time>]",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Go on with the run in --run-dir: finished trials are kept. Starts it when there is none yet.",
)
@click.option(
    "--retry-failed",
    is_flag=True,
    help="With --resume: try trials again that failed because their model could not be reached.",
)
@click.option(
    "--best-effort/--strict",
    default=True,
    show_default=True,
    help="Ask for substitutes, or let the agent abstain.",
)
@click.option(
    "--keep-workspaces/--drop-workspaces", default=True, show_default=True, help="Keep each trial's datasets."
)
@click.option(
    "--ablate",
    multiple=True,
    metavar="PART",
    help="Also run each configuration without a guidance rule (its id), without `planning`, or `all` in turn. Repeatable.",
)
@judge_options
@source_option
@plugin_options
@sandbox_option
@recording_options
@json_option
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> int:
    """Run benchmarks over configurations and models, and print a table.

    Without options: GeoKTools dev on the embedded atlas, the four configurations, model `oracle`. With a key in
    GEMINI_API_KEY, `-m gemini:<model>` runs the same on a real model. A run that was interrupted goes on with
    `--run-dir DIR --resume`; options that are not given are then those the run was started with. With a judge, the
    autoraters of the benchmarks score the finished trials too.
    """
    from gra_bench.conduct import Manner, carry_on, connected
    from gra_bench.experiment import Options, check_prices, prepare, read_options
    from gra_bench.runner import Progress
    from gra_bench.store import RunStore, holds_something, read_manifest
    from gra_bench.workbench import Workbench, pairs

    names = {f.name for f in attrs.fields(Options)}
    explicit = {
        n: given[n]
        for n in names
        if ctx.get_parameter_source(n) is not click.core.ParameterSource.DEFAULT and given[n] != ()
    }
    options = Options(**explicit)
    folder: Path | None = given["run_dir"]
    if given["retry_failed"] and not given["resume"]:
        raise click.UsageError("--retry-failed goes with --resume: a new run has no failed trials")
    if given["resume"] and folder is None:
        raise click.UsageError("--resume needs --run-dir: which run is to go on?")
    stored = None
    if given["resume"] and folder is not None and holds_something(folder):
        stored = read_manifest(folder)
        options = _resumed_options(read_options(stored), explicit, folder)
    elif given["resume"]:
        click.echo(f"Note: there is no run in {folder} yet; it is started.", err=True)
    bench = Workbench(
        on=options.on, off=options.off, choice=pairs(options.sources, "--source"), record=given["record"], replay=given["replay"],
        settings=tool_settings(options.sandbox),
    )  # fmt: skip
    experiment = prepare(options, bench)
    check_prices(experiment)
    if stored is not None and folder is not None:
        refuse_changed(stored, experiment.manifest(), folder)
    _check_models(experiment)
    for note in experiment.notes:
        click.echo(f"Note: {note}", err=True)
    folder = folder or Path(DEFAULT_FOLDER) / dt.datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    with connected(given["scheduler"]) as connection:
        store = RunStore.create(folder, experiment.manifest()) if stored is None else RunStore.resume(folder)
        try:
            manner = Manner(
                concurrency=given["concurrency"], keep_workspaces=given["keep_workspaces"], retry_failed=given["retry_failed"],
                connection=connection, watch=live_progress, watch_scores=live_scores,
            )  # fmt: skip
            made = carry_on(experiment, store, manner)
        except KeyboardInterrupt:
            click.echo(f"Stopped. Finished trials are kept; go on with: {_resume(folder)}", err=True)
            if not given["as_json"]:
                return 1
            made = Progress(total=len(experiment.trials)), INTERRUPTED, {}
        finally:
            store.close()
    return _finish(experiment, folder, *made, as_json=given["as_json"])


def _resume(folder: Path) -> str:
    return f"gra-bench run --run-dir {folder} --resume"


def _resumed_options(stored: Any, explicit: dict[str, Any], folder: Path) -> Any:
    """The options a run was started with; only the budget may be another one now."""
    budget = {n: v for n, v in explicit.items() if n == "max_cost"}
    if differing := [n for n, v in explicit.items() if n not in budget and getattr(stored, n) != v]:
        raise click.UsageError(
            f"{folder} was started with other options: {', '.join(sorted(differing))}; leave them out, or start a new run"
        )
    return attrs.evolve(stored, **budget)


# Parts of a manifest that must be as they were for a run to go on, and what each is in words.
FIXED = {
    "core": "gra-core",
    "datasets": "the queries",
    "models": "the models",
    "configurations": "configurations, plugins or sources",
}


def refuse_changed(stored: dict[str, Any], now: dict[str, Any], folder: Path) -> None:
    """`UsageError` when what a run measures is no longer what it was started with: results must not be mixed."""
    import json

    now = json.loads(json.dumps(now, default=str))
    found = {part: _differences(stored.get(part), now[part], part) for part in FIXED}
    if changed := [words for part, words in FIXED.items() if found[part]]:
        places = [place for part in FIXED for place in found[part]]
        shown = ", ".join(places[:5]) + (f" and {len(places) - 5} more" if len(places) > 5 else "")
        raise click.UsageError(
            f"{folder} cannot go on: {', '.join(changed)} changed since it was started ({shown}). Start a new run; this one "
            f"stays readable with `gra-bench report {folder}`."
        )


def _differences(before: Any, now: Any, where: str) -> list[str]:
    """The places where two documents differ, such as ``configurations.gra.plugins.geo.content``; prices may differ."""
    if before == now or where.endswith(".configuration.prices"):
        return []
    if (
        isinstance(before, list)
        and isinstance(now, list)
        and all(isinstance(v, dict) and "name" in v for v in [*before, *now])
    ):
        before, now = ({v["name"]: v for v in values} for values in (before, now))
    if not (isinstance(before, dict) and isinstance(now, dict)):
        return [where]
    keys = [*before, *(k for k in now if k not in before)]
    return [d for k in keys for d in _differences(before.get(k), now.get(k), f"{where}.{k}")]


def _check_models(experiment: Any) -> None:
    """A model without its key or file is found before the run directory is made."""
    from gra_core.model import TrialBrief

    models = {t.model.id: t.model for t in experiment.trials}
    models |= {m.model.id: m.model for methods in experiment.judging().values() for m in methods}
    for model in models.values():
        model.open(TrialBrief()).close()


def _finish(
    experiment: Any, folder: Path, progress: Any, stopped: str, judging: dict[str, Any], *, as_json: bool
) -> int:
    from gra_bench.ablation import effects
    from gra_bench.accounts import unfinished_judging, unfinished_usage
    from gra_bench.index import RunIndex
    from gra_bench.store import read_results
    from gra_bench.tables import print_comparisons, print_summary, print_unfinished

    index = RunIndex(folder)
    rows = index.summary()
    index.close()
    document = {
        "run_dir": str(folder),
        "dataset_hash": experiment.dataset_hash,
        "datasets": experiment.dataset_hashes,
        "trials": len(experiment.trials),
        "new_trials": progress.new,
        "new_model_calls": progress.model_calls,
        "unfinished": unfinished_usage(folder),
        "results": rows,
    }
    if experiment.options.ablate:
        results = read_results(folder)
        wanted = [results[t.id] for t in experiment.trials if t.id in results]
        document["ablation"] = [attrs.asdict(c) for c in effects(wanted, experiment.stages)]
    if experiment.options.judge:
        document["judge"] = {
            "model": experiment.options.judge,
            **judging,
            "unfinished": unfinished_judging(folder),
        }
    if stopped:
        document["stopped"] = stopped
    if as_json:
        print_json(document)
    else:
        print_summary(rows)
        print_unfinished(document["unfinished"])
        if experiment.options.ablate:
            print_comparisons(document["ablation"], "Effect of taking a part out")
        click.echo(f"Run: {folder}")
    if stopped and stopped != INTERRUPTED:
        more = " --max-cost MORE" if "--max-cost" in stopped else ""
        click.echo(
            f"The run stopped early: {stopped}\nGo on later with: {_resume(folder)}{more}",
            err=True,
        )
    if judging.get("unscored"):
        click.echo(
            f"{judging['unscored']} scores of the judge are missing; `gra-bench show {folder}` tells why.",
            err=True,
        )
    incomplete = progress.finished < progress.total or bool(judging.get("unscored"))
    return 1 if stopped or incomplete or any(r["failed"] for r in rows) else 0


def live_scores() -> Any:
    """A function that is told of every new score: a count on a terminal's stderr; nothing when piped."""
    from contextlib import nullcontext

    if not sys.stderr.isatty():
        return nullcontext(lambda record: None)
    from gra_bench.tables import ScoreCount

    return ScoreCount()


def live_progress(progress: Any) -> Any:
    """A progress bar on a terminal's stderr; a line every five minutes when piped."""
    from gra_bench.tables import ProgressBar, ProgressLines

    return ProgressBar(progress) if sys.stderr.isatty() else ProgressLines(progress)
