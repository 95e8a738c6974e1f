"""`benchmarks/bench_peer.py` measures our half without the peer; no figure is asserted here, only that there are some."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "bench_peer.py"


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def cells(out: str) -> dict[str, list[str]]:
    """The lines of all tables by their first cell."""
    lines = [
        [c.strip() for c in line.strip("|").split("|")] for line in out.splitlines() if line.startswith("| ")
    ]
    return {first: rest for first, *rest in lines}


@pytest.mark.slow
def test_our_half_is_measured_without_the_peer() -> None:
    done = bench("--alone", "--trials", "20", "--many", "25", "--most", "30", "--rounds", "1", "--killed", "16", "--kills", "0.5")  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = cells(done.stdout)
    for what in ("--help", "20 trials, wall time", "25 trials, wall time", "wall time per trial", "summary"):
        assert rows[what][0].endswith(" s") or rows[what][0].endswith(" ms"), what
    for what in ("20 trials, peak memory", "25 trials, on disk", "peak memory"):
        assert rows[what][0].endswith(" MB") and float(rows[what][0].split()[0]) > 0, what
    assert rows["trials missing in the final log"][0] == "0"
    assert {"one trial with its events", "all trials with events", "summary of 30 trials, right after the run"} <= set(rows)  # fmt: skip


def test_without_an_environment_for_the_peer_it_says_how_to_make_one(tmp_path: Path) -> None:
    done = bench("--peer-python", str(tmp_path / "python"))
    assert done.returncode == 2 and not done.stdout
    assert str(tmp_path / "python") in done.stderr
    for hint in ("nox -s peer", "requirements.txt", "--alone"):
        assert hint in done.stderr
