"""From names to regions: candidates when several fit, never a guess."""

from __future__ import annotations

from typing import Any

import pandas as pd
from attrs import frozen

from gra_core import ToolError
from gra_geo.lookup import meant
from gra_geo.names import LEVEL_WORDS, RANK, WHOLE, is_id, split_qualifier
from gra_skill_admin_boundaries.codes import by_code
from gra_skill_admin_boundaries.levels import level_named

MANY = 10_000
FURTHER = 5


@frozen(kw_only=True)
class Candidates:
    """Regions that fit a request, best first: `frame` has the source's columns, `more` says that the list is cut."""

    frame: pd.DataFrame
    more: bool = False
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> pd.DataFrame:
        """The candidates that fit as well as the first one."""
        if self.frame.empty or "match" not in self.frame:
            return self.frame
        return self.frame[self.frame["match"] == self.frame["match"].iloc[0]]

    @property
    def all_whole(self) -> pd.DataFrame:
        """The candidates whose whole name, other name or code fits."""
        return self.frame[self.frame["match"].isin(WHOLE)] if "match" in self.frame else self.frame.iloc[:0]

    @property
    def whole(self) -> pd.DataFrame:
        """The best of those: regions of that very name, else regions that have it as another name or code."""
        return meant(self.all_whole)


def find(
    source: Any, *, name: str = "", level: str = "", country: str = "", parent: str = "", limit: int = 20
) -> Candidates:
    """Candidates for a name and/or a place in the hierarchy.

    `country` is a name or an ISO code, `parent` a region id or a name. A name with qualifiers ("Orange County, CA",
    "Georgia (country)") is looked up whole first, then inside or on the level that the last qualifier names.
    """
    name = name.strip()
    notes: list[str] = []
    level = level_named(level, source.levels())
    if country:
        country = country_code(source, country)
    if parent:
        parent, notes = region_id(source, parent)
    found = Candidates(
        frame=source.find(name=name, level=level, country=country, parent=parent, limit=limit + 1)
    )
    if found.whole.empty and (read := _qualified(source, name, level, country, parent, limit + 1)):
        found, note = read
        notes = [*notes, note]
    if name and found.all_whole.empty and len(coded := _coded(source, name, level, country)):
        found = Candidates(frame=coded)
    frame, whole = found.frame, len(found.all_whole)
    # Beside regions of the whole name, those that only contain it are mostly noise ("UK": Dukes County).
    frame = frame.head(whole + FURTHER) if whole else frame
    return Candidates(
        frame=frame.head(limit).reset_index(drop=True), more=len(frame) > limit, notes=tuple(notes)
    )


def region_id(source: Any, text: str) -> tuple[str, list[str]]:
    """The id of the one region that an id or a name means, and a note when it was a name.

    `ToolError` ``not_found`` when nothing has the name, ``bad_argument`` with the candidates when several have it
    (a region of that very name comes before regions that only have it as another name).
    """
    text = text.strip()
    if is_id(text):
        return text, []
    found = find(source, name=text, limit=MANY).whole
    if found.empty:
        raise ToolError(
            "not_found",
            f"no region is named {text!r}",
            hint="look it up with find_regions, or give a region id such as geoId/31",
        )
    if len(found) > 1:
        raise ToolError(
            "bad_argument", f"{text!r} names {len(found)} regions", hint=f"give one id: {listed(found)}"
        )
    row = found.iloc[0]
    return str(row["region_id"]), [f"{text!r} was read as {row['name']} ({row['region_id']})"]


def country_code(source: Any, text: str) -> str:
    """ISO alpha-3 code of a country given by name or code. Where a source has no record of the country itself, a code
    that its regions carry is enough."""
    text = text.strip().removeprefix("country/")
    if "country" in source.levels():
        found = Candidates(frame=source.find(name=text, level="country", limit=MANY)).whole
        if len(found) == 1:
            return str(found["country"].iloc[0])
        if len(found) > 1:
            raise ToolError(
                "bad_argument",
                f"{text!r} names {len(found)} countries",
                hint=f"give an ISO code: {listed(found)}",
            )
    if len(source.find(country=text.upper(), limit=1)):
        return text.upper()
    raise ToolError(
        "not_found",
        f"no country is named {text!r}",
        hint="give its English name or its ISO 3166 code, such as BRA",
    )


def listed(frame: pd.DataFrame, limit: int = 8) -> str:
    """Regions as text: id, name, level and parent."""
    rows = [
        f"{r.region_id} ({r.name}, {r.level} in {r.parent_name})"
        for r in frame.head(limit).itertuples(index=False)
    ]
    return ", ".join(rows) + (f" and {len(frame) - limit} more" if len(frame) > limit else "")


def _coded(source: Any, name: str, level: str, country: str) -> pd.DataFrame:
    frame = by_code(source, name)
    for column, wanted in (("level", level), ("country", country)):
        frame = frame[frame[column] == wanted] if wanted and len(frame) else frame
    return frame


def _qualified(
    source: Any, name: str, level: str, country: str, parent: str, limit: int
) -> tuple[Candidates, str] | None:
    """The candidates for a name without its last qualifier, and how the name was read."""
    head, qualifier = split_qualifier(name)
    word = LEVEL_WORDS.get(qualifier.casefold(), "")
    if not qualifier or (word and (word not in source.levels() or level not in ("", word))):
        return None
    if word:
        found = source.find(name=head, level=word, country=country, parent=parent, limit=limit)
        note = f"{name!r} was read as {head!r} of level {word}"
    else:
        found = _inside(source, head, qualifier, level=level, country=country, parent=parent, limit=limit)
        note = f"{name!r} was read as {head!r} inside {qualifier!r}"
    return None if found.empty else (Candidates(frame=found), note)


def _inside(
    source: Any, head: str, qualifier: str, *, level: str, country: str, parent: str, limit: int
) -> pd.DataFrame:
    """Candidates for `head` inside every region that the qualifier names ("Georgia" is a country and a state)."""
    parents = find(source, name=qualifier, country=country, parent=parent, limit=MANY).whole
    found = [
        find(source, name=head, level=level, country=country, parent=pid, limit=limit).frame
        for pid in parents.get("region_id", ())
    ]
    found = [frame for frame in found if not frame.empty]
    if not found:
        return pd.DataFrame()
    together = pd.concat(found, ignore_index=True).drop_duplicates("region_id")
    return together.sort_values("match", key=lambda match: match.map(RANK), kind="stable")
