"""`gra-bench show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from gra_bench.options import json_option, print_json

MAX_TEXT = 600


@click.command(short_help="Show a run, or one trial's trajectory.")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("trial", required=False)
@json_option
def command(run: Path, trial: str | None, as_json: bool) -> int:
    """Show RUN: its summary and trials; or the trajectory of one TRIAL (an id, or the beginning of one)."""
    from gra_bench.index import RunIndex
    from gra_bench.scores import read_judge_calls, read_scores

    index = RunIndex(run)
    if trial is None:
        return _show_run(index, as_json)
    chosen = index.result(find_trial(trial, index)) or {}
    events = index.events(chosen["trial"], chosen["attempt"])
    scores = [s for s in read_scores(run) if s["trial"] == chosen["trial"]]
    if as_json:
        calls = [c for c in read_judge_calls(run) if c["trial"] == chosen["trial"]]
        print_json({"result": chosen, "events": events, "scores": scores, "judge_calls": calls})
        return 0
    click.echo(
        f"{chosen['configuration']} | {chosen['model']} | {chosen['query']} | repeat {chosen['repeat']} | score {chosen['score']}"
    )
    for event in events:
        click.echo(f"{event['seq']:>4} {event['elapsed_s']:>8.2f}s {event['kind']}: {brief(event)}")
    for score in scores:
        judge = f", {score['judge']} × {score['passes']}" if score["judge"] else ""
        click.echo(f"{score['scorer']}{judge}: {score['score']} ({score['scoring']['explanation']})")
    return 0


def find_trial(trial: str, index: Any) -> str:
    """The finished trial whose id starts with `trial`, or whose query has this id when only one does."""
    rows = _rows(index)
    found = [r for r in rows if r["trial"].startswith(trial)] or [r for r in rows if r["query"] == trial]
    if len(found) == 1:
        return found[0]["trial"]
    run = index.folder
    if not found:
        raise click.UsageError(f"{run} has no finished trial {trial!r}; `gra-bench show {run}` lists them")
    choices = "\n".join(
        f"  {r['trial']} {r['configuration']} {r['model']} {r['query']} repeat {r['repeat']}" for r in found
    )
    raise click.UsageError(f"{trial!r} stands for several trials; give one of:\n{choices}")


def _rows(index: Any) -> list[dict[str, Any]]:
    from gra_bench.row import COLUMNS

    return [dict(zip(COLUMNS, json.loads(row), strict=True)) for row in index.rows()]


def brief(event: dict[str, Any]) -> str:
    """An event's data on one line, long texts cut."""
    hidden = {"state", "requests", "prompt"}
    text = json.dumps(
        {k: v for k, v in event["data"].items() if k not in hidden and v not in ("", [], None)},
        ensure_ascii=False,
    )
    return (
        text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + f"… ({len(text)} characters; --json shows all)"
    )


SHOWN = ("trial", "configuration", "model", "query", "repeat", "score", "status", "answer")


def _show_run(index: Any, as_json: bool) -> int:
    from gra_bench.accounts import unfinished_usage
    from gra_bench.tables import print_rows, print_summary, print_unfinished

    manifest, rows = index.manifest, index.summary()
    # The first view is the benchmark's own scorer.
    trials = [r | {"score": r["scores"][0][1], "answer": r["answer"][:80]} for r in _rows(index)]
    trials = [{name: r[name] for name in SHOWN} for r in trials]
    if as_json:
        print_json({"run_dir": str(index.folder), "manifest": manifest, "results": rows, "trials": trials})
        return 0
    print_summary(rows)
    print_unfinished(unfinished_usage(index.folder))
    print_rows(trials, list(SHOWN))
    click.echo(f"{len(trials)} of {manifest['trials']} trials finished; dataset {manifest['dataset_hash']}")
    return 0
