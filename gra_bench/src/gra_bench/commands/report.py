"""`gra-bench report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gra_bench.options import print_json


@click.command(short_help="Report one or more runs.")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "json", "html"]),
    default="table",
    show_default=True,
    help="Form of the report.",
)
@click.option("--scorer", metavar="NAME", help="Only the scores of this scorer or autorater.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --format html: write here, not to stdout.",
)
@click.option(
    "--max-mb",
    type=click.FloatRange(0),
    default=40,
    show_default=True,
    metavar="N",
    help="With --format html: most megabytes of trajectories; best scores are left out first.",
)
@click.option(
    "--compare",
    "pairs",
    multiple=True,
    metavar="A:B",
    help="Paired comparison of two configurations. Repeatable.",
)
@click.option(
    "--summary", "summary_only", is_flag=True, help="The summary alone, without the tables after it."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def command(
    runs: tuple[Path, ...],
    form: str,
    scorer: str | None,
    output: Path | None,
    max_mb: float,
    pairs: tuple[str, ...],
    summary_only: bool,
    as_json: bool,
) -> int:
    """Report the results of one or more runs together, for each scorer that has scored them.

    After the summary come tables by domain, number of tool types and tier, of cost, capabilities, saturation and
    abstention, for the first scorer of each trial or the one named by --scorer, with published numbers beside ours.
    `--format html` writes the page of `gra-bench view` as one file that needs neither server nor network.
    """
    from gra_bench.accounts import unfinished_judging, unfinished_usage
    from gra_bench.store import read_manifest
    from gra_bench.tables import markdown, print_summary, unfinished_line

    if form == "html" and not as_json:
        return _write_page(list(runs), output, max_mb)
    if output is not None:
        raise click.UsageError(f"--output goes with --format html, not with {'json' if as_json else form}")
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
    notes = list(dict.fromkeys(note for manifest in manifests for note in manifest.get("notes", [])))
    names = [name for manifest in manifests for name in manifest["configurations"]]
    rows = _rows(runs, names, scorer)
    if scorer and not rows:
        raise click.UsageError(
            f"no trial of {', '.join(map(str, runs))} is scored by {scorer!r}; score it first: gra-bench score RUN --scorer {scorer}"
        )
    if as_json or form == "json":
        unfinished = {str(run): unfinished_usage(run) for run in runs}
        judging = {str(run): unfinished_judging(run) for run in runs}
        print_json(
            {
                "runs": [str(run) for run in runs],
                "notes": notes,
                "results": rows,
                "unfinished": unfinished,
                "unfinished_judging": judging,
                **({} if summary_only else _details(runs, names, scorer, pairs)),
            }
        )
        return 0
    if form == "markdown":
        click.echo(markdown(rows))
    else:
        print_summary(rows)
    for run in runs:
        if line := unfinished_line(unfinished_usage(run)):
            click.echo(f"{'' if len(runs) == 1 else f'{run}: '}{line}")
    if not summary_only:
        _print_details(_details(runs, names, scorer, pairs), form)
    for note in notes:
        click.echo(f"\nNote: {note}" if form == "markdown" else f"Note: {note}")
    return 0


def _details(
    runs: tuple[Path, ...], names: list[str], scorer: str | None, pairs: tuple[str, ...]
) -> dict[str, Any]:
    """The tables and the paired comparisons, JSON-ready."""
    import attrs

    from gra_bench.ablation import effects
    from gra_bench.breakdown import compare, tables
    from gra_bench.scores import read_scores, scored_results
    from gra_bench.store import read_results

    if scorer is None:
        results = [result for run in runs for result in read_results(run).values()]
    else:
        results = [
            r for run in runs for r in scored_results(read_results(run).values(), read_scores(run), scorer)
        ]
    known = {r["configuration"] for r in results}
    comparisons = []
    for pair in pairs:
        first, colon, second = pair.partition(":")
        if not colon or {first, second} - known:
            raise click.UsageError(
                f"--compare {pair}: expected A:B with two of the configurations {', '.join(sorted(known))}"
            )
        comparisons += [attrs.asdict(c) for c in compare(results, first, second)]
    return {
        "tables": [attrs.asdict(t) for t in tables(results, names)],
        "ablation": [attrs.asdict(c) for c in effects(results, names)],
        "comparisons": comparisons,
    }


def _print_details(details: dict[str, Any], form: str) -> None:
    from gra_bench.tables import comparison_rows, detail_rows, markdown_rows, print_rows

    for table in details["tables"]:
        if table["id"] == "main":
            continue
        show(
            f"{table['title']} ({table['unit']})",
            detail_rows(table),
            ["label", "n", *table["columns"]],
            form,
            print_rows,
            markdown_rows,
        )
    for table in details["tables"]:
        if table["published"]:
            title = f"Published: {table['title'].lower()} ({table['unit']})"
            show(
                title,
                detail_rows(table, published=True),
                ["label", *table["published_columns"]],
                form,
                print_rows,
                markdown_rows,
            )
    for key, title in (("ablation", "Effect of taking a part out"), ("comparisons", "Paired comparisons")):
        if details[key]:
            rows = comparison_rows(details[key])
            show(f"{title} (second less first)", rows, list(rows[0]), form, print_rows, markdown_rows)


def show(
    title: str, rows: list[dict[str, Any]], columns: list[str], form: str, plain: Any, marked: Any
) -> None:
    """One titled table in the form asked for."""
    if form == "markdown":
        click.echo(f"\n## {title}\n\n{marked(rows, columns)}")
    else:
        click.echo(f"\n{title}")
        plain(rows, columns)


def _rows(runs: tuple[Path, ...], names: list[str], scorer: str | None) -> list[dict[str, Any]]:
    """The summary's rows: from the index of a single run, from all results of several."""
    from gra_bench.index import RunIndex
    from gra_bench.scores import read_scores, scored_results
    from gra_bench.store import read_results
    from gra_bench.summary import summarize

    if len(runs) == 1:
        return [row for row in RunIndex(runs[0]).summary() if scorer in (None, row["scorer"])]
    scored = (scored_results(read_results(run).values(), read_scores(run), scorer) for run in runs)
    return summarize([result for results in scored for result in results], names)


def _write_page(runs: list[Path], output: Path | None, max_mb: float) -> int:
    from gra_bench.viewer.page import self_contained

    parts = self_contained(runs, max_bytes=int(max_mb * 1e6), tell=lambda text: click.echo(text, err=True))
    if output is None:
        for part in parts:
            click.echo(part, nl=False)
        return 0
    new = output.with_name(output.name + ".new")
    try:
        with new.open("w", encoding="utf-8") as file:
            file.writelines(parts)
        new.replace(output)
    except OSError as error:
        raise click.UsageError(f"--output {output}: {error.strerror}") from error
    finally:
        new.unlink(missing_ok=True)
    click.echo(f"Written: {output}", err=True)
    return 0
