"""`gra-bench judge`."""

from __future__ import annotations

import click


@click.group(short_help="Validate a judge against ratings by people.")
def command() -> None:
    """Is a judge as good as the people it stands for?"""
