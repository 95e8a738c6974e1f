"""`gra-bench new-skill`."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from importlib import resources
from pathlib import Path

import click

from gra_bench.options import json_option, print_json

LEGAL = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# Names that the template uses for itself, and what each becomes.
TEMPLATE_NAME = "example-skill"
IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info", ".*", "dist", "build")


@click.command("new-skill", short_help="Write a skill plugin package to start from.")
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("."),
    show_default=True,
    metavar="DIR",
    help="Folder to write it in.",
)
@json_option
def command(name: str, into: Path, as_json: bool) -> int:
    """Write a package gra-skill-NAME with a working tool that installs and passes the conformance suite."""
    if not LEGAL.fullmatch(name) or len(name) > 64:
        raise click.UsageError(
            f"{name!r}: expected at most 64 lower-case letters, digits and single hyphens, for example soil-moisture"
        )
    if name == TEMPLATE_NAME or name[0].isdigit():
        raise click.UsageError(f"{name!r}: choose a name of your own that starts with a letter")
    target = into / f"gra-skill-{name}"
    if target.exists():
        raise click.UsageError(f"{target} exists already; choose another name or --into folder")
    into.mkdir(parents=True, exist_ok=True)
    with (
        resources.as_file(resources.files("gra_bench") / "template") as template,
        tempfile.TemporaryDirectory(dir=into) as staging,
    ):
        made = Path(staging) / "made"
        shutil.copytree(template, made, ignore=IGNORED)
        rename(made, name)
        os.replace(made, target)
    if as_json:
        print_json({"name": name, "path": str(target)})
    else:
        click.echo(f"{target}\nNext: pip install -e '{target}[test]' && pytest {target}")
    return 0


def rename(folder: Path, name: str) -> None:
    """Replace the template's name by `name` in all texts and file names, deepest first."""
    names = {TEMPLATE_NAME: name, TEMPLATE_NAME.replace("-", "_"): name.replace("-", "_")}
    for path in sorted(folder.rglob("*"), key=lambda p: len(p.parts), reverse=True):
        if path.is_file():
            path.write_text(_replaced(path.read_text(encoding="utf-8"), names), encoding="utf-8")
        path.rename(path.with_name(_replaced(path.name, names)))


def _replaced(text: str, names: dict[str, str]) -> str:
    for old, new in names.items():
        text = text.replace(old, new)
    return text
