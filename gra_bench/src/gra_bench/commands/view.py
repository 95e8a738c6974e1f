"""`gra-bench view`."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click


@click.command(short_help="Look at runs in a browser.")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Port on 127.0.0.1. [default: a free one]",
)
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the page in the browser.")
def command(runs: tuple[Path, ...], port: int, browser: bool) -> int:
    """Serve a page about one or more runs on this machine, until Ctrl-C.

    Results with intervals, cost against score, every trial with its plan, calls, datasets and maps, and two trials side by
    side. Nothing is sent to or fetched from anywhere else.
    """
    from gra_bench.viewer.documents import Documents
    from gra_bench.viewer.server import ViewerServer

    documents = Documents(list(runs))
    try:
        server = ViewerServer(documents, port)
    except OSError as error:
        raise click.UsageError(f"--port {port}: {error.strerror}; leave it out for a free one") from error
    click.echo(server.url)
    click.echo("Ctrl-C ends it.", err=True)
    if browser:
        import webbrowser

        webbrowser.open(server.url)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever(poll_interval=0.2)
    server.server_close()
    return 0
