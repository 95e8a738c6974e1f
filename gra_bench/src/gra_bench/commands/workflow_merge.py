"""`gra-bench workflow-merge`."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from gra_bench.options import json_option, plugin_options, print_json

FIELDS = {
    "id": ("query_id", "qid"),
    "query": ("question", "prompt", "text"),
    "domain": ("category",),
    "workflows": ("expert_workflows", "golden_workflows", "experts"),
}


@click.command("workflow-merge", short_help="Merge experts' workflows into a golden workflow.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "-m", "--model", required=True, metavar="ID", help="Model that merges, such as gemini:gemini-3.8-flash."
)
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the merged queries as JSON lines; what stands there already is kept and not asked for again.",
)
@plugin_options
@json_option
def command(
    file: Path, model: str, out: Path | None, on: tuple[str, ...], off: tuple[str, ...], as_json: bool
) -> int:
    """Merge the workflows of several experts into one golden workflow for each query of FILE.

    FILE is JSON, JSON lines or CSV with a query and its workflows (a list of workflows, each an object with datasets,
    steps and outputs, a list of steps, or text). Where the experts cannot be reconciled, the result holds alternatives.
    The result has the fields `id`, `query`, `domain`, `golden_workflows` that the benchmark geoexpert reads. Exit code 1
    when a query could not be merged.
    """
    from gra_bench.workbench import Workbench
    from gra_core import Model, TrialBrief

    merger: Model = Workbench(on=on, off=off).registry.model(model)
    merger.open(TrialBrief()).close()
    queries = list(read_queries(file))
    done = read_done(out) if out else {}
    made = []
    for query in queries:
        key = identity(query, merger)
        record = done.get(key) or {**merge(query, merger), "merge": key}
        made.append(record)
        if out and key not in done and not record["error"]:
            append(out, record)
        click.echo(told(record), err=True)
    if as_json:
        print_json({"model": model, "queries": made})
    elif out:
        click.echo(f"{sum(not r['error'] for r in made)} queries in {out}")
    else:
        for record in made:
            click.echo(json.dumps(record, ensure_ascii=False))
    return 1 if any(r["error"] for r in made) else 0


def read_queries(file: Path) -> Iterator[dict[str, Any]]:
    """The queries of a file with their experts' workflows; `UsageError` for one that will not do."""
    from gra_core import UsageError
    from gra_core.records import RecordError, pick_fields, read_records
    from gra_core.workflow import read_workflows

    try:
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    rows = pick_fields(read_records(data, str(file)), FIELDS, required=("query", "workflows"), name=str(file))
    for number, row in enumerate(rows, 1):
        try:
            flows = read_workflows(row["workflows"])
        except RecordError as error:
            raise RecordError(f"{file}, record {number}: {error.message}", hint=error.hint) from error
        yield {
            "id": str(row["id"] if row["id"] is not None else f"query-{number}"),
            "query": str(row["query"]),
            "domain": str(row["domain"] or ""),
            "workflows": flows,
        }


def merge(query: dict[str, Any], model: Any) -> dict[str, Any]:
    """The golden workflows of one query, what the merge cost, and why it failed, if it did."""
    from gra_core import Judge, ModelError, Query, TrialBrief, Unscored, Usage, built_in_prices, dump
    from gra_judge.merging import Merge, merge_workflows

    client = model.open(TrialBrief(query=Query(id=query["id"], benchmark="", text=query["query"])))
    judge = Judge(client)
    merged, error = Merge(workflows=(), experts=()), ""
    try:
        merged = merge_workflows(query["query"], query["workflows"], judge)
    except Unscored as fault:
        error = fault.message
    except ModelError as fault:
        error = f"{fault.kind}: {fault.message}"
    finally:
        client.close()
    cost = built_in_prices().cost(model.id, judge.requests, dt.datetime.now(dt.UTC).date())
    return {
        "id": query["id"], "query": query["query"], "domain": query["domain"], "golden_workflows": dump(merged.workflows),
        "experts": [list(numbers) for numbers in merged.experts], "reasoning": merged.reasoning, "model": model.id, "error": error,
        "usage": dump(sum(judge.requests, Usage())), "cost_usd": None if cost is None else str(cost),
    }  # fmt: skip


def identity(query: dict[str, Any], model: Any) -> str:
    """SHA-256 (first 20 hex digits) over what the merge depends on."""
    import hashlib

    from gra_core import dump

    parts = [query["id"], query["query"], dump(query["workflows"]), model.id, model.snapshot]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:20]


def read_done(out: Path) -> dict[str, dict[str, Any]]:
    """The merged queries of an output file, by identity. A last line that a kill cut off is taken off the file."""
    from gra_core import UsageError

    done: dict[str, dict[str, Any]] = {}
    whole = 0
    for line in out.read_bytes().splitlines(keepends=True) if out.exists() else ():
        try:
            record = json.loads(line)
            done[record["merge"]] = record
        except (ValueError, KeyError, TypeError) as error:
            if line.endswith(b"\n") or not done:
                raise UsageError(
                    f"{out} holds something else than merged queries", hint="name another file with --out"
                ) from error
            with out.open("rb+") as stream:
                stream.truncate(whole)
        whole += len(line)
    return done


def append(out: Path, record: dict[str, Any]) -> None:
    """One more line, on disk before the next query is asked for."""
    import os

    with out.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(record, ensure_ascii=False) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


def told(record: dict[str, Any]) -> str:
    if record["error"]:
        return f"{record['id']}: not merged: {record['error']}"
    count = len(record["golden_workflows"])
    return f"{record['id']}: " + ("one consensus" if count == 1 else f"{count} alternatives")
