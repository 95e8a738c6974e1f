"""Search in a table of places: by text, type, area, country and population."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import shapely

from gra_atlas.files import Once
from gra_atlas.names import NameIndex
from gra_core import ToolError
from gra_geo.names import MATCHES


class PlaceTable:
    """Places with the columns of `gra_geo.protocols.PLACE_COLUMNS` and a column `aliases` (separated by ``|``).

    Rows are given in the order that decides between equally good ones: the most populous first, then by name and id.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table.reset_index(drop=True)
        self.row = {str(place): row for row, place in enumerate(self.table["place_id"])}
        self.names = Once(lambda: NameIndex(self.table["name"], self.table["aliases"]))
        self._xy = self.table[["lon", "lat"]].to_numpy(float)

    def types(self) -> dict[str, int]:
        """Type to number of places, most frequent first."""
        return {str(kind): int(n) for kind, n in self.table["type"].value_counts().items()}

    def search(
        self,
        *,
        text: str = "",
        types: list[str] | None = None,
        area: dict[str, Any] | None = None,
        country: str = "",
        min_population: int = 0,
        limit: int = 100,
    ) -> pd.DataFrame:
        """See `gra_geo.protocols.PlaceSource`. Equally good names go by population, then name, then id."""
        keep = self._kept(types, country, min_population)
        if area is not None:
            keep &= self._within(area)
        if not text.strip():
            return _cut(self.table[keep].drop(columns="aliases"), limit)
        rows, ranks = self.names().match(text)
        rows, ranks = rows[keep[rows]], ranks[keep[rows]]
        order = np.lexsort((rows, ranks))
        found = self.table.iloc[rows[order]].drop(columns="aliases")
        return _cut(found.assign(match=[MATCHES[rank] for rank in ranks[order]]), limit)  # fmt: skip

    def get(self, *, place_ids: list[str]) -> pd.DataFrame:
        """Places in the order asked; ``not_found`` names the missing."""
        if missing := [place for place in place_ids if place not in self.row]:
            listed = ", ".join(map(str, missing[:10])) + (
                f" and {len(missing) - 10} more" if len(missing) > 10 else ""
            )
            raise ToolError(
                "not_found", f"no place {listed} here", hint="search for places by name to get their ids"
            )
        return (
            self.table.iloc[[self.row[p] for p in place_ids]].drop(columns="aliases").reset_index(drop=True)
        )

    def _kept(self, types: list[str] | None, country: str, min_population: int) -> np.ndarray:
        keep = np.ones(len(self.table), dtype=bool)
        if types:
            known = self.types()
            if unknown := [kind for kind in types if kind not in known]:
                raise ToolError(
                    "bad_argument",
                    f"unknown type {', '.join(map(repr, unknown))}",
                    hint=f"types: {', '.join(known)}",
                )
            keep &= self.table["type"].isin(types).to_numpy()
        if country:
            keep &= (self.table["country"] == country.upper()).to_numpy()
        if min_population:
            keep &= (self.table["population"].fillna(-1) >= min_population).to_numpy()
        return keep

    def _within(self, area: dict[str, Any]) -> np.ndarray:
        """Which places lie in a GeoJSON geometry, its border included; it may run across the antimeridian."""
        from gra_geo.antimeridian import cut
        from gra_geo.geojson import geometry_of

        shape = cut(geometry_of(area, "area", []))
        if not shape.is_valid:
            shape = shapely.make_valid(shape)
        shapely.prepare(shape)
        return shapely.intersects_xy(shape, self._xy[:, 0], self._xy[:, 1])


class PlaceTableSource:
    """A source of kind ``places`` over a `table` that is read on first use."""

    table: Once[PlaceTable]

    def __init__(self, settings: Any = None) -> None:
        """`settings` (`gra_core.SourceSettings`) has nothing to set."""

    def types(self) -> dict[str, int]:
        """Type to number of places."""
        return self.table().types()

    def search(self, **wanted: Any) -> pd.DataFrame:
        """Places that fit, best match first, then the most populous: see `PlaceTable.search`."""
        return self.table().search(**wanted)

    def get(self, *, place_ids: list[str]) -> pd.DataFrame:
        """Places in the order asked."""
        return self.table().get(place_ids=place_ids)


def _cut(found: pd.DataFrame, limit: int) -> pd.DataFrame:
    shown = found.head(limit).reset_index(drop=True)
    shown.attrs["total"] = len(found)
    return shown
