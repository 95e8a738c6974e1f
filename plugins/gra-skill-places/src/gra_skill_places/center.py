"""Where a named place is: one centre when the name leaves no doubt, candidates otherwise."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from attrs import evolve, frozen

from gra_core import ToolContext
from gra_geo.geodesy import distances
from gra_skill_places.folding import fold
from gra_skill_places.kinds import types_known
from gra_skill_places.qualifiers import Qualifier, qualifier_of
from gra_skill_places.search import ALL, ordered

WHOLE = ("exact", "alias")
SAME_KM = 1.0  # one thing mapped twice
TOWN_KM = 50.0  # an airport or suburb that carries the name of the place it serves
CODE_AT_END = re.compile(r"^(.*\S)\s+([A-Z]{2,3})$")


@frozen(kw_only=True)
class Located:
    """Candidates in order, the first of them certain or not, and notes on how the name was read."""

    frame: pd.DataFrame
    certain: bool = False
    notes: tuple[str, ...] = ()


def locate(ctx: ToolContext, name: str, near: str | list[float], types: list[str] | None) -> Located:
    """Candidates for a name, narrowed by `near` and by qualifiers in the name itself ("Newcastle, UK", "Portland OR")."""
    source = ctx.source("places")
    kinds = types_known(types, source.types())
    qualifiers = [qualifier_of(ctx, near)] if near else []
    found = _search(source, name, kinds, qualifiers)
    head, text = _split(name)
    while found.frame.empty or not found.frame["match"].isin(WHOLE).any():
        if not head:
            break
        qualifiers = [*qualifiers, qualifier_of(ctx, text)]
        narrowed = _search(source, head, kinds, qualifiers)
        found = narrowed if not narrowed.frame.empty else found
        head, text = _split(head)
    return evolve(_decided(found), notes=(*(q.note for q in qualifiers), *_decided(found).notes))


def _split(name: str) -> tuple[str, str]:
    """A name and its last qualifier: what follows the last comma, or a code in capitals at the end."""
    head, comma, text = name.rpartition(",")
    if comma:
        return head.strip(), text.strip()
    match = CODE_AT_END.match(name.strip())
    return (match[1], match[2]) if match else ("", "")


def _search(source: Any, name: str, types: list[str], qualifiers: list[Qualifier]) -> Located:
    """Places of a name that satisfy all qualifiers, those whose whole name fits first, the most populous first."""
    countries = {q.country for q in qualifiers if q.country}
    if len(countries) > 1:
        return Located(frame=_empty())
    asked: dict[str, Any] = {"text": name.strip(), "limit": ALL if not source.declaration.live else 60}
    if types:
        asked["types"] = types
    if countries:
        asked["country"] = countries.pop()
    frame = source.search(**asked)
    keep = np.logical_and.reduce([np.ones(len(frame), dtype=bool), *(q.keeps(frame) for q in qualifiers)])
    kept = frame[keep]
    return Located(
        frame=ordered(kept, "best") if len(kept) else _empty(), notes=tuple(frame.attrs.get("notes", ()))
    )


def _decided(found: Located) -> Located:
    """Whether the first candidate is the one meant."""
    frame = found.frame
    whole = frame[frame["match"].isin(WHOLE)]
    if whole.empty:
        return found
    whole = whole.iloc[np.argsort(-pd.to_numeric(whole["population"]).fillna(-1).to_numpy(), kind="stable")]
    exact = whole[whole["match"] == "exact"]
    if len(whole) == 1:
        return evolve(found, frame=whole, certain=True)
    if (
        exact["name"].map(fold).nunique() == 1
        and _apart_km(exact) <= SAME_KM
        and _apart_km(pd.concat([exact.head(1), whole])) <= TOWN_KM
    ):
        others = "; ".join(
            f"{r.name} ({r.type}, {r.place_id})"
            for r in whole.drop(exact.index[0]).head(5).itertuples(index=False)
        )
        return evolve(
            found,
            frame=exact.head(1),
            certain=True,
            notes=(*found.notes, f"close by and also of that name: {others}"),
        )
    return evolve(found, frame=whole.reset_index(drop=True))


def _apart_km(places: pd.DataFrame) -> float:
    """Distance from the first place to the farthest other."""
    at = places[["lon", "lat"]].to_numpy(float)
    return float(distances(at[:1], at).max()) / 1000


def _empty() -> pd.DataFrame:
    return pd.DataFrame({"match": pd.Series(dtype=str), "population": pd.Series(dtype=float)})
