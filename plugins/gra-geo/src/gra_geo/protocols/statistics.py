"""Kind ``statistics``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pandas as pd

VALUE_COLUMNS = ("variable", "region_id", "region_name", "date", "value", "unit", "facet", "source")
VARIABLE_COLUMNS = (
    "variable", "title", "unit", "quantity", "first", "last", "regions", "source", "licence", "description",
)  # fmt: skip
FACET_COLUMNS = (
    "variable", "region_id", "facet", "source", "method", "period", "unit", "first", "last", "observations",
)  # fmt: skip


class StatisticsSource(Protocol):
    """Values of variables for regions over time.

    A *facet* is one provider and method. Values of different facets do not compare, so an answer holds one facet a
    variable: the one asked for (by id, where the source allows it by provider's name), else the source's choice.
    """

    def variables(
        self, *, query: str = "", region_ids: list[str] | None = None, limit: int = 20
    ) -> pd.DataFrame:
        """Variables matching words, best first, columns `VARIABLE_COLUMNS`: quantity is count, rate or intensive, regions
        the number with data. With regions only what has values there. ``attrs["total"]`` is the number before `limit`."""
        ...

    def regions(self, *, names: list[str], within: str = "", place_type: str = "") -> pd.DataFrame:
        """Candidates for names: name (as asked), region_id, region_name, place_type, match."""
        ...

    def values(
        self,
        *,
        variables: list[str],
        region_ids: list[str] | None = None,
        parent: str = "",
        child_level: str = "",
        date: str = "latest",
        facet: str = "",
    ) -> pd.DataFrame:
        """One date, columns `VALUE_COLUMNS`. `date` is ISO (a year, month or day) or ``latest``; regions without a value
        have no row. Regions are named, or are the children of a parent.

        ``attrs["other_facets"]`` maps a variable to the regions that have values in other facets only.
        """
        ...  # fmt: skip

    def series(
        self, *, variable: str, region_ids: list[str], start: str = "", end: str = "", facet: str = ""
    ) -> pd.DataFrame:
        """All dates from `start` to `end` (inclusive): the columns of `values`, one facet per series."""
        ...

    def members(self, *, parent: str, child_level: str = "") -> pd.DataFrame:
        """*Optional.* All regions of a level inside a parent (default: the next level), with or without values:
        region_id, region_name, place_type. It tells which regions have no value."""
        ...

    def facets(self, *, variables: list[str], region_ids: list[str]) -> pd.DataFrame:
        """*Optional.* Which facets exist for variables at regions, preferred first, with their dates: columns
        `FACET_COLUMNS`."""
        ...
