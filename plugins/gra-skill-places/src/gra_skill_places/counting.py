"""Places counted by region."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import pandas as pd
from attrs import frozen

from gra_skill_places.membership import memberships


@frozen(kw_only=True)
class Counts:
    """`regions` has the `columns` ``count`` and, for each of several types, ``count_<type>``; `total` counts each place once.

    `shared` is the number of places that lie inside more than one region, which happens only where regions overlap.
    """

    regions: gpd.GeoDataFrame
    columns: list[str]
    total: int
    shared: int


def count_by_region(places: pd.DataFrame, regions: gpd.GeoDataFrame, types: list[str]) -> Counts:
    """Count places in regions by the rule of `memberships`; regions without any get 0."""
    pairs = memberships(places, regions)
    columns: dict[str, Any] = {"count": _per_region(pairs["region"], len(regions))}
    if len(types) > 1:
        kind = places["type"].to_numpy()[pairs["place"]]
        for name in types:
            columns[f"count_{name}"] = _per_region(pairs["region"][kind == name], len(regions))
    per_place = pairs["place"].value_counts()
    return Counts(
        regions=regions.assign(**columns),
        columns=list(columns),
        total=len(per_place),
        shared=int((per_place > 1).sum()),
    )


def _per_region(rows: pd.Series, number: int) -> list[int]:
    return [int(n) for n in rows.value_counts().reindex(range(number), fill_value=0)]
