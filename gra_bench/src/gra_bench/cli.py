"""The `gra-bench` command. Each command's module is imported when that command is called, not before."""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import click

# Name to (module, one-line help): `--help` needs no import of the commands.
COMMANDS = {
    "run": ("run", "Run benchmarks over configurations and models."),
    "ask": ("ask", "Ask one question."),
    "list": ("list", "List what the active plugins provide."),
    "tool": ("tool", "Call one tool without a model."),
    "queries": ("queries", "Print a benchmark's queries with their answers."),
    "show": ("show", "Show a run, or one trial's trajectory."),
    "score": ("score", "Score a run again without running it again."),
    "report": ("report", "Report one or more runs."),
    "view": ("view", "Look at runs in a browser."),
    "revalidate": ("revalidate", "Compute a benchmark's answers anew and report drift."),
    "judge": ("judge", "Validate a judge against ratings by people."),
    "workflow-merge": ("workflow_merge", "Merge experts' workflows into a golden workflow."),
    "doctor": ("doctor", "Tell what works here and what is missing."),
    "fetch-model": ("fetch_model", "Fetch a local model file into the cache."),
    "new-skill": ("new_skill", "Write a skill plugin package to start from."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        return importlib.import_module(f"gra_bench.commands.{COMMANDS[name][0]}").command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(
                f"No such command {args[0]!r}.{hint} Commands: {', '.join(COMMANDS)}.", ctx
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gra-bench", prog_name="gra-bench")
def cli() -> None:
    """Geospatial Reasoning Agent: run it, measure it, extend it.

    `gra-bench run` with no option runs GeoKTools on the embedded data with the model `oracle`, which needs no key.
    Exit codes: 0 done, 1 a trial or check failed, 2 wrong use.
    """


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Batch systems end a job with SIGTERM, a lost terminal with SIGHUP (which nohup has ignored): they are taken like
    Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {s: signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def main(argv: list[str] | None = None) -> int:
    """Entry point: errors of use become a message on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(
            stream, "reconfigure"
        ):  # a lone surrogate in an answer is shown as \udc80, which is its JSON escape too
            stream.reconfigure(errors="backslashreplace")
    try:
        with ended_by_signals():
            result = cli.main(args=argv, prog_name="gra-bench", standalone_mode=False)
        return sys.exit(result if isinstance(result, int) else 0)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        from gra_core import GraError, UsageError
        from gra_core.errors import PluginError
        from gra_core.secrets import redact

        if isinstance(error, OSError) and error.filename is not None:
            click.echo(f"Error: {error.filename}: {error.strerror}", err=True)
            sys.exit(2)
        if not isinstance(error, GraError):
            raise
        click.echo(f"Error: {redact(error.message)}", err=True)
        if error.hint:
            click.echo(f"Hint: {redact(error.hint)}", err=True)
        sys.exit(2 if isinstance(error, (UsageError, PluginError)) else 1)


if __name__ == "__main__":
    main()
