"""One date of several variables for many regions: a wide table, and what stands out in it."""

from __future__ import annotations

import statistics
from typing import Any

import pandas as pd
from attrs import frozen

from gra_core import Column, ToolContext, ToolError
from gra_skill_data_commons.variables import column_of

MISSING_SHOWN = 20


@frozen(kw_only=True)
class StatTable:
    """`wide` has one row a region: region_id, region_name, a column a variable, and ``<variable> date``."""

    wide: pd.DataFrame
    columns: dict[str, Column]
    summaries: list[dict[str, Any]]
    notes: list[str]


def members_of(ctx: ToolContext, parent: str, child_type: str) -> dict[str, str] | None:
    """Id to name of every region of a level inside a parent; None when no source can list them."""
    source = ctx.source("statistics")
    if source.offers("members"):
        frame = source.members(parent=parent, child_level=child_type)
        return dict(zip(frame["region_id"], frame["region_name"], strict=True))
    try:
        frame = ctx.source("boundaries").children(parent_id=parent, level=child_type)
    except ToolError:
        return None
    return dict(zip(frame["region_id"], frame["name"], strict=True))


def build_table(
    values: pd.DataFrame, variables: dict[str, dict[str, Any]], members: dict[str, str] | None, limit: int
) -> StatTable:
    """Arrange the values of `StatisticsSource.values`. `members` are all the regions that were asked for."""
    names = dict(zip(values["region_id"], values["region_name"], strict=True))
    regions = (members or {}) | names
    order = sorted(regions, key=lambda r: (str(regions[r]), r))
    wide = pd.DataFrame({"region_id": order, "region_name": [regions[r] for r in order]})
    columns = {"region_id": Column(description="Data Commons id")}
    summaries, notes = [], []
    for variable, facts in variables.items():
        rows = values[values["variable"] == variable].drop_duplicates("region_id")
        unit = _one_unit(variable, rows)
        by_region = rows.set_index("region_id")
        wide[variable] = wide["region_id"].map(by_region["value"]).astype("float64")
        wide[f"{variable} date"] = wide["region_id"].map(by_region["date"])
        columns[variable] = column_of(facts, unit)
        summaries.append(_summary(facts, rows, unit, members, limit))
        notes += _notes(variable, rows, values.attrs.get("other_facets", {}).get(variable, []), regions)
    return StatTable(wide=wide, columns=columns, summaries=summaries, notes=notes)


def _one_unit(variable: str, rows: pd.DataFrame) -> str:
    units = sorted({str(u) for u in rows["unit"].dropna()} - {""})
    if len(units) > 1:
        raise ToolError(
            "upstream", f"{variable} comes in several units ({', '.join(units)}) that cannot be compared",
            hint="choose one facet (describe_variables lists them)",
        )  # fmt: skip
    return units[0] if units else ""


def _summary(
    facts: dict[str, Any], rows: pd.DataFrame, unit: str, members: dict[str, str] | None, limit: int
) -> dict[str, Any]:
    records = rows.to_dict("records")
    ranked = sorted(records, key=lambda r: (-r["value"], str(r["region_name"]), r["region_id"]))
    rising = sorted(records, key=lambda r: (r["value"], str(r["region_name"]), r["region_id"]))
    numbers = [r["value"] for r in ranked]
    missing = sorted((str(name), r) for r, name in (members or {}).items() if r not in set(rows["region_id"]))
    content: dict[str, Any] = {k: facts[k] for k in ("variable", "title", "quantity") if k in facts}
    content |= {"unit": unit or facts.get("unit", ""), "regions_with_value": len(ranked)}
    if ranked:
        content |= {
            "facet": ranked[0]["facet"], "source": ranked[0]["source"],
            "dates": {"first": min(r["date"] for r in ranked), "last": max(r["date"] for r in ranked)},
            "min": plain(numbers[-1]), "median": plain(statistics.median(numbers)), "max": plain(numbers[0]),
        }  # fmt: skip
        if facts.get("quantity") == "count":
            content["total"] = plain(sum(numbers))
    if len(ranked) <= 2 * limit:
        content["rows"] = [_row(r) for r in ranked]
    else:
        content |= {
            "top": [_row(r) for r in ranked[:limit]],
            "bottom": [_row(r) for r in rising[:limit]],
        }
    if members is None:
        content["regions_missing"] = None
    else:
        content |= {
            "regions_missing": len(missing),
            "missing": [{"region_id": r, "name": n} for n, r in missing[:MISSING_SHOWN]],
        }
    return content


def _row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "region_id": row["region_id"],
        "name": row["region_name"],
        "value": plain(row["value"]),
        "date": row["date"],
    }


def _notes(variable: str, rows: pd.DataFrame, others: list[str], regions: dict[str, str]) -> list[str]:
    notes = []
    if (count := rows["date"].nunique()) > 1:
        spans = rows["date"].value_counts().sort_index()
        shown = ", ".join(f"{date}: {n} regions" for date, n in spans.tail(6).items())
        notes.append(
            f"{variable}: the regions' values are of {count} different dates ({shown}); compare with care"
        )
    if others:
        shown = ", ".join(str(regions.get(r, r)) for r in others[:10])
        notes.append(
            f"{variable}: {len(others)} regions have values in other facets only and count as missing ({shown})"
        )
    return notes


def plain(value: float) -> int | float:
    """A Python number; whole ones as integers."""
    value = float(value)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
