"""The declared sandboxes' factories and probes. A probe runs a confined program and looks at what it can reach."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

from gra_core import SandboxJob, SandboxLimits, ToolError
from gra_skill_scratch_datasets.guest import seal
from gra_skill_scratch_datasets.sandboxes.supervised import SupervisedRunner

# Landlock's version that confines renames and truncation (Linux 6.2); later protections are made up for by the seal.
MIN_LANDLOCK = 3
DEGRADABLE = ("NET_TCP", "FS_IOCTL_DEV", "SIGNAL_SCOPE", "ABSTRACT_UNIX_SOCKET_SCOPE")
SIGNAL_SCOPE_LANDLOCK = 6

ESCAPE = """
import os, signal, socket
def blocked(action):
    try:
        action()
    except OSError:
        return True
    return False
assert blocked(lambda: open({canary!r})), "a file outside can be read"
assert blocked(lambda: open({beside!r}, "w")), "files outside can be written"
assert blocked(socket.socket), "sockets can be made"
assert blocked(lambda: os.kill({parent}, 0)), "other processes can be signalled"
open("inside", "w").write("yes")
"""


def sandlock() -> SupervisedRunner:
    import sandlock

    degraded = sandlock.landlock_abi_version() < SIGNAL_SCOPE_LANDLOCK
    return SupervisedRunner(
        "sandlock", seal=True, guard_signals=degraded, degraded=list(DEGRADABLE) if degraded else []
    )


def bubblewrap() -> SupervisedRunner:
    # No process counter comes with namespaces that works for every user, so the seal allows threads only.
    return SupervisedRunner("bubblewrap", seal=True, max_processes=1, bwrap=_bwrap() or "bwrap")


def none() -> SupervisedRunner:
    return SupervisedRunner("none", seal=False)


@lru_cache(maxsize=1)
def probe_sandlock() -> str:
    """Why sandlock does not work here, or an empty text."""
    if reason := _not_linux():
        return reason
    try:
        import sandlock
    except (ImportError, OSError) as error:
        return f"package sandlock cannot be imported ({error}); pip install sandlock"
    version = sandlock.landlock_abi_version()
    if version < MIN_LANDLOCK:
        return f"needs Linux 6.2 or later with Landlock version {MIN_LANDLOCK}, this kernel has {max(version, 0) or 'none'}"
    return _tried("sandlock")


@lru_cache(maxsize=1)
def probe_bubblewrap() -> str:
    """Why bubblewrap does not work here, or an empty text."""
    if reason := _not_linux():
        return reason
    if _bwrap() is None:
        return "program bwrap is not installed; install the package bubblewrap of your distribution"
    return _tried("bubblewrap")


def probe_none() -> str:
    return "" if os.name == "posix" else "needs a POSIX system"


def _not_linux() -> str:
    if sys.platform != "linux":
        return f"needs Linux, this is {sys.platform}"
    return "" if seal.supported() else f"no system call filter for processor {os.uname().machine}"


def _bwrap() -> str | None:
    return shutil.which("bwrap", path=os.environ.get("PATH", "") + ":/usr/bin:/usr/local/bin")


def _tried(name: str) -> str:
    """Run a program that tries to get out."""
    runner = {"sandlock": sandlock, "bubblewrap": bubblewrap}[name]()
    with tempfile.TemporaryDirectory(prefix="gra-probe-") as place:
        folder, canary = Path(place, "run"), Path(place, "canary")
        folder.mkdir()
        canary.write_text("secret")
        code = ESCAPE.format(canary=str(canary), beside=str(Path(place, "beside")), parent=os.getpid())
        try:
            outcome = runner.run(SandboxJob(code=code, folder=folder, limits=SandboxLimits(timeout_s=20.0)))
        except ToolError as error:
            return error.message
        if outcome.end != "ok":
            return f"a trial run failed: {outcome.error}: {outcome.output.strip()[-400:]}"
        return "" if (folder / "inside").exists() else "a trial run could not write to its own folder"
