"""First code of a confined process: limits, seal, then the program. Called as ``entry.py FOLDER``.

Reads ``FOLDER/.job.json``, written by the launcher: the program, limits and how to seal.
"""

from __future__ import annotations

import json
import os
import runpy
import sys


def limit(memory: int, disk: int, cpu_s: int) -> None:
    """Limits that the kernel keeps for each process; those of the whole run are the launcher's."""
    import resource

    def lower(kind: str, value: int) -> None:
        number = getattr(resource, kind, None)
        if number is None:
            return
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (value, value))

    # RLIMIT_DATA counts what is really private and writable, RLIMIT_AS what allocators merely reserve.
    lower("RLIMIT_DATA", memory)
    lower("RLIMIT_AS", memory + (16 << 30))
    lower("RLIMIT_FSIZE", disk)
    lower("RLIMIT_CORE", 0)
    lower("RLIMIT_NOFILE", 1024)
    lower("RLIMIT_CPU", cpu_s)


def main() -> None:
    folder = sys.argv[1]
    with open(os.path.join(folder, ".job.json"), encoding="utf-8") as file:
        job = json.load(file)
    limit(job["memory_bytes"], job["disk_bytes"], job["cpu_s"])
    if job["seal"]:
        here = os.path.dirname(os.path.abspath(__file__))
        apply = runpy.run_path(os.path.join(here, "seal.py"))["apply"]
        apply(processes=job["processes"] > 1, guard_signals=job["guard_signals"])
    sys.path.extend(p for p in job["libraries"] if p not in sys.path)
    sys.argv[:] = ["program"]
    scope = {"__name__": "__main__", "__builtins__": __builtins__}
    exec(compile(job["code"], "<program>", "exec"), scope)


if __name__ == "__main__":
    main()
