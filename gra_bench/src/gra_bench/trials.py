"""Trials: query × configuration × model × repeat, each with an identity that is a hash of all that matters."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from attrs import frozen

import gra_core
from gra_core import Benchmark, Configuration, Model, Query, Registry, dump


@frozen(kw_only=True)
class Trial:
    """One planned trial."""

    id: str
    query: Query
    benchmark: Benchmark
    configuration: Configuration
    model: Model
    repeat: int
    best_effort: bool


def trial_id(
    *, query: Query, benchmark: Benchmark, configuration: Configuration, registry: Registry, model: Model,
    sources: dict[str, str], repeat: int, best_effort: bool,
) -> str:  # fmt: skip
    """SHA-256 (first 20 hex digits) over everything that can change a trial's outcome.

    Not in it: how outcomes are scored, since a run can be scored again.
    """
    parts: dict[str, Any] = {
        "core": gra_core.__version__,
        "query": dump(query),
        "instruction": benchmark.answer_instruction,
        "configuration": dump(configuration),
        "plugins": [dump(record) for _, record in sorted(registry.plugins.records.items())],
        "model": [model.id, model.snapshot],
        "sources": sources,
        "repeat": repeat,
        "best_effort": best_effort,
    }
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]
