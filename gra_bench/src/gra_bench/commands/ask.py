"""`gra-bench ask`."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import click

from gra_bench.options import (
    json_option,
    plugin_options,
    print_json,
    recording_options,
    sandbox_option,
    source_option,
    tool_settings,
)


@click.command(short_help="Ask one question.")
@click.argument("question")
@click.option(
    "-c",
    "--configuration",
    default="gra",
    show_default=True,
    metavar="NAME|FILE",
    help="Configuration, or a TOML file.",
)
@click.option(
    "-m",
    "--model",
    metavar="ID",
    help="Model id. [default: gemini:gemini-3.8-flash when a Gemini key is set]",
)
@click.option(
    "--best-effort", is_flag=True, help="Work with substitutes instead of abstaining when data is missing."
)
@click.option(
    "--workspace",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep the datasets here. [default: a temporary folder]",
)
@source_option
@plugin_options
@sandbox_option
@recording_options
@json_option
def command(
    question: str,
    configuration: str,
    model: str | None,
    best_effort: bool,
    workspace: Path | None,
    **given: Any,
) -> int:
    """Ask QUESTION and print the answer, with the sources and substitutes it rests on."""
    from gra_bench.workbench import Workbench, pairs
    from gra_core import dump
    from gra_core.trial import TrialSetup, run_trial

    if not question.strip():
        raise click.UsageError("the question is empty")
    bench = Workbench(
        on=given["on"], off=given["off"], choice=pairs(given["sources"], "--source"), record=given["record"], replay=given["replay"],
        settings=tool_settings(given["sandbox"], import_dirs=[os.getcwd()]),
    )  # fmt: skip
    chosen = bench.configuration(configuration)
    registry = bench.registry_of(chosen)
    folder = workspace or Path(tempfile.mkdtemp(prefix="gra-ask-"))
    setup = TrialSetup(
        registry=registry, configuration=chosen, model=bench.registry.model(model or default_model()), sources=bench.sources(chosen),
        workspace=folder, text=question, best_effort=best_effort if chosen.best_effort is None else chosen.best_effort,
    )  # fmt: skip
    record = run_trial(setup)
    outcome = record.outcome
    used = tools_used(record.events)
    if given["as_json"]:
        print_json(
            {"outcome": dump(outcome), "tools": used, "workspace": str(folder), "events": dump(record.events)}
        )
    else:
        print_answer(outcome, used, folder)
    return 0 if outcome.status in ("answered", "abstained") else 1


def default_model() -> str:
    """The Gemini model when a key is there; otherwise the user must choose."""
    if os.environ.get("GEMINI_API_KEY") or os.environ.get("GOOGLE_API_KEY"):
        return "gemini:gemini-3.8-flash"
    raise click.UsageError(
        "no model chosen: set GEMINI_API_KEY, or give -m: gemini:NAME, openai:NAME (any compatible server), or "
        "local:smollm2 after `gra-bench fetch-model smollm2`"
    )


def tools_used(events: Any) -> list[str]:
    """Tools that answered, in order of first use."""
    names: dict[str, None] = {}
    for event in events:
        if event.kind == "tool_returned" and event.data["status"] != "error":
            names[event.data["name"]] = None
    return list(names)


def print_answer(outcome: Any, used: list[str], folder: Path) -> None:
    """The answer on stdout, everything about it on stderr."""
    from gra_bench.tables import dollars

    if outcome.status == "abstained":
        click.echo(f"No answer: {outcome.reason}")
    elif outcome.status == "answered":
        click.echo(outcome.answer)
    else:
        click.echo(f"No answer ({outcome.status}: {outcome.reason}): {outcome.message}", err=True)
    for proxy in outcome.proxies:
        click.echo(f"Substitute: {proxy['used']} for {proxy['wanted']}; {proxy['effect']}", err=True)
    cost = dollars(float(outcome.cost_usd) if outcome.cost_usd is not None else None)
    click.echo(
        f"Tools: {', '.join(used) or 'none'}. Model calls: {outcome.model_calls}. Cost: {cost} USD. Datasets: {folder}",
        err=True,
    )
