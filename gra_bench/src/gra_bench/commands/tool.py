"""`gra-bench tool`."""

from __future__ import annotations

import json
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

# Error kinds that mean wrong use; the others mean that the call failed.
WRONG_USE = ("bad_argument", "not_found", "not_available")


@click.command(short_help="Call one tool without a model.")
@click.argument("name")
@click.option(
    "--args",
    "arguments",
    default="{}",
    metavar="JSON|@FILE",
    help="The tool's arguments as a JSON object, or a file of them.",
)
@click.option(
    "--workspace",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder of datasets, kept between calls. [default: a temporary folder]",
)
@click.option(
    "-c", "--configuration", metavar="NAME|FILE", help="Take source and tool settings from a configuration."
)
@source_option
@plugin_options
@sandbox_option
@recording_options
@json_option
def command(
    name: str, arguments: str, workspace: Path | None, configuration: str | None, **given: Any
) -> int:
    """Call tool NAME with the same checks, workspace and sources as in a trial."""
    from gra_bench.workbench import Workbench, pairs
    from gra_core import ToolContext, ToolError, ToolResult, Workspace, dump
    from gra_core.session import run_tool

    bench = Workbench(
        on=given["on"],
        off=given["off"],
        choice=pairs(given["sources"], "--source"),
        record=given["record"],
        replay=given["replay"],
        settings=tool_settings(given["sandbox"], import_dirs=[os.getcwd()]),
    )
    chosen = bench.configuration(configuration) if configuration else None
    registry = bench.registry_of(chosen) if chosen else bench.registry
    tool = registry.tools[name]
    parsed = read_arguments(arguments)
    try:
        checked = tool.check(parsed)
        context = ToolContext(
            workspace=Workspace(workspace or Path(tempfile.mkdtemp(prefix="gra-tool-")), registry.formats),
            sources=bench.sources(chosen),
            call_id="cli",
            tool=name,
            arguments=parsed,
            settings=chosen.settings if chosen else bench.settings,
        )
        result = run_tool(tool, context, checked)
    except ToolError as error:
        result = ToolResult.failed(error)
    document = {
        "status": result.status,
        "content": result.content,
        "datasets": dump(result.datasets),
        "notes": list(result.notes),
    }
    if result.error is not None:
        document["error"] = dump(result.error)
    if given["as_json"]:
        print_json(document)
    elif result.error is not None:
        click.echo(f"Error ({result.error.kind}): {result.error.message}", err=True)
        if result.error.hint:
            click.echo(f"Hint: {result.error.hint}", err=True)
    else:
        print_json({k: v for k, v in document.items() if v not in (None, [])})
    if result.error is None:
        return 0
    return 2 if result.error.kind in WRONG_USE else 1


def read_arguments(text: str) -> dict[str, Any]:
    """The arguments of ``--args``: JSON text, or ``@FILE``."""
    where = "--args"
    if text.startswith("@"):
        where = text[1:]
        try:
            text = Path(where).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise click.UsageError(f"--args @{where}: {getattr(error, 'strerror', None) or error}") from error
    try:
        value = json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"{where} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise click.UsageError(f"{where}: expected a JSON object, got {type(value).__name__}")
    return value
