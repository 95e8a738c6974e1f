"""Statistical variables as tools show them, and exact ones looked up by id."""

from __future__ import annotations

from typing import Any

from gra_core import Column, ToolContext, ToolError
from gra_geo.frames import plain
from gra_geo.protocols import VARIABLE_COLUMNS

QUANTITIES = ("count", "rate", "intensive", "class")


def shown(row: dict[str, Any]) -> dict[str, Any]:
    """The known facts of a variable, JSON-ready."""
    facts = {key: plain(row.get(key)) for key in VARIABLE_COLUMNS}
    if facts["regions"] is not None:
        facts["regions"] = int(facts["regions"])
    return {k: v for k, v in facts.items() if v not in (None, "")}


def exact_variables(ctx: ToolContext, variables: list[str]) -> dict[str, dict[str, Any]]:
    """Variable to its facts; ``not_found`` names those that do not exist, with near ones."""
    source = ctx.source("statistics")
    found: dict[str, dict[str, Any]] = {}
    near: dict[str, list[str]] = {}
    for variable in dict.fromkeys(variables):
        rows = source.variables(query=variable, limit=10).to_dict("records")
        row = next((r for r in rows if r["variable"] == variable), None)
        if row is None:
            near[variable] = [f"{r['variable']} ({r['title']})" for r in rows[:5]]
        else:
            found[variable] = shown(row)
    if near:
        hints = "; ".join(f"near {name!r}: {', '.join(options)}" for name, options in near.items() if options)
        raise ToolError(
            "not_found", f"source {source.name} has no variable {', '.join(map(repr, near))}",
            hint=hints or "find variables with search_variables and give their ids",
        )  # fmt: skip
    return found


def column_of(facts: dict[str, Any], unit: str = "") -> Column:
    """The description of a dataset column that holds a variable's values."""
    quantity = facts.get("quantity")
    return Column(
        unit=unit or facts.get("unit", ""),
        quantity=quantity if quantity in QUANTITIES else None,
        description=facts.get("title", ""),
    )


def facet_rows(frame: Any) -> list[dict[str, Any]]:
    """Facets of one variable over places: preferred first, with the number of places and the span of dates."""
    rows: dict[str, dict[str, Any]] = {}
    for row in frame.to_dict("records"):
        kept = rows.setdefault(
            row["facet"],
            {k: row[k] for k in ("facet", "source", "method", "period", "unit", "first", "last") if row[k]}
            | {"places": 0},
        )
        kept["places"] += 1
        kept["first"] = min(kept.get("first", row["first"]), row["first"])
        kept["last"] = max(kept.get("last", row["last"]), row["last"])
    return list(rows.values())
