"""Ablations: a configuration without its planning stage, or without one of its guidance rules."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from gra_bench.breakdown import Comparison, compare
from gra_core import Configuration, Registry, UnknownName
from gra_core.session import chosen_rules

PLANNING, ALL = "planning", "all"
MARK = "-without-"


def variants(
    configurations: Iterable[Configuration], parts: Iterable[str], registry: Registry
) -> list[Configuration]:
    """One configuration for each part taken out of each configuration that has it.

    A part is a guidance rule's id, ``planning``, or ``all`` for each of them in turn. `UnknownName` for a part that no
    configuration has.
    """
    configurations, parts = list(configurations), list(dict.fromkeys(parts))
    has = {c.name: parts_of(c, registry) for c in configurations}
    known = {part for found in has.values() for part in found}
    for part in parts:
        if part != ALL and part not in known:
            raise UnknownName(
                "part to ablate",
                part,
                {*known, ALL},
                install="these are the parts of the chosen configurations",
            )
    return [without(c, part) for c in configurations for part in has[c.name] if part in parts or ALL in parts]


def parts_of(configuration: Configuration, registry: Registry) -> list[str]:
    """What can be taken out of a configuration."""
    rules = {
        r.id for best_effort in (True, False) for r in chosen_rules(registry, configuration, best_effort)
    }
    return ([PLANNING] if configuration.planner else []) + sorted(rules)


def without(configuration: Configuration, part: str) -> Configuration:
    """The configuration less one part, under a name that says so."""
    name = f"{configuration.name}{MARK}{part}"
    if part == PLANNING:
        return evolve(configuration, name=name, planner="")
    return evolve(configuration, name=name, guidance_off=(*configuration.guidance_off, part))


def effects(results: Iterable[dict[str, object]], names: Iterable[str]) -> list[Comparison]:
    """What taking each part out does: paired comparisons of the variants with what they were made from."""
    results, names = list(results), list(dict.fromkeys(names))
    pairs = [(name.partition(MARK)[0], name) for name in names if MARK in name]
    return [found for base, variant in pairs if base in names for found in compare(results, base, variant)]
