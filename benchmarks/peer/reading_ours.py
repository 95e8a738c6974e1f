"""Reads a run by its public interface: `reading_ours.py WHAT RUN_DIR` prints seconds (imports are not in them) and what was read."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from gra_bench.index import RunIndex
from gra_bench.store import read_events, read_results


def summary(folder: Path) -> dict[str, object]:
    rows = RunIndex(folder).summary()
    return {"n": sum(row["n"] for row in rows), "mean": rows[0]["mean"]}


def one(folder: Path) -> dict[str, object]:
    index = RunIndex(folder)
    result = index.result(SOME[0])
    assert result is not None
    return {"n": 1, "events": len(index.events(SOME[0], result["attempt"]))}


def short(folder: Path) -> dict[str, object]:
    return {"n": len(read_results(folder))}


def everything(folder: Path) -> dict[str, object]:
    results = read_results(folder)
    events = list(read_events(folder))
    return {"n": len(results), "events": len(events)}


def finished(folder: Path) -> dict[str, object]:
    """The numbers of the queries that have a result."""
    return {"finished": [int(r["query"].partition("-")[2]) for r in read_results(folder).values()]}


folder = Path(sys.argv[2])
if sys.argv[1] == "one":  # some trial in the middle of the file; finding its id is not measured
    with (folder / "results.jsonl").open(encoding="utf-8") as file:
        lines = file.readlines()
    SOME = [json.loads(lines[len(lines) // 2])["trial"]]
started = time.perf_counter()
found = globals()[sys.argv[1]](folder)
print(json.dumps({"seconds": time.perf_counter() - started, **found}))
