"""Where a named place is: one centre when the name leaves no doubt, candidates otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from attrs import evolve, field, frozen

from gra_core import ToolContext, ToolError
from gra_geo.geodesy import distances
from gra_geo.names import WHOLE, fold, split_qualifier
from gra_skill_places.kinds import types_known
from gra_skill_places.qualifiers import Near, Qualifier, qualifier_of
from gra_skill_places.search import ALL, ordered

SAME_KM = 1.0  # one thing mapped twice
TOWN_KM = 50.0  # an airport or suburb that carries the name of the place it serves
TIMES = 10  # a place of the very name this much larger than all that have it as another name is the one meant
LIVE_POOL = 60


@frozen(kw_only=True)
class Located:
    """Candidates in order: the one meant when `certain`, else all that fit, with the `reason` for the doubt."""

    frame: pd.DataFrame
    certain: bool = False
    reason: str = ""
    notes: list[str] = field(factory=list)


def locate(ctx: ToolContext, name: str, near: str | list[float], types: list[str] | None) -> Located:
    """Candidates for a name, narrowed by `near` and by qualifiers in the name itself ("Newcastle, UK", "Portland OR").

    The name is tried whole first, then without its last qualifier, and so on. One place is certain when it is the only
    one that has the whole name, or the only one of that very name and either all others that have it as another name lie
    within `TOWN_KM` or are smaller than a tenth of it.
    """
    source = ctx.source("places")
    kinds = types_known(types, source.types())
    partial = Located(frame=pd.DataFrame())
    for head, qualifiers in _readings(ctx, name, [qualifier_of(ctx, near)] if near else []):
        found, elsewhere = _search(source, head, kinds, qualifiers)
        if len(found.frame) and found.frame["match"].isin(WHOLE).any():
            return _decided(found)
        partial = partial if len(partial.frame) or found.frame.empty else found
    return partial if len(partial.frame) else elsewhere


def _readings(
    ctx: ToolContext, name: str, qualifiers: list[Qualifier]
) -> Iterator[tuple[str, list[Qualifier]]]:
    """Ways to read a name, looked up only as far as they are needed: whole, then with its last part as a qualifier.

    What follows a comma must be known; a bracket or a few capitals that are not may well belong to the name.
    """
    yield name, qualifiers
    head, text = split_qualifier(name)
    if not text:
        return
    try:
        qualifier = qualifier_of(ctx, text)
    except ToolError as error:
        if error.kind != "not_found" or "," in name:
            raise
        return
    yield from _readings(ctx, head, [*qualifiers, qualifier])


def _search(source: Any, name: str, types: list[str], qualifiers: list[Qualifier]) -> tuple[Located, Located]:
    """Places of a name that satisfy all qualifiers, best first; and those of the whole name that do not."""
    countries = {q.country for q in qualifiers if q.country}
    asked: dict[str, Any] = {"text": name, "limit": LIVE_POOL if source.declaration.live else ALL}
    if types:
        asked["types"] = types
    if source.declaration.live and len(countries) == 1:
        asked["country"] = countries.pop()
    frame = source.search(**asked)
    notes = [*(q.note for q in qualifiers), *frame.attrs.get("notes", [])]
    fits = np.logical_and.reduce([np.ones(len(frame), dtype=bool), *(q.keeps(frame) for q in qualifiers)])
    kept = ordered(frame[fits], "best")
    reason = "no place has exactly this name"
    return Located(frame=kept, reason=reason, notes=notes), _elsewhere(frame[~fits], qualifiers, notes)


def _elsewhere(frame: pd.DataFrame, qualifiers: list[Qualifier], notes: list[str]) -> Located:
    """Places of the whole name outside the qualifiers, with their distance from a point to be near to."""
    frame = frame[frame["match"].isin(WHOLE)] if "match" in frame else frame.iloc[:0]
    frame = ordered(frame, "population", missing_ok=True)
    points = [q for q in qualifiers if isinstance(q, Near)]
    if points and len(frame):
        frame = frame.assign(distance_km=points[0].km(frame).round(1)).sort_values(
            "distance_km", kind="stable"
        )
    where = " and ".join(q.where for q in qualifiers)
    return Located(
        frame=frame.reset_index(drop=True), reason=f"no place of this name lies {where}", notes=notes
    )


def _decided(found: Located) -> Located:
    """Whether the first candidate is the one meant."""
    whole = ordered(found.frame[found.frame["match"].isin(WHOLE)], "population", missing_ok=True)
    exact = whole[whole["match"] == "exact"]
    if len(whole) == 1:
        return evolve(found, frame=whole, certain=True)
    if len(exact) and _apart_km(exact, exact) <= SAME_KM and exact["name"].map(fold).nunique() == 1:
        first, others = exact.head(1), whole.drop(exact.index)
        if _apart_km(first, others) <= TOWN_KM or _dwarfs(first, others):
            return evolve(
                found, frame=first, certain=True, notes=[*found.notes, *_also(whole.drop(first.index))]
            )
    return evolve(found, frame=whole, reason="several places have this name")


def _apart_km(first: pd.DataFrame, others: pd.DataFrame) -> float:
    """Distance from the first place to the farthest of the others; 0 when there are none."""
    if others.empty:
        return 0.0
    columns = ["lon", "lat"]
    return float(distances(first[columns].to_numpy(float)[:1], others[columns].to_numpy(float)).max()) / 1000


def _dwarfs(first: pd.DataFrame, others: pd.DataFrame) -> bool:
    people = pd.to_numeric(first["population"]).iloc[0]
    return bool(people > 0 and people >= TIMES * pd.to_numeric(others["population"]).max())


def _also(others: pd.DataFrame) -> list[str]:
    listed = [
        f"{r.name} ({r.type} in {r.country}, {r.place_id})" for r in others.head(5).itertuples(index=False)
    ]
    more = f" and {len(others) - 5} more" if len(others) > 5 else ""
    return [f"smaller or close by, and also of that name: {'; '.join(listed)}{more}"] if listed else []
