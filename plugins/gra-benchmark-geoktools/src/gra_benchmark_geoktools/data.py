"""What solvers read: the sources' tables, each asked for once, in an order that does not depend on the source."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, TypeVar

import geopandas as gpd
import pandas as pd
import shapely

from gra_benchmark_geoktools.solving.geodesy import areas_km2
from gra_core import IllPosed, Sources

WORLD = "Earth"
ALL = 1_000_000
T = TypeVar("T")
Table = TypeVar("Table", bound=pd.DataFrame)


class Data:
    """The sources of one command. Tables are cached, so that many templates cost one reading: never change one."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._answers: dict[str, Any] = {}

    @cached_property
    def snapshot(self) -> dict[str, str]:
        """Kind to name and version of the source that is used."""
        return self.sources.snapshot()

    def ask(self, kind: str, operation: str, **arguments: Any) -> Any:
        """An operation of the active source of a kind."""
        key = json.dumps([kind, operation, arguments], sort_keys=True)
        if key not in self._answers:
            self._answers[key] = getattr(self.sources.open(kind), operation)(**arguments)
        return self._answers[key]

    def once(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """A derived table, made the first time."""
        name = json.dumps(key)
        if name not in self._answers:
            self._answers[name] = make()
        return self._answers[name]

    # -- regions -----------------------------------------------------------------------------------------------

    def regions(self, parent_id: str, level: str) -> gpd.GeoDataFrame:
        """The regions of a level in a parent, indexed by region id, in WGS84 longitude and latitude."""
        return self.once(
            ("regions", parent_id, level),
            lambda: _by_id(self.ask("boundaries", "children", parent_id=parent_id, level=level), "region_id"),
        )

    def region(self, region_id: str) -> pd.Series:
        """One region with its geometry."""
        return self.ask("boundaries", "get", region_ids=[region_id]).iloc[0]

    def countries(self) -> gpd.GeoDataFrame:
        """All countries with an ISO code."""
        return self.regions(WORLD, "country")

    def country_areas(self) -> pd.Series:
        """Their areas in km², by region id."""
        return self.once(("country_areas",), lambda: areas_km2(self.countries()))

    def states(self) -> gpd.GeoDataFrame:
        """The fifty states of the United States."""
        table = self.regions("country/USA", "state")
        return table[
            table["region_id"].str.slice(6).astype(int).between(1, 56)
            & (table["name"] != "District of Columbia")
        ]

    # -- places ------------------------------------------------------------------------------------------------

    def places(self, kind: str, *, country: str = "", min_population: int = 0) -> pd.DataFrame:
        """All places of a type, indexed by place id."""
        asked = {"types": [kind], "country": country, "min_population": min_population, "limit": ALL}
        return self.once(
            ("places", *map(str, asked.values())),
            lambda: _by_id(self.ask("places", "search", **asked), "place_id"),
        )

    # -- statistics --------------------------------------------------------------------------------------------

    def values(self, variable: str, facet: str, date: str, *, parent_id: str, level: str) -> pd.Series:
        """Values at one date by region id, for the regions of a level in a parent; regions without one are left out."""
        table = self.ask(
            "statistics",
            "values",
            variables=[variable],
            parent=parent_id,
            child_level=level,
            date=date,
            facet=facet,
        )
        return table.dropna(subset="value").set_index("region_id")["value"].sort_index()

    def series(self, variable: str, facet: str, region_id: str, start: int, end: int) -> pd.Series:
        """Values by year for one region; `IllPosed` when there is none."""
        table = self.ask(
            "statistics",
            "series",
            variable=variable,
            region_ids=[region_id],
            start=str(start),
            end=str(end),
            facet=facet,
        )
        if table.empty:
            raise IllPosed(f"no {variable} of {region_id} from {start} to {end}")
        years = table["date"].astype(str).str.slice(0, 4).astype(int)
        return pd.Series(table["value"].to_numpy(dtype=float), index=years.to_numpy()).dropna().sort_index()

    # -- cyclones ----------------------------------------------------------------------------------------------

    def fixes(self, first: int, last: int) -> pd.DataFrame:
        """Track fixes (UTC) of the storms of some seasons, by storm and time, with the highest category of each
        storm's life as ``peak``."""
        table = self.once(("fixes",), self._all_fixes)
        return table[table["season"].between(first, last)]

    def _all_fixes(self) -> pd.DataFrame:
        table = self.ask("cyclones", "fixes")
        table = table.dropna(subset=["lon", "lat", "time"]).drop_duplicates(["storm_id", "time"])
        table = table.assign(
            name=table["name"].fillna("").str.title(), category=table["category"].fillna(-5).astype(int)
        )
        table["peak"] = table.groupby("storm_id")["category"].transform("max")
        return table.sort_values(["storm_id", "time"]).reset_index(drop=True)

    # -- elevation ---------------------------------------------------------------------------------------------

    def elevation_model(self, shapes: Iterable[shapely.Geometry]) -> str:
        """The file of the finest elevation raster that covers all of some shapes; `IllPosed` when none does."""
        wanted = shapely.total_bounds(list(shapes))
        for raster in sorted(self.ask("elevation", "rasters"), key=lambda r: r["resolution_m"]):
            west, south, east, north = raster["bounds"]
            if west <= wanted[0] and south <= wanted[1] and east >= wanted[2] and north >= wanted[3]:
                return raster["path"]
        raise IllPosed("no elevation raster covers the region")


def _by_id(table: Table, column: str) -> Table:
    return table.set_index(column, drop=False).rename_axis(None).sort_index()
