"""`gra-bench list`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import click

from gra_bench.options import json_option, plugin_options, print_json

Rows = list[dict[str, Any]]


def _from(catalogue: Any, facts: Callable[[Any], dict[str, Any]]) -> Rows:
    """Rows of a catalogue: name, plugin, distribution, version, then the kind's own facts."""
    rows = []
    for name in catalogue:
        plugin = catalogue.plugin(name)
        rows.append(
            {
                "name": name,
                "plugin": plugin.name,
                "distribution": plugin.distribution,
                "version": plugin.version,
                **facts(catalogue[name]),
            }
        )
    return rows


def _benchmarks(registry: Any) -> Rows:
    keys = ("title", "splits", "scorers", "autoraters", "licence", "attribution", "url")
    return _from(registry.benchmarks, lambda b: {k: getattr(b, k) for k in keys})


def _configurations(registry: Any) -> Rows:
    keys = ("title", "planner", "executor", "disclosure", "skills", "tools", "guidance")
    return _from(registry.configurations, lambda c: {k: getattr(c, k) for k in keys})


def _models(registry: Any) -> Rows:
    return _from(
        registry.model_families, lambda f: {"title": f.title, "example": f.example, "missing": f.missing()}
    )


def _skills(registry: Any) -> Rows:
    sources = _sources_of(registry)
    return _from(
        registry.skills,
        lambda s: {
            "description": s.description,
            "tools": [t.name for t in s.tools],
            "missing": _missing(s.tools, sources),
        },
    )


def _tools(registry: Any) -> Rows:
    from gra_core import dump

    return _from(
        registry.tools,
        lambda t: {
            "skill": t.skill,
            "description": t.description,
            "parameters": t.parameters,
            "card": dump(t.card),
        },
    )


def _sources(registry: Any) -> Rows:
    from gra_core import dump

    rows = _from(registry.source_catalogue, lambda s: {"kind": s.kind, **dump(s), "missing": s.missing()})
    return [{k: v for k, v in row.items() if k != "factory"} for row in rows]


def _titles(kind: str) -> Callable[[Any], Rows]:
    return lambda registry: _from(getattr(registry, kind), lambda v: {"title": v.title})


def _guidance(registry: Any) -> Rows:
    return _from(
        registry.guidance,
        lambda r: {
            "title": r.title,
            "when": r.when,
            "enforced": bool(r.guard or r.review),
            "instruction": r.instruction,
        },
    )


def _scorers(registry: Any) -> Rows:
    scorers = _from(registry.scorers, lambda s: {"title": s.title, "needs_judge": False})
    return scorers + _from(
        registry.autoraters, lambda a: {"title": a.title, "needs_judge": True, "passes": a.passes}
    )


def _plugins(registry: Any) -> Rows:
    for kind in KINDS:
        if kind != "plugins":
            KINDS[kind][0](registry)
    broken = {f.plugin for f in registry.plugins.failures}
    active = [
        {
            "name": r.name,
            "plugin": r.name,
            "distribution": r.distribution,
            "version": r.version,
            "status": "active",
        }
        for _, r in sorted(registry.plugins.records.items())
        if r not in broken
    ]
    failed = [
        {
            "name": f.plugin.name,
            "plugin": f.plugin.name,
            "distribution": f.plugin.distribution,
            "version": f.plugin.version,
            "status": f.cause,
        }
        for f in registry.plugins.failures
    ]
    return active + failed


def _sources_of(registry: Any) -> Any:
    from gra_core import Sources

    return Sources(registry)


def _missing(tools: Any, sources: Any) -> list[str]:
    """Why a skill cannot work here: empty as soon as one of its tools can."""
    reasons: dict[str, None] = {}
    for tool in tools:
        faults = list(_tool_faults(tool, sources))
        if not faults:
            return []
        reasons.update(dict.fromkeys(faults))
    return list(reasons)


def _tool_faults(tool: Any, sources: Any) -> Iterator[str]:
    from gra_core import ToolError

    for kind in tool.card.sources:
        if not kind.endswith("?"):
            try:
                sources.choose(kind)
            except ToolError as error:
                yield error.message


# Kind to its rows and the columns that the plain table shows.
KINDS: dict[str, tuple[Callable[[Any], Rows], list[str]]] = {
    "benchmarks": (_benchmarks, ["name", "title", "licence", "attribution", "distribution"]),
    "configurations": (_configurations, ["name", "title", "planner", "executor", "distribution"]),
    "models": (_models, ["name", "title", "example", "missing", "distribution"]),
    "skills": (_skills, ["name", "description", "missing", "distribution"]),
    "tools": (_tools, ["name", "skill", "distribution"]),
    "sources": (_sources, ["kind", "name", "title", "licence", "missing", "distribution"]),
    "planners": (_titles("planners"), ["name", "title", "distribution"]),
    "executors": (_titles("executors"), ["name", "title", "distribution"]),
    "guidance": (_guidance, ["name", "title", "enforced", "distribution"]),
    "scorers": (_scorers, ["name", "title", "needs_judge", "distribution"]),
    "plugins": (_plugins, ["name", "distribution", "version", "status"]),
}


@click.command(short_help="List what the active plugins provide.")
@click.argument("kind", type=click.Choice(list(KINDS)))
@plugin_options
@json_option
def command(kind: str, on: tuple[str, ...], off: tuple[str, ...], as_json: bool) -> int:
    """List what the active plugins provide, with the plugin and distribution it comes from."""
    from gra_bench.tables import print_rows
    from gra_bench.workbench import Workbench

    registry = Workbench(on=on, off=off).registry
    rows, columns = KINDS[kind][0](registry), KINDS[kind][1]
    if as_json:
        print_json({kind: rows})
    else:
        print_rows(rows, columns)
    for failure in registry.plugins.failures:
        click.echo(f"Warning: {failure}", err=True)
    return 0
