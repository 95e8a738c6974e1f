"""What narrows a name: a region, a place or a point that it lies in or near."""

from __future__ import annotations

from typing import Any, Protocol

import geopandas as gpd
import numpy as np
import pandas as pd
from attrs import frozen

from gra_core import ToolContext, ToolError
from gra_geo.geodesy import distances
from gra_geo.names import WHOLE, fold, is_id
from gra_skill_places.area import regions_named
from gra_skill_places.membership import memberships

NEAR_KM = 100.0
MANY = 1000


class Qualifier(Protocol):
    """Keeps the places that fit; `country` is the one country that they can lie in, or ""."""

    @property
    def country(self) -> str: ...

    @property
    def note(self) -> str: ...

    @property
    def where(self) -> str:
        """In words, after "lies": "inside UK"."""
        ...

    def keeps(self, places: pd.DataFrame) -> np.ndarray:
        """Which rows of a table of places fit."""
        ...


@frozen(kw_only=True)
class Within:
    """Regions of one name, such as the country and the state of Georgia: a place fits inside any of them."""

    text: str
    regions: gpd.GeoDataFrame

    @property
    def country(self) -> str:
        countries = set(self.regions["country"])
        return countries.pop() if len(countries) == 1 else ""

    @property
    def note(self) -> str:
        read = ", ".join(f"{r.name} ({r.region_id})" for r in self.regions.head(3).itertuples(index=False))
        more = f" and {len(self.regions) - 3} more" if len(self.regions) > 3 else ""
        return f"{self.text!r} was read as {read}{more}"

    @property
    def where(self) -> str:
        return f"inside {self.text}"

    def keeps(self, places: pd.DataFrame) -> np.ndarray:
        """By the rule of `memberships`, or by the name of the first-level region that a place carries."""
        kept = np.zeros(len(places), dtype=bool)
        kept[memberships(places, self.regions)["place"].unique()] = True
        states = self.regions[self.regions["level"] == "state"]
        named = set(zip(states["country"], states["name"].map(fold), strict=True))
        own = zip(places["country"].fillna(""), places["admin1"].fillna("").map(fold), strict=True)
        return kept | np.array([pair in named for pair in own], dtype=bool)


@frozen(kw_only=True)
class Near:
    """Points (rows of longitude and latitude): a place fits within `NEAR_KM` of any of them."""

    text: str
    points: np.ndarray
    country: str = ""

    @property
    def note(self) -> str:
        return f"near {self.text} means within {NEAR_KM:g} km of it"

    @property
    def where(self) -> str:
        return f"within {NEAR_KM:g} km of {self.text}"

    def km(self, places: pd.DataFrame) -> np.ndarray:
        """Geodesic distance of each place to the nearest of the points."""
        return distances(places[["lon", "lat"]].to_numpy(float), self.points).min(axis=1) / 1000

    def keeps(self, places: pd.DataFrame) -> np.ndarray:
        return self.km(places) <= NEAR_KM if len(places) else np.zeros(0, dtype=bool)


def qualifier_of(ctx: ToolContext, near: str | list[float]) -> Qualifier:
    """What a text (region id, region name or code, place id or name) or a [longitude, latitude] pair means.

    `ToolError` ``not_found`` when nothing has the name.
    """
    if isinstance(near, list):
        position = _position(near)
        return Near(text=f"({near[0]:g}, {near[1]:g})", points=position)
    text = near.strip()
    boundaries = ctx.source("boundaries")
    if is_id(text):
        return _by_id(ctx, boundaries, text)
    if len(found := regions_named(ctx, text)):
        return Within(text=text, regions=boundaries.get(region_ids=list(found["region_id"])))
    places = ctx.source("places").search(text=text, limit=MANY)
    if "match" in places:
        places = places[places["match"].isin(WHOLE)]
    if places.empty:
        raise ToolError(
            "not_found",
            f"no region or place is named {text!r}",
            hint="leave it out, or give a region id or [longitude, latitude]",
        )
    return Near(text=text, points=places[["lon", "lat"]].to_numpy(float))


def _by_id(ctx: ToolContext, boundaries: Any, text: str) -> Qualifier:
    try:
        return Within(text=text, regions=boundaries.get(region_ids=[text]))
    except ToolError as error:
        if error.kind != "not_found":
            raise
    place = ctx.source("places").get(place_ids=[text])
    return Near(text=text, points=place[["lon", "lat"]].to_numpy(float))


def _position(pair: list[float]) -> np.ndarray:
    if len(pair) != 2 or not abs(pair[0]) <= 180 or not abs(pair[1]) <= 90:
        raise ToolError(
            "bad_argument", f"near {pair} is no position", hint="give [longitude, latitude], longitude first"
        )
    return np.array([pair], dtype=float)
