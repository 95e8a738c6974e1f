"""Places given to a tool: ids, names or a dataset, made into region ids."""

from __future__ import annotations

from typing import Any

from gra_core import ToolContext, ToolError
from gra_geo.names import is_id
from gra_skill_data_commons.names import NameResolver, Resolution

MAX_PLACES = 5000


def read_places(ctx: ToolContext, places: str | list[str]) -> tuple[list[str], list[str]]:
    """Region ids, in order and without repeats, and notes on how names were read.

    `places` is one place, a list of ids and names, or a dataset with a column ``region_id``. A name that is not
    unique raises ``bad_argument`` with its candidates.
    """
    given = _from_dataset(ctx, places) if isinstance(places, str) and places.startswith("ds://") else places
    given = [given] if isinstance(given, str) else list(given)
    if not given or any(not p.strip() for p in given):
        raise ToolError(
            "bad_argument",
            "places: expected at least one region id or name",
            hint="such as country/FRA or geoId/31",
        )
    if len(set(given)) > MAX_PLACES:
        raise ToolError(
            "bad_argument",
            f"{len(set(given))} places, at most {MAX_PLACES} a call",
            hint="use get_stat_table with a parent",
        )
    texts = list(dict.fromkeys(p.strip() for p in given))
    ids, notes = {}, []
    for text in texts:
        if is_id(text):
            ids[text] = text
        elif text.isdigit():
            ids[text] = _from_fips(text)
            notes.append(f"{text} read as {ids[text]}")
    if names := [t for t in texts if t not in ids]:
        for resolution in NameResolver(ctx).resolve(names):
            found = only(resolution)
            ids[resolution.name] = found["region_id"]
            notes.append(f"{resolution.name!r} read as {found['region_id']} ({found['region_name']})")
    return list(dict.fromkeys(ids[t] for t in texts)), notes


def _from_fips(text: str) -> str:
    if len(text) in (2, 5, 11):
        return f"geoId/{text}"
    raise ToolError(
        "bad_argument", f"{text} is no FIPS code: states have 2 digits, counties 5, tracts 11",
        hint="keep leading zeros (geoId/06, geoId/06085), or give names",
    )  # fmt: skip


def only(resolution: Resolution) -> dict[str, Any]:
    """The one candidate of a name; `ToolError` with the candidates when there is not exactly one."""
    if resolution.status == "unique":
        return resolution.best[0]
    shown = "; ".join(describe(c) for c in (resolution.best or resolution.candidates)[:12])
    if cities := ", ".join(
        f"{s['name']} in {s.get('admin1', '')} {s['country']}" for s in resolution.namesakes[:5]
    ):
        shown += f"; settlements without statistics here: {cities}"
    if resolution.status == "not_found":
        raise ToolError(
            "not_found", f"no place {resolution.name!r}" + (f": {resolution.note}" if resolution.note else ""),
            hint="check the spelling with resolve_places, or give a region id",
        )  # fmt: skip
    reason = (
        "may mean several places" if resolution.status == "ambiguous" else "is not the whole name of a place"
    )
    raise ToolError("bad_argument", f"{resolution.name!r} {reason}", hint=f"give one of these ids: {shown}")


def describe(candidate: dict[str, Any]) -> str:
    """A candidate on one line: id, name, level, what contains it."""
    where = candidate.get("parent_name") or candidate.get("country")
    facts = ", ".join(str(f) for f in (candidate["region_name"], candidate.get("place_type"), where) if f)
    return f"{candidate['region_id']} ({facts})"


def _from_dataset(ctx: ToolContext, ref: str) -> list[str]:
    table = ctx.load(ref)
    if not hasattr(table, "columns") or "region_id" not in table.columns:
        columns = ", ".join(map(str, getattr(table, "columns", []))) or "no columns"
        raise ToolError(
            "bad_argument",
            f"{ref} has no column region_id (it has {columns})",
            hint="give a dataset of regions, or ids",
        )
    return [str(value) for value in table["region_id"].dropna().unique()]
