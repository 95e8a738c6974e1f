"""`gra-bench` as real processes that can be killed, and in this process; the plugin of this folder as if it were installed."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from attrs import define

from gra_core.testing import found_at

TESTS = Path(__file__).parents[1]
COMMAND = str(Path(sys.executable).with_name("gra-bench"))
KEY = 'synthetic/"key"-0123456789'
NEEDED = ("orchestration", "model-openai")
PREFIXES = ("GRA_", "OPENAI_", "OTEL_", "PYTHON")
# Nothing leaves the machine: a proxy that nobody answers at.
CLOSED = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9"),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1"),
}


def plugin_path(site: Path, package: Path = TESTS) -> str:
    """A PYTHONPATH on which `steps` in the folder `package` is found by its entry point."""
    return os.pathsep.join([str(found_at(site, "steps", "steps.plugin")), str(package)])


def environment(scratch: Path, url: str, package: Path = TESTS) -> dict[str, str]:
    """The environment of a process: the plugin, the server at `url`, a key."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(PREFIXES)}
    return kept | CLOSED | {
        "HOME": str(scratch), "PYTHONPATH": plugin_path(scratch / "site", package), "COLUMNS": "100",
        "GRA_BASE_URL_OPENAI": f"{url}/v1", "OPENAI_API_KEY": KEY,
    }  # fmt: skip


def others() -> list[str]:
    """Options that leave out what these tests do not need."""
    names = sorted({e.name for e in entry_points(group="gra.plugins")} - {*NEEDED, "steps"})
    return [part for name in names for part in ("--no-plugin", name)]


@define(kw_only=True)
class Ended:
    """A process that has ended; `document` is the JSON on stdout."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


class Process:
    """A `gra-bench` process in a group of its own; its output goes to files, so that no pipe holds it up."""

    def __init__(
        self, arguments: Sequence[str], env: dict[str, str], scratch: Path, before: Any = None
    ) -> None:
        self._files = [(scratch / name).open("w+") for name in ("out.txt", "err.txt")]
        self._process = subprocess.Popen(
            [COMMAND, *arguments], env=env, cwd=scratch, stdin=subprocess.DEVNULL, stdout=self._files[0], stderr=self._files[1],
            start_new_session=True, preexec_fn=before,
        )  # fmt: skip

    def ended(self) -> bool:
        return self._process.poll() is not None

    def signal(self, number: int) -> None:
        """To the whole group; nothing when it has ended."""
        if not self.ended():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def kill(self) -> bool:
        """As `kill -9` does; whether it was still running."""
        self.signal(signal.SIGKILL)
        return self._process.wait() == -signal.SIGKILL

    def wait(self, seconds: float | None = None) -> Ended:
        self._process.wait(seconds)
        texts = []
        for file in self._files:
            file.seek(0)
            texts.append(file.read())
            file.close()
        return Ended(code=self._process.returncode, out=texts[0], err=texts[1])


def gra_bench(*arguments: str) -> Ended:
    """The command line in this process."""
    from gra_bench.cli import main

    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(list(arguments))
        except SystemExit as end:
            code = end.code or 0
    return Ended(code=int(code), out=out.getvalue(), err=err.getvalue())


def as_installed() -> list[EntryPoint]:
    """What `gra_core.plugins.discover` finds where only these plugins are installed."""
    mine = EntryPoint(name="steps", value="steps.plugin", group="gra.plugins")
    found = [e for e in entry_points(group="gra.plugins") if e.name in NEEDED]
    return sorted([*found, mine], key=lambda e: e.name)


def lines(path: Path) -> list[Any]:
    """The whole lines of a log as the file has them, parsed."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
