"""`gra-bench run` beside inspect_ai with its mock model, in one run on one machine, as a table with ratios and goals.

Every figure is of a real command line in a process of its own. inspect_ai lives in an environment of its own, never in ours:
`nox -s peer` makes it and runs this. By hand, once:

    python -m venv benchmarks/.peer-venv
    benchmarks/.peer-venv/bin/python -m pip install -r benchmarks/peer/requirements.txt
    .venv/bin/python benchmarks/bench_peer.py

`--peer-python` names the interpreter of another environment that has it, `--alone` leaves inspect_ai out. docs/benchmarks.md says
what is measured and how.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from peer.killing import Account, kill_and_resume
from peer.process import disk_mb, run
from peer.sides import TURNS, Ours, Side, Theirs

PEER_PYTHON = Path(__file__).parent / ".peer-venv" / "bin" / "python"
MISSING = """{python}: there is no such interpreter.
inspect_ai is measured in an environment of its own, which is not there yet. Make it with `nox -s peer`, or by hand:
    python -m venv {folder}
    {folder}/bin/python -m pip install -r {requirements}
or name one that has it with --peer-python, or measure without it with --alone."""


# What `peer/reading_*.py` read, and what it is called here.
READ = {
    "summary": "summary",
    "one": "one trial with its events",
    "short": "all trials in short",
    "everything": "all trials with events",
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a table. `ours` is compared with `other`: theirs, or ours at another size. The goal is one of: a ratio of
    at most `ratio_most`, a value of ours of at most `most`, a value of exactly `exactly`."""

    what: str
    ours: float
    other: float | None = None
    unit: str = "s"
    ratio_most: float | None = None
    most: float | None = None
    exactly: float | None = None

    def cells(self) -> list[str]:
        ratio = self.ours / self.other if self.other else None
        goal, met = "", None
        if self.most is not None:
            goal, met = f"≤ {figure(self.most, self.unit)}", self.ours <= self.most
        elif self.exactly is not None:
            goal, met = f"{self.exactly:g}", self.ours == self.exactly
        elif self.ratio_most is not None:
            goal, met = f"ratio ≤ {self.ratio_most:g}", None if ratio is None else ratio <= self.ratio_most
        return [
            self.what,
            figure(self.ours, self.unit),
            "" if self.other is None else figure(self.other, self.unit),
            "" if ratio is None else f"{ratio:.3g}",
            goal,
            "" if met is None else "yes" if met else "NO",
        ]


def figure(value: float, unit: str) -> str:
    if unit == "s":
        return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.3g} ms"
    return f"{value:.1f} {unit}" if unit else f"{value:.10g}"


