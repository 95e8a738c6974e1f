"""What test_cluster_map.py runs on the workers of a cluster, which import it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from distributed import get_worker, secede

from gra_bench.cluster_map import mapping_on
from gra_core import Clock, ToolError, map_parts


def as_a_trial(job: Any, *arguments: Any) -> tuple[int, Any]:
    """Run a job as the runner runs a tool of a trial: in a thread of its own, started by a task that has seceded."""
    secede()
    with mapping_on(get_worker()):
        return os.getpid(), Clock(300).run(lambda: job(*arguments))


def statistics(path: str, zones: Any, stats: list[str]) -> Any:
    """Zonal statistics in parts, however little work they are."""
    from gra_geo import parts
    from gra_geo.raster import Raster
    from gra_geo.zonal import zonal_stats

    worth, parts.WORTH_CELLS = parts.WORTH_CELLS, 1
    try:
        return zonal_stats(Raster.open(path), zones, stats)
    finally:
        parts.WORTH_CELLS = worth


def pids(count: int) -> list[int]:
    return map_parts(process_of, range(count))


def process_of(_: int) -> int:
    time.sleep(0.3)  # long enough that one worker does not do them all
    return os.getpid()


def die_once(marker: str) -> int:
    """Kill the first process that gets here."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return os.getpid()
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still alive")


def die_elsewhere(home: int) -> int:
    """Kill every process but one."""
    if os.getpid() != home:
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def read_relative(name: str) -> tuple[int, str]:
    return os.getpid(), Path(name).read_text()


def refuse(number: int) -> None:
    raise ToolError("quota", f"part {number}", hint="wait")


def wait_for(marker: str) -> int:
    Path(marker + "-started").touch()
    for _ in range(6000):
        if Path(marker).exists():
            return os.getpid()
        time.sleep(0.01)
    raise AssertionError("nobody made the marker")
