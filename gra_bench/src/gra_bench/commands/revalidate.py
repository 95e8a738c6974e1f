"""`gra-bench revalidate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from gra_bench.options import json_option, print_json, source_option


@click.command(short_help="Compute a benchmark's answers anew and report drift.")
@click.argument("benchmark")
@click.option(
    "--against",
    "run",
    required=True,
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="The run whose stored queries and answers are checked.",
)
@source_option
@json_option
def command(benchmark: str, run: Path, sources: tuple[str, ...], as_json: bool) -> int:
    """Compute the answers of BENCHMARK's stored queries on today's sources, and report those that have drifted.

    Data behind a benchmark is revised; an answer that was right when it was stored may not be right today. An answer
    has drifted when the benchmark's own scorer no longer gives it full marks. Exit code 1 when any has.
    """
    from gra_bench.tables import print_rows

    rows = compare_answers(benchmark, run, sources)
    counts = {
        state: sum(r["state"] == state for r in rows) for state in ("same", "drifted", "not answerable")
    }
    if as_json:
        print_json({"benchmark": benchmark, "run_dir": str(run), **counts, "queries": rows})
    else:
        changed = [r for r in rows if r["state"] != "same"]
        if changed:
            print_rows(changed, ["id", "state", "stored", "today", "score", "reason"])
        click.echo(", ".join(f"{number} {state}" for state, number in counts.items()))
    return 1 if counts["drifted"] or counts["not answerable"] else 0


def compare_answers(benchmark: str, run: Path, sources: tuple[str, ...]) -> list[dict[str, Any]]:
    """One row for each stored query: the stored answer, today's, and what the scorer gives the stored one today."""
    from attrs import evolve

    from gra_bench.store import read_manifest, read_queries
    from gra_bench.workbench import Workbench, pairs
    from gra_core import ToolError
    from gra_core.benchmark import IllPosed

    read_manifest(run)
    bench = Workbench(choice=pairs(sources, "--source"))
    declared = bench.registry.benchmarks[benchmark]
    queries = sorted((q for q in read_queries(run).values() if q.benchmark == benchmark), key=lambda q: q.id)
    if not queries:
        raise click.UsageError(f"{run} has no queries of {benchmark}")
    loaded, opened = declared.load(), bench.sources()
    rows = []
    for query in queries:
        row = {"id": query.id, "stored": query.answer, "today": None, "score": None, "reason": ""}
        try:
            today = loaded.answer(query, opened)
        except NotImplementedError:
            raise click.UsageError(
                f"the answers of {benchmark} are given, not computed: there is nothing to revalidate"
            ) from None
        except (IllPosed, ToolError) as error:
            rows.append({**row, "state": "not answerable", "reason": str(error)})
            continue
        scorer = bench.registry.scorers[declared.scorers[0]]
        score = scorer.score(evolve(query, answer=today), json.dumps(query.answer, ensure_ascii=False)).value
        rows.append({**row, "today": today, "score": score, "state": "same" if score == 1.0 else "drifted"})
    return rows
