"""`gra-bench report`."""

from __future__ import annotations

from pathlib import Path

import click

from gra_bench.options import print_json


@click.command(short_help="Report one or more runs.")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    show_default=True,
    help="Form of the report.",
)
@click.option("--scorer", metavar="NAME", help="Only the scores of this scorer or autorater.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def command(runs: tuple[Path, ...], form: str, scorer: str | None, as_json: bool) -> int:
    """Report the results of one or more runs together, for each scorer that has scored them."""
    from gra_bench.accounts import unfinished_judging, unfinished_usage
    from gra_bench.scores import read_scores, scored_results
    from gra_bench.store import read_manifest, read_results
    from gra_bench.summary import summarize
    from gra_bench.tables import markdown, print_summary

    manifests = [read_manifest(run) for run in runs]
    hashes = {
        name: {m["datasets"][name] for m in manifests if name in m["datasets"]}
        for m in manifests
        for name in m["datasets"]
    }
    for name, found in hashes.items():
        if len(found) > 1:
            click.echo(
                f"Warning: the runs used different query sets of {name}; their scores are not comparable.",
                err=True,
            )
    names = [name for manifest in manifests for name in manifest["configurations"]]
    results = [
        result
        for run in runs
        for result in scored_results(read_results(run).values(), read_scores(run), scorer)
    ]
    if scorer and not results:
        raise click.UsageError(
            f"no trial of {', '.join(map(str, runs))} is scored by {scorer!r}; score it first: gra-bench score RUN --scorer {scorer}"
        )
    rows = summarize(results, names)
    if as_json or form == "json":
        unfinished = {str(run): unfinished_usage(run) for run in runs}
        judging = {str(run): unfinished_judging(run) for run in runs}
        print_json(
            {
                "runs": [str(run) for run in runs],
                "results": rows,
                "unfinished": unfinished,
                "unfinished_judging": judging,
            }
        )
    elif form == "markdown":
        click.echo(markdown(rows))
    else:
        print_summary(rows)
    return 0
