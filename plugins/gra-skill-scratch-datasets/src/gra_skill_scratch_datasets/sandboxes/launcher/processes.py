"""The processes below this one, read from /proc. Where there is no /proc only the worker itself is known."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def parents() -> dict[int, tuple[int, str]]:
    """Process id to the parent's id and the state letter, of all visible processes."""
    found: dict[int, tuple[int, str]] = {}
    try:
        names = [n for n in os.listdir("/proc") if n.isdigit()]
    except OSError:
        return found
    for name in names:
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        found[int(name)] = (int(parent), state.decode())
    return found


def descendants(root: int) -> list[int]:
    """Ids of the living processes below `root` (zombies are left out), nearest first."""
    known = parents()
    children: dict[int, list[int]] = {}
    for pid, (parent, _state) in known.items():
        children.setdefault(parent, []).append(pid)
    found, queue = [], list(children.get(root, ()))
    while queue:
        pid = queue.pop(0)
        queue += children.get(pid, ())
        if known[pid][1] not in "ZX":
            found.append(pid)
    return found


def memory(pids: Iterable[int]) -> int:
    """Bytes of resident memory of processes that are their own: anonymous and shared, without mapped files."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/status", "rb") as file:
                lines = file.read().splitlines()
        except OSError:
            continue
        total += sum(int(x.split()[1]) for x in lines if x.startswith((b"RssAnon:", b"RssShmem:"))) * 1024
    return total


def proportional_memory(pids: Iterable[int]) -> int:
    """As `memory`, with pages that forks share counted once. Slower, for the final word."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
                lines = file.read().splitlines()
        except OSError:
            total += memory([pid])
            continue
        total += sum(int(x.split()[1]) for x in lines if x.startswith((b"Pss_Anon:", b"Pss_Shmem:"))) * 1024
    return total


def unlinked_bytes(pids: Iterable[int]) -> int:
    """Bytes of files that are open but have no name, memory files among them: no walk over a folder sees them."""
    seen: dict[tuple[int, int], int] = {}
    for pid in pids:
        try:
            names = os.listdir(f"/proc/{pid}/fd")
        except OSError:
            continue
        for name in names:
            try:
                info = os.stat(f"/proc/{pid}/fd/{name}")
            except OSError:
                continue
            if info.st_nlink == 0 and info.st_mode & 0o170000 == 0o100000:
                seen[(info.st_dev, info.st_ino)] = info.st_blocks * 512
    return sum(seen.values())


def kill_all(root: int, within_s: float = 10.0) -> list[int]:
    """Kill everything below `root`, stopping first so that nothing new is made; what is left after `within_s`."""
    ends = time.monotonic() + within_s
    while (living := descendants(root)) and time.monotonic() < ends:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in living:
                with contextlib.suppress(OSError):
                    os.kill(pid, number)
        time.sleep(0.005)
    return living


def be_reaper() -> None:
    """Make orphans below this process its own children, so that none escapes the count."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def drop_capabilities() -> None:
    """Give up root's privileges, the rights to raise limits and to override permissions among them."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(64):
        libc.prctl(24, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    libc.capset(ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))
