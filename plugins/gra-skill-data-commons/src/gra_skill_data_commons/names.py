"""Which places names mean, with their qualifiers: "Newcastle, UK", "Springfield, Illinois, USA", "Georgia (country)"."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from gra_core import ToolContext, ToolError
from gra_geo.names import WHOLE, PlaceName, is_id

LARGE_CITY = 100_000


@frozen(kw_only=True)
class Resolution:
    """Candidates for one name. `settlements` are places of that name that the statistics do not know; `note` says why
    nothing was found."""

    name: str
    candidates: list[dict[str, Any]] = field(factory=list)
    settlements: list[dict[str, Any]] = field(factory=list)
    note: str = ""

    @property
    def best(self) -> list[dict[str, Any]]:
        """The candidates whose whole name or other name matches: only exact names when there are any."""
        exact = [c for c in self.candidates if c["match"] == "exact"]
        return exact or [c for c in self.candidates if c["match"] in WHOLE]

    @property
    def status(self) -> str:
        """``unique``, ``ambiguous``, ``partial`` (no whole name matches) or ``not_found``.

        A county that is meant by its short name ("Lincoln") is ambiguous when a settlement has that very name.
        """
        if not self.candidates:
            return "not_found"
        if (
            len(self.best) == 1
            and self.best[0]["match"] == "alias"
            and self.best[0].get("place_type") == "county"
        ):
            return "ambiguous" if any(s["match"] == "exact" for s in self.settlements) else "unique"
        return {0: "partial", 1: "unique"}.get(len(self.best), "ambiguous")

    @property
    def namesakes(self) -> list[dict[str, Any]]:
        """Settlements worth telling of: all when there is no sure region, else large ones of exactly the name."""
        if self.status in ("not_found", "partial"):
            return self.settlements
        large = [s for s in self.settlements if s["match"] == "exact"]
        return (
            large
            if self.status == "ambiguous"
            else [s for s in large if (s.get("population") or 0) >= LARGE_CITY][:3]
        )


class NameResolver:
    """Finds candidates for names in the active source of kind ``statistics``."""

    def __init__(self, ctx: ToolContext) -> None:
        self._ctx = ctx
        self._source = ctx.source("statistics")

    def resolve(self, names: list[str], *, within: str = "", level: str = "") -> list[Resolution]:
        """One `Resolution` a name. `within` is a region id or a name; qualifiers in a name narrow it further."""
        scopes = self.containers(within) if within else [""]
        if not scopes:
            raise ToolError(
                "not_found",
                f"no region is called {within!r}",
                hint="give within as a region id, such as country/GBR",
            )
        plain = self._candidates(names, scopes, level)
        return [self._qualified(name, rows, scopes, level) for name, rows in zip(names, plain, strict=True)]

    def _qualified(self, text: str, rows: list[dict[str, Any]], scopes: list[str], level: str) -> Resolution:
        """Use the whole text when it is a name of its own ("Washington, D.C."), else its parts."""
        parsed = PlaceName.parse(text)
        if not (parsed.inside or parsed.level) or any(c["match"] == "exact" for c in rows):
            return self._resolution(text, rows, parsed.name, scopes, level)
        known = {r["region_id"] for scope in scopes for r in self._boundaries(text, scope)}
        if whole := [c for c in rows if c["region_id"] in known and c["match"] == "alias"]:
            return self._resolution(text, whole, text, scopes, level)
        for outer in reversed(parsed.inside):
            inner = list(dict.fromkeys(c for scope in scopes for c in self.containers(outer, scope)))
            if not inner:
                note = f"no region is called {outer!r}, so the qualifier could not be applied"
                return self._resolution(
                    text, [], parsed.name, scopes, parsed.level or level, admin1=outer, note=note
                )
            scopes = inner
        [found] = self._candidates([parsed.name], scopes, parsed.level or level)
        where = ", ".join(s for s in scopes if s)
        note = (
            ""
            if found
            else f"no {parsed.level or 'place'} {parsed.name!r}" + (f" inside {where}" if where else "")
        )
        return self._resolution(text, found, parsed.name, scopes, parsed.level or level, note=note)

    def _resolution(
        self,
        text: str,
        rows: list[dict[str, Any]],
        name: str,
        scopes: list[str],
        level: str,
        admin1: str = "",
        note: str = "",
    ) -> Resolution:
        from gra_skill_data_commons.gazetteer import settlements

        known = any(c.get("place_type") == "city" for c in rows)
        found = settlements(self._ctx, name, scopes, admin1) if level in ("", "city") and not known else []
        return Resolution(name=text, candidates=rows, settlements=found, note=note)

    def containers(self, text: str, scope: str = "") -> list[str]:
        """Ids of the regions that a qualifier may mean: from the boundaries where there are any (they know other
        names and codes), else from the statistics."""
        if is_id(text):
            return [text]
        rows = self._boundaries(text, scope) or self._regions([text], scope, "")
        exact = [r for r in rows if r["match"] == "exact"]
        sure = exact or [r for r in rows if r["match"] in WHOLE]
        return list(dict.fromkeys(r["region_id"] for r in sure))

    def _boundaries(self, text: str, scope: str) -> list[dict[str, Any]]:
        try:
            rows = self._records(self._ctx.source("boundaries").find(name=text, parent=scope, limit=50))
        except ToolError:
            return []
        return [r for r in rows if r.get("level") in ("country", "state", "county") and r["match"] in WHOLE]

    def _candidates(self, names: list[str], scopes: list[str], level: str) -> list[list[dict[str, Any]]]:
        found: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in names}
        for scope in scopes:
            for row in self._regions(names, scope, level):
                found[row["name"]].setdefault(row["region_id"], row)
        return [list(found[name].values()) for name in names]

    def _regions(self, names: list[str], scope: str, level: str) -> list[dict[str, Any]]:
        """What the source knows; a level or a containing region that it lacks means that it has no such place."""
        try:
            return self._records(self._source.regions(names=names, within=scope, place_type=level))
        except ToolError as error:
            if error.kind in ("bad_argument", "not_found") and (scope or level):
                return []
            raise

    @staticmethod
    def _records(frame: Any) -> list[dict[str, Any]]:
        from gra_geo.frames import rows_of

        return [{k: v for k, v in row.items() if v not in (None, "")} for row in rows_of(frame, len(frame))]
