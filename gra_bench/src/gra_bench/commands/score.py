"""`gra-bench score`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gra_bench.options import json_option, judge_options, plugin_options, print_json


@click.command(short_help="Score a run again without running it again.")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--scorer",
    required=True,
    metavar="NAME",
    help="Scorer or autorater; `gra-bench list scorers` shows them.",
)
@judge_options
@click.option(
    "-b",
    "--benchmark",
    "benchmarks",
    multiple=True,
    metavar="NAME",
    help="Only trials of this benchmark. Repeatable.",
)
@click.option("--retry-unscored", is_flag=True, help="Ask again where the judge gave no readable grade.")
@click.option(
    "--concurrency",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    metavar="N",
    help="Trials at a time.",
)
@plugin_options
@json_option
def command(
    run: Path, scorer: str, judge: str | None, judge_passes: int | None, benchmarks: tuple[str, ...],
    retry_unscored: bool, concurrency: int, on: tuple[str, ...], off: tuple[str, ...], as_json: bool,
) -> int:  # fmt: skip
    """Score the finished trials of RUN by another scorer, from what is on disk.

    Scores are added beside the results, which stay as they are. What is scored by the same scorer, judge and number of
    passes is not scored again, so an interrupted call goes on where it stopped. Exit code 1 when scores are missing.
    """
    from gra_bench.commands.run import live_scores
    from gra_bench.scoring import find_method, judge_results
    from gra_bench.store import RunStore, read_manifest, read_results
    from gra_bench.workbench import Workbench
    from gra_core import TrialBrief

    manifest = read_manifest(run)
    if judge_passes is not None and judge_passes < 1:
        raise click.UsageError(f"--judge-passes {judge_passes}: expected at least 1")
    method = find_method(Workbench(on=on, off=off).registry, scorer, judge, judge_passes)
    if method.model is not None:
        method.model.open(TrialBrief()).close()
    store = RunStore.resume(run)
    try:
        results = list(read_results(run).values())
        chosen = benchmarks or tuple(dict.fromkeys(r["benchmark"] for r in results))
        if unknown := set(chosen) - {r["benchmark"] for r in results}:
            raise click.UsageError(f"{run} has no finished trial of {', '.join(sorted(unknown))}")
        wanted = [r for r in results if r["benchmark"] in chosen]
        methods = {name: [method] for name in chosen}
        with live_scores() as tell:
            made = judge_results(
                methods, wanted, run, concurrency=concurrency, retry_unscored=retry_unscored, tell=tell
            )
    except KeyboardInterrupt:
        click.echo("Stopped. Finished scores are kept; the same command goes on.", err=True)
        return 1
    finally:
        store.close()
    return _finish(run, manifest, method, wanted, made, as_json)


def _finish(
    run: Path, manifest: dict[str, Any], method: Any, wanted: list[Any], made: dict[str, Any], as_json: bool
) -> int:
    from gra_bench.accounts import unfinished_judging
    from gra_bench.scores import read_scores, scored_results
    from gra_bench.summary import summarize
    from gra_bench.tables import print_summary

    views = scored_results(wanted, read_scores(run), method.scorer.name)
    mine = [r for r in views if r["judge"] == method.judge and r["judge_passes"] == method.passes]
    rows = summarize(mine, list(manifest["configurations"]))
    document = {
        "run_dir": str(run),
        "scorer": method.scorer.name,
        "judge": method.judge,
        "passes": method.passes,
        **made,
    }
    if as_json:
        print_json({**document, "unfinished": unfinished_judging(run), "results": rows})
    else:
        print_summary(rows)
        click.echo(f"{made['new_scores']} new scores, {made['new_judge_calls']} requests to the judge")
    if made["stopped"]:
        click.echo(
            f"The judge stopped: {made['stopped']}\nFinished scores are kept; the same command goes on.",
            err=True,
        )
    if made["unscored"]:
        click.echo(
            f"{made['unscored']} trials have no score; `gra-bench show {run} TRIAL` tells why.", err=True
        )
    return 1 if made["stopped"] or made["unscored"] else 0
