"""The two that are measured, each by its real command line."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from peer.process import Process, run

from gra_core.testing import found_at

HERE = Path(__file__).parent
TASK = "inspect_task.py"
TURNS = 3  # the same in gra_peer/plugin.py
# Nothing leaves the machine: a proxy that nobody answers at.
CLOSED = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9"),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1"),
}
PREFIXES = ("GRA_", "INSPECT_", "OPENAI_", "OTEL_", "PYTHON", "XDG_")


def plain_environment(scratch: Path) -> dict[str, str]:
    """This environment without anything that is meant for either; files of theirs go to `scratch`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(PREFIXES)}
    return kept | CLOSED | {"HOME": str(scratch), "COLUMNS": "100"}


class Side(Protocol):
    """One of the two. `folder` is where a run is; `url` that of a server of `counting.py`."""

    name: str
    env: dict[str, str]

    def help(self) -> list[str]: ...

    def trials(self, samples: int, folder: Path, url: str = "", at_a_time: int = 0) -> Process:
        """Start a run of trivial trials: one call each of a model in the process, or `TURNS` of the one at `url`."""

    def resume(self, folder: Path, url: str, at_a_time: int) -> Process:
        """Go on with a run that was killed."""

    def read(self, what: str, folder: Path) -> dict[str, Any]:
        """`reading_*.py` in a process of its own."""


class Ours:
    """`gra-bench` of this environment, with the benchmark of `gra_peer` as an installed plugin."""

    name = "gra-bench"

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self.command = str(Path(sys.executable).with_name("gra-bench"))
        self.env = plain_environment(scratch) | {"PYTHONPATH": plugin_path(scratch)}

    def help(self) -> list[str]:
        return [self.command, "--help"]

    def trials(self, samples: int, folder: Path, url: str = "", at_a_time: int = 0) -> Process:
        what = ("-c", "insisting", "-m", "openai:loopback") if url else ("-c", "llm", "-m", "canned")
        command = [self.command, "run", "-b", "trivial", *what, "--limit", str(samples)]
        command += ["--run-dir", str(folder), "--json"]
        return self._start(command, url, at_a_time)

    def resume(self, folder: Path, url: str, at_a_time: int) -> Process:
        return self._start([self.command, "run", "--run-dir", str(folder), "--resume", "--json"], url, at_a_time)  # fmt: skip

    def _start(self, command: list[str], url: str, at_a_time: int) -> Process:
        command += ["--concurrency", str(at_a_time)] if at_a_time else []
        return Process(command, env=self.env | ({"GRA_BASE_URL_OPENAI": f"{url}/v1"} if url else {}), cwd=self._scratch)  # fmt: skip

    def read(self, what: str, folder: Path) -> dict[str, Any]:
        return _read(sys.executable, "reading_ours.py", what, folder, self.env, self._scratch)


class Theirs:
    """`inspect` of its own environment, with its usual log format and its own defaults, display none."""

    name = "inspect_ai"

    def __init__(self, python: Path, scratch: Path) -> None:
        self._scratch, self._python = scratch, str(python)
        self.command = str(python.with_name("inspect"))
        self.env = plain_environment(scratch)
        shutil.copy(HERE / TASK, scratch)  # it takes task files below the working directory only

    def help(self) -> list[str]:
        return [self.command, "--help"]

    def version(self) -> str:
        code = "import importlib.metadata as m; print(m.version('inspect_ai'))"
        return run([self._python, "-c", code], env=self.env, cwd=self._scratch).out.strip()

    def trials(self, samples: int, folder: Path, url: str = "", at_a_time: int = 0) -> Process:
        command = [self.command, "eval", TASK, "-T", f"samples={samples}"]
        if url:
            command += [
                "-T",
                "canned=false",
                "-T",
                f"turns={TURNS}",
                "--model",
                "openai-api/loopback/loopback",
            ]
        return self._start(command, folder, url, at_a_time)

    def resume(self, folder: Path, url: str, at_a_time: int) -> Process:
        (log,) = folder.glob("*.eval")
        return self._start([self.command, "eval-retry", str(log)], folder, url, at_a_time)

    def _start(self, command: list[str], folder: Path, url: str, at_a_time: int) -> Process:
        if at_a_time:
            command += ["--max-connections", str(at_a_time), "--max-samples", str(at_a_time)]
        command += ["--log-dir", str(folder), "--display", "none"]
        server = {"LOOPBACK_BASE_URL": f"{url}/v1", "LOOPBACK_API_KEY": "none"} if url else {}
        return Process(command, env=self.env | server, cwd=self._scratch)

    def read(self, what: str, folder: Path) -> dict[str, Any]:
        return _read(self._python, "reading_inspect.py", what, folder, self.env, self._scratch)


def plugin_path(scratch: Path) -> str:
    """A PYTHONPATH on which the plugin in `gra_peer` is found by its entry point, as if it were installed."""
    site = found_at(scratch / "site", "peer", "gra_peer.plugin")
    before = [p for p in [os.environ.get("PYTHONPATH", "")] if p]
    return os.pathsep.join([str(site), str(HERE), *before])


def _read(python: str, script: str, what: str, folder: Path, env: Mapping[str, str], cwd: Path) -> Any:
    return json.loads(run([python, str(HERE / script), what, str(folder)], env=env, cwd=cwd).out)
