"""`gra-bench queries`."""

from __future__ import annotations

from typing import Any

import click

from gra_bench.options import json_option, print_json, source_option


@click.command(short_help="Print a benchmark's queries with their answers.")
@click.argument("benchmark")
@click.option(
    "--split",
    type=click.Choice(["dev", "test", "all"]),
    default="dev",
    show_default=True,
    help="Which queries.",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the instances.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most N queries.")
@source_option
@json_option
def command(
    benchmark: str, split: Any, seed: int, limit: int | None, sources: tuple[str, ...], as_json: bool
) -> int:
    """Print the queries of BENCHMARK with their reference answers."""
    from gra_bench.workbench import Workbench, pairs
    from gra_core import QueryRequest

    bench = Workbench(choice=pairs(sources, "--source"))
    found = (
        bench.registry.benchmarks[benchmark]
        .load()
        .queries(QueryRequest(split=split, seed=seed, limit=limit), bench.sources())
    )
    for note in found.notes:
        click.echo(f"Note: {benchmark}: {note}", err=True)
    if as_json:
        print_json(
            {
                "benchmark": benchmark,
                "dataset_hash": found.dataset_hash,
                "queries": [q.public() for q in found.queries],
            }
        )
        return 0
    for query in found.queries:
        kind = f" (K={query.K}: {', '.join(query.tool_types)})" if query.K else ""
        click.echo(f"{query.id}{kind}\n  {query.text}\n  Answer: {query.answer}\n")
    click.echo(f"{len(found.queries)} queries, dataset {found.dataset_hash}")
    return 0