def print_table(title: str, columns: tuple[str, str], rows: Sequence[Row]) -> None:
    """Markdown, with columns that line up in a terminal as well."""
    table = [["", *columns, "ratio", "goal", "met"], *(row.cells() for row in rows)]
    widths = [max(len(line[n]) for line in table) for n in range(6)]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |" for line in table
    ]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    print(f"\n{title}\n\n" + "\n".join(lines), flush=True)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of trivial trials: `summary_s` is the time of the first summary that is read from it."""

    seconds: float
    peak_mb: float
    disk_mb: float
    summary_s: float


Case = tuple[Side, int]


class Bench:
    """The measurements; the last run of each case stays in `scratch`, to be read."""

    def __init__(self, options: argparse.Namespace, scratch: Path) -> None:
        self.options, self.scratch = options, scratch
        self.ours = Ours(scratch)
        self.theirs = None if options.alone else Theirs(options.peer_python.absolute(), scratch)
        self.sides: list[Side] = [self.ours] if self.theirs is None else [self.ours, self.theirs]
        self.columns = ("gra-bench", "inspect_ai" if self.theirs else "–")

    def each(self, get: Callable[[Side], float]) -> tuple[float, float | None]:
        """A value of ours, and of theirs unless they are left out."""
        return get(self.ours), None if self.theirs is None else get(self.theirs)

    def folder(self, case: Case) -> Path:
        return self.scratch / f"{case[0].name}-{case[1]}"

    def trials(self, case: Case) -> Run:
        """One run of trivial trials, checked for being complete and right."""
        (side, samples), folder = case, self.folder(case)
        shutil.rmtree(folder, ignore_errors=True)
        done = side.trials(samples, folder).wait()
        if done.code:
            raise SystemExit(f"{side.name} ended with {done.code}:\n{done.out[-3000:]}")
        found = side.read("summary", folder)
        if (found["n"], found["mean"]) != (samples, 1.0):
            raise SystemExit(
                f"{side.name}: expected {samples} trials, all of them right; its log says {found}"
            )
        return Run(seconds=done.seconds, peak_mb=done.peak_mb, disk_mb=disk_mb(folder), summary_s=found["seconds"])  # fmt: skip

    def in_turns(self, cases: Sequence[Case], rounds: int) -> dict[Case, list[Run]]:
        """Cases take turns, so that all meet the same noise."""
        runs: dict[Case, list[Run]] = {case: [] for case in cases}
        for _ in range(rounds):
            for case in cases:
                runs[case].append(self.trials(case))
        return runs

    # -- what is measured ------------------------------------------------------------------------------------------

    def start(self) -> list[Row]:
        seconds: dict[str, list[float]] = {side.name: [] for side in self.sides}
        for _ in range(3 * self.options.rounds + 1):
            for side in self.sides:
                seconds[side.name].append(run(side.help(), env=side.env, cwd=self.scratch).seconds)
        # The first of each reads files and compiles.
        ours, theirs = self.each(lambda side: statistics.median(seconds[side.name][1:]))
        return [Row(what="--help", ours=ours, other=theirs, ratio_most=1 / 8)]

    def size(self, samples: int, rounds: int, *, goals: bool) -> list[Row]:
        runs = self.in_turns([(side, samples) for side in self.sides], rounds)
        name = f"{samples:,} trials"
        wall = self.each(lambda side: median(r.seconds for r in runs[side, samples]))
        peak = self.each(lambda side: median(r.peak_mb for r in runs[side, samples]))
        disk = self.each(lambda side: median(r.disk_mb for r in runs[side, samples]))
        return [
            Row(what=f"{name}, wall time", ours=wall[0], other=wall[1], ratio_most=1 / 4 if goals else None),
            Row(what=f"{name}, peak memory", ours=peak[0], other=peak[1], unit="MB", ratio_most=1 / 2 if goals else None),
            Row(what=f"{name}, on disk", ours=disk[0], other=disk[1], unit="MB"),
        ]  # fmt: skip

    def growth(self) -> list[Row]:
        """Ours at two sizes, and the summary of the larger run."""
        one, few, many = ((self.ours, n) for n in (1, self.options.trials, self.options.most))
        runs = self.in_turns([one, few, many], self.options.rounds)
        whole = {case: median(r.seconds for r in runs[case]) for case in runs}
        wall = [whole[case] / case[1] for case in (many, few)]
        bare = [(whole[case] - whole[one]) / (case[1] - 1) for case in (many, few)]
        peak = [median(r.peak_mb for r in runs[case]) for case in (many, few)]
        folder, name = self.folder(many), f"summary of {many[1]:,} trials"
        again, without = [], []
        for _ in range(self.options.rounds):
            again.append(self.ours.read("summary", folder)["seconds"])
        for _ in range(self.options.rounds):
            (folder / "index.sqlite").unlink(missing_ok=True)
            without.append(self.ours.read("summary", folder)["seconds"])
        return [
            Row(what="wall time per trial", ours=wall[0], other=wall[1], ratio_most=1.2),
            Row(what="the same without start-up", ours=bare[0], other=bare[1], ratio_most=1.2),
            Row(what="peak memory", ours=peak[0], other=peak[1], unit="MB", ratio_most=1.5),
            Row(what=f"{name}, right after the run", ours=median(r.summary_s for r in runs[many]), most=0.3),
            Row(what=f"{name}, again", ours=median(again), most=0.3),
            Row(what=f"{name}, index deleted", ours=median(without)),
        ]

    def reading(self, samples: int) -> list[Row]:
        seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
        for _ in range(self.options.rounds):
            for side in self.sides:
                for what in READ:
                    found = side.read(what, self.folder((side, samples)))
                    seconds[side.name, what].append(found["seconds"])

        def row(what: str, name: str) -> Row:
            ours, theirs = self.each(lambda side: median(seconds[side.name, what]))
            return Row(what=name, ours=ours, other=theirs)

        return [row(what, name) for what, name in READ.items()]

    def killing(self) -> list[Row]:
        accounts: dict[str, Account] = {side.name: Account() for side in self.sides}
        samples = self.options.killed
        for number, share in enumerate(self.options.kills, 1):
            for side in self.sides:
                folder = self.scratch / f"killed-{number}-{side.name}"
                kill_and_resume(
                    side, samples, int(TURNS * samples * share), folder, accounts[side.name], self.ours.env
                )

        def row(what: str, get: Callable[[Account], float], exactly: float | None = None) -> Row:
            ours, theirs = self.each(lambda side: get(accounts[side.name]))
            return Row(what=what, ours=ours, other=theirs, unit="", exactly=exactly)

        return [
            row("replies given before the kill", lambda a: a.replies),
            row("trials that had all their replies", lambda a: a.finished),
            row("of these, not in the log after the kill", lambda a: a.lost, 0),
            row("of these, calls that are made again", lambda a: a.repeated, 0),
            row("of other trials, replies asked for again", lambda a: a.twice),
            row("trials missing in the final log", lambda a: a.missing, 0),
            row("usage in the final log / usage of all replies", lambda a: round(a.recorded / a.paid, 4), 1),
        ]


def median(values: Iterable[float]) -> float:
    return statistics.median(values)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--peer-python", type=Path, default=PEER_PYTHON, help="interpreter that has inspect_ai"
    )
    parser.add_argument("--alone", action="store_true", help="measure ours only")
    parser.add_argument(
        "--trials", type=int, default=1000, help="trials of a run whose time and memory have goals"
    )
    parser.add_argument("--many", type=int, default=5000, help="trials of the run that is read; it runs once")
    parser.add_argument("--most", type=int, default=10000, help="trials of our largest run")
    parser.add_argument("--killed", type=int, default=80, help="trials of a run that is killed")
    parser.add_argument(
        "--kills", type=float, nargs="*", default=[0.3, 0.5, 0.7], help="when, as shares of its replies"
    )
    parser.add_argument("--rounds", type=int, default=3, help="medians are over this many")
    options = parser.parse_args()
    if not options.alone and not options.peer_python.exists():
        requirements = Path(__file__).parent / "peer" / "requirements.txt"
        folder = PEER_PYTHON.parents[1]
        parser.exit(
            2, MISSING.format(python=options.peer_python, folder=folder, requirements=requirements) + "\n"
        )
    return options


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="bench-peer-") as scratch:
        bench = Bench(options, Path(scratch))
        theirs = f"inspect_ai {bench.theirs.version()}" if bench.theirs else "inspect_ai left out"
        print(f"{theirs}, Python {platform.python_version()}, {os.cpu_count()} cores, {platform.system()}")
        print_table("Start-up", bench.columns, bench.start())
        rows = bench.size(options.trials, options.rounds, goals=True) + bench.size(
            options.many, 1, goals=False
        )
        print_table("Trivial trials", bench.columns, rows)
        sizes = (f"{options.most:,} trials", f"{options.trials:,} trials")
        print_table("gra-bench at two sizes", sizes, bench.growth())
        print_table(f"Reading a run of {options.many:,} trials", bench.columns, bench.reading(options.many))
        kills = f"Killed and resumed: {len(options.kills)} runs of {options.killed} trials with {TURNS} model calls"
        if options.kills:
            print_table(kills, bench.columns, bench.killing())


if __name__ == "__main__":
    main()
