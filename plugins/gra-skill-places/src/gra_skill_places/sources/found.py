"""What a live search found so far: each place once, inside the area, up to a limit."""

from __future__ import annotations

from typing import Any

import pandas as pd
import shapely

from gra_geo.names import RANK, match_of
from gra_geo.protocols import PLACE_COLUMNS


class Found:
    """Collects rows (dictionaries with at least place_id, name, lon, lat) by place id."""

    def __init__(self, *, area: dict[str, Any] | None, country: str, limit: int) -> None:
        self.shape = shapely.geometry.shape(area) if area else None
        self._country, self._limit = country, limit
        self._rows: dict[str, dict[str, Any]] = {}
        self.notes: list[str] = []

    @property
    def enough(self) -> bool:
        return len(self._rows) >= self._limit

    def add(self, row: dict[str, Any]) -> None:
        """Keep a place that is new, in the area (its border counts) and in the country."""
        if row["place_id"] in self._rows or (self._country and row.get("country") != self._country):
            return
        if self.shape is None or self.shape.covers(shapely.Point(row["lon"], row["lat"])):
            self._rows[row["place_id"]] = row

    def frame(self, text: str = "") -> pd.DataFrame:
        """The table of the protocol, best match first; ``attrs``: total found, and notes on what is not complete."""
        frame = pd.DataFrame(list(self._rows.values()))
        frame = frame.reindex(columns=[*PLACE_COLUMNS, *(c for c in frame.columns if c not in PLACE_COLUMNS)])
        if text:
            others = (
                frame.get("other_names", pd.Series([""] * len(frame))).fillna("").str.split("|").map(tuple)
            )
            # What the service gives for a text fits it somehow.
            frame["match"] = [
                match_of(text, name, other) or "part"
                for name, other in zip(frame["name"], others, strict=True)
            ]
            frame = frame.iloc[frame["match"].map(RANK).argsort(kind="stable")]
        total = len(frame)
        frame = frame.head(self._limit).reset_index(drop=True)
        frame.attrs = {"total": total, "notes": self.notes}
        return frame
