"""Reads a log by inspect_ai's public interface: `reading_inspect.py WHAT LOG_DIR` prints seconds (imports are not in them)
and what was read. The newest log counts: a retry writes another one."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from inspect_ai.log import read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries


def summary(log: Path) -> dict[str, Any]:
    header = read_eval_log(str(log), header_only=True)
    assert header.results is not None
    metric = header.results.scores[0].metrics[
        "accuracy" if "accuracy" in header.results.scores[0].metrics else "mean"
    ]
    return {"n": header.results.completed_samples, "mean": metric.value, "tokens": tokens(header)}


def tokens(header: Any) -> int:
    return sum(usage.total_tokens for usage in header.stats.model_usage.values())


def one(log: Path) -> dict[str, Any]:
    return {"n": 1, "events": len(read_eval_log_sample(str(log), id=SOME[0]).events)}


def short(log: Path) -> dict[str, Any]:
    return {"n": len(read_eval_log_sample_summaries(str(log)))}


def everything(log: Path) -> dict[str, Any]:
    samples = read_eval_log(str(log)).samples or []
    return {"n": len(samples), "events": sum(len(s.events) for s in samples)}


def finished(log: Path) -> dict[str, Any]:
    """The ids of the samples that are in the log with a score."""
    samples = read_eval_log(str(log)).samples or []
    return {"finished": [s.id for s in samples if s.scores]}


log = max(Path(sys.argv[2]).glob("*.eval"), key=lambda path: path.name)
if sys.argv[1] == "one":  # some sample in the middle; finding its id is not measured
    summaries = read_eval_log_sample_summaries(str(log))
    SOME = [summaries[len(summaries) // 2].id]
started = time.perf_counter()
found = globals()[sys.argv[1]](log)
print(json.dumps({"seconds": time.perf_counter() - started, **found}))
