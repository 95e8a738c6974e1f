"""Search for places: asked of a source, narrowed and ordered here."""

from __future__ import annotations

from typing import Any

import pandas as pd
from attrs import frozen

from gra_core import ToolError
from gra_geo.names import RANK
from gra_skill_places.area import Area
from gra_skill_places.kinds import types_known
from gra_skill_places.membership import memberships

ALL = 1_000_000
LIVE_POOL = 300  # how many a live source is asked for when the best few of them are chosen here


@frozen(kw_only=True)
class Wish:
    """What is searched for."""

    text: str = ""
    types: tuple[str, ...] = ()
    min_rating: float = 0.0
    min_population: int = 0

    def __str__(self) -> str:
        parts = [" or ".join(self.types) or "places", f"matching {self.text!r}" if self.text else ""]
        parts += [f"rated at least {self.min_rating:g}" if self.min_rating else ""]
        parts += [f"with at least {self.min_population} people" if self.min_population else ""]
        return " ".join(part for part in parts if part)


@frozen(kw_only=True)
class Hits:
    """All places found, in order; `complete` is false when the source may have more."""

    frame: pd.DataFrame
    complete: bool
    notes: list[str]


def search(source: Any, wish: Wish, *, area: Area | None, limit: int, sort_by: str) -> Hits:
    """Places that fit a wish inside an area (or anywhere), ordered by `sort_by`, every one that the source gives.

    Embedded sources are asked for everything around the area, and `memberships` decides; live ones for the exact area
    and only as many as needed.
    """
    live = source.declaration.live
    chooses = wish.min_rating > 0 or sort_by in ("population", "rating", "name")
    wanted = ALL if not live else max(limit, LIVE_POOL) if chooses else limit
    asked: dict[str, Any] = {
        "text": wish.text,
        "types": types_known(list(wish.types), source.types()),
        "limit": wanted,
    }
    if wish.min_population:
        asked["min_population"] = wish.min_population
    if area is not None:
        asked |= (
            {"country": area.country} if area.country else {"area": area.exact() if live else area.around()}
        )
    frame = source.search(**{key: value for key, value in asked.items() if value})
    total, notes = frame.attrs.get("total", len(frame)), list(frame.attrs.get("notes", []))
    complete = len(frame) >= total and not notes
    if area is not None and not area.country:
        frame = frame.iloc[memberships(frame, area.regions)["place"].unique()]
    return Hits(frame=ordered(_rated(frame, wish.min_rating), sort_by), complete=complete, notes=notes)


def _rated(frame: pd.DataFrame, least: float) -> pd.DataFrame:
    if not least:
        return frame
    if "rating" not in frame:
        raise ToolError(
            "not_available",
            "this source of places has no ratings",
            hint="leave out min_rating, or choose google-places",
        )
    return frame[frame["rating"] >= least]


def ordered(frame: pd.DataFrame, sort_by: str, *, missing_ok: bool = False) -> pd.DataFrame:
    """Rows by ``best`` (how the name fits, then population), ``population``, ``rating`` (both downwards) or ``name``.

    Missing values come last, ties go by name and id. Populations become whole numbers. `ToolError` ``not_available``
    when there is nothing to sort by, unless `missing_ok`.
    """
    needed = sort_by in ("population", "rating") and len(frame) > 0 and not missing_ok
    if needed and (sort_by not in frame or frame[sort_by].isna().all()):
        raise ToolError(
            "not_available",
            f"these places have no {sort_by} to sort by",
            hint="sort by best or name, or choose other types",
        )
    frame = frame.assign(population=_people(frame))
    keys = pd.DataFrame(
        {"name": frame["name"].astype(str).str.casefold(), "id": frame["place_id"]}, index=frame.index
    )
    if sort_by in ("best", "population"):
        keys.insert(0, "population", -frame["population"])
    if sort_by == "rating":
        keys.insert(0, "rating", -pd.to_numeric(frame["rating"]))
    if sort_by == "best" and "match" in frame:
        keys.insert(0, "match", frame["match"].map(RANK))
    order = keys.sort_values(list(keys.columns), kind="stable", na_position="last").index
    return frame.loc[order].reset_index(drop=True)


def _people(frame: pd.DataFrame) -> pd.Series:
    missing = pd.Series([None] * len(frame), index=frame.index)
    return pd.to_numeric(frame.get("population", missing)).astype("Int64")
