"""Argument types that geospatial tools share; their descriptions are what the model reads."""

from __future__ import annotations

from typing import Annotated, Any

from gra_core.schema import Param

Regions = Annotated[
    str | list[str] | dict[str, Any],
    Param(
        description="Regions: a dataset reference (ds://…), a list of region ids, or GeoJSON in longitude/latitude."
    ),
]
Features = Annotated[
    str | list[str] | dict[str, Any],
    Param(
        description="Features: a dataset reference (ds://…), a list of region or place ids, or GeoJSON in longitude/latitude."
    ),
]
Points = Annotated[
    str | list[str] | list[list[float]] | dict[str, Any],
    Param(
        description="Points: a dataset reference (ds://…), a list of place ids or place names, a list of [longitude, latitude] pairs, or GeoJSON."
    ),
]
Reference = Annotated[
    str, Param(description="A dataset reference (ds://…) as returned by a tool.", pattern="^ds://")
]
