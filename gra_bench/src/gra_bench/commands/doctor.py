"""`gra-bench doctor`."""

from __future__ import annotations

import platform
from typing import Any

import click

from gra_bench.options import json_option, print_json


@click.command(short_help="Tell what works here and what is missing.")
@json_option
def command(as_json: bool) -> int:
    """Tell what works with the present keys and files, and what is missing. Exit code 1 when a plugin is broken."""
    from gra_bench.commands.list import KINDS
    from gra_bench.tables import print_rows
    from gra_bench.workbench import Workbench

    registry = Workbench().registry
    found = {kind: KINDS[kind][0](registry) for kind in ("skills", "sources", "models")}
    sections: dict[str, list[dict[str, Any]]] = {
        kind: [
            {
                "name": f"{r['kind']}={r['name']}" if kind == "sources" else r["name"],
                "status": "; ".join(r["missing"]) or "ready",
            }
            for r in rows
        ]
        for kind, rows in found.items()
    }
    sections["sandboxes"] = [
        {"name": name, "status": sandbox_status(registry.sandboxes[name])} for name in registry.sandboxes
    ]
    sections["plugins"] = [{"name": r["name"], "status": r["status"]} for r in KINDS["plugins"][0](registry)]
    system = {"python": platform.python_version(), "system": platform.platform()}
    if as_json:
        print_json({"system": system, **sections})
    else:
        click.echo(f"Python {system['python']} on {system['system']}")
        for kind, rows in sections.items():
            click.echo(f"\n{kind.capitalize()}")
            print_rows(rows, ["name", "status"])
    return 1 if registry.plugins.failures else 0


def sandbox_status(sandbox: Any) -> str:
    """Whether a sandbox works on this machine."""
    if not sandbox.isolating:
        return "unprotected: only with --sandbox " + sandbox.name
    return sandbox.missing() or "ready"
