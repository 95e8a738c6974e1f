"""`gra-bench fetch-model`."""

from __future__ import annotations

import click

from gra_bench.options import json_option, print_json


@click.command(short_help="Fetch a local model file into the cache.")
@click.argument("name")
@json_option
def command(name: str, as_json: bool) -> int:
    """Fetch the local model NAME into the cache, its checksum verified. `local:NAME` then runs it."""
    from gra_core import UsageError
    from gra_core.lazy import load_object

    try:
        fetch = load_object("gra_model_local.fetch:fetch_model")
    except ImportError as error:
        raise UsageError(
            "local models need the plugin gra-model-local", hint="try `pip install gra-model-local`"
        ) from error
    path = fetch(name, lambda text: click.echo(text, err=True))
    if as_json:
        print_json({"name": name, "path": str(path), "model": f"local:{name}"})
    else:
        click.echo(f"{path}\nRun it with -m local:{name}")
    return 0
