"""Trials: query × configuration × model × repeat, each with an identity that is a hash of all that matters."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from attrs import frozen

import gra_core
from gra_core import Benchmark, Configuration, Model, Query, Registry, Sources, dump
from gra_core.plugins import content_of


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


def digest(value: Any) -> str:
    """SHA-256 (first 20 hex digits) of JSON-ready data."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def setting_of(
    configuration: Configuration, registry: Registry, sources: Sources, benchmark: Benchmark, model: Model, best_effort: bool
) -> str:  # fmt: skip
    """A hash of everything but query and repeat that can change a trial's outcome: the core and the plugins with their
    files (prompts, code, data) and versions, the configuration with its settings, the sources' snapshots, the model and
    whatever else identifies it, how the answer is asked for.

    Not in it: how outcomes are scored, since a run can be scored again; and prices.
    """
    return digest(
        {
            "core": core_of(),
            "plugins": plugins_of(registry),
            "configuration": {k: v for k, v in dump(configuration).items() if k != "prices"},
            "sources": sources.snapshot(),
            "model": [model.id, model.snapshot],
            "instruction": benchmark.answer_instruction,
            "best_effort": best_effort,
        }
    )


def core_of() -> list[str]:
    """Version of gra-core, and a hash of its files."""
    return [gra_core.__version__, content_of("gra_core")]


def plugins_of(registry: Registry) -> list[dict[str, Any]]:
    """The active plugins: name, distribution, version, and a hash of the files."""
    contents = registry.plugins.contents()
    return [
        {**dump(record), "content": contents[name]}
        for name, record in sorted(registry.plugins.records.items())
    ]


def trial_id(query: Query, setting: str, repeat: int) -> str:
    """The identity of a trial: the query's content, the setting (`setting_of`) and the repeat."""
    return digest([dump(query), setting, repeat])
