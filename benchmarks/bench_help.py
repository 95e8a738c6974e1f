"""Start-up of `gra-bench --help` against `import click`, in turns: at most 3 times as long is the goal."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

ROUNDS = 15


def seconds(*command: str) -> float:
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def main() -> None:
    ours = (sys.executable, "-m", "gra_bench.cli", "--help")
    floor = (sys.executable, "-c", "import click")
    seconds(*ours), seconds(*floor)
    ratios = [seconds(*ours) / seconds(*floor) for _ in range(ROUNDS)]
    print(
        f"help / import click: median {statistics.median(ratios):.2f} (goal: at most 3), range {min(ratios):.2f} to {max(ratios):.2f}"
    )


if __name__ == "__main__":
    main()
