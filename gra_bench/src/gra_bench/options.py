"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

json_option = click.option(
    "--json", "as_json", is_flag=True, help="One JSON document on stdout, nothing else there."
)
source_option = click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="KIND=NAME",
    help="Use a source for a kind of data. Repeatable.",
)
sandbox_option = click.option(
    "--sandbox", metavar="NAME", help="Sandbox for Python; `none` runs unprotected."
)


def judge_options(function: F) -> F:
    """``--judge`` and ``--judge-passes``."""
    function = click.option(
        "--judge-passes",
        type=int,
        metavar="N",
        help="Independent passes of the judge. [default: the autorater's]",
    )(function)
    return click.option("--judge", metavar="ID", help="Model that judges, for autoraters.")(function)


def plugin_options(function: F) -> F:
    """``--plugin`` and ``--no-plugin``."""
    function = click.option(
        "--no-plugin", "off", multiple=True, metavar="NAME", help="Leave a plugin out. Repeatable."
    )(function)
    return click.option(
        "--plugin",
        "on",
        multiple=True,
        metavar="NAME",
        help="Switch on a plugin that the configuration leaves out. Repeatable.",
    )(function)


def recording_options(function: F) -> F:
    """``--record`` and ``--replay``."""
    folder = click.Path(file_okay=False, path_type=Path)
    function = click.option(
        "--replay", type=folder, metavar="DIR", help="Answer source calls from a recording only."
    )(function)
    return click.option("--record", type=folder, metavar="DIR", help="Record source calls.")(function)


def tool_settings(sandbox: str | None, *, import_dirs: list[str] | None = None) -> dict[str, Any]:
    """What tools read from ``ctx.settings``."""
    settings: dict[str, Any] = {}
    if sandbox:
        settings["sandbox"] = sandbox
    if import_dirs is not None:
        settings["import_dirs"] = import_dirs
    return settings


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    import json

    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))
