"""Statistics in the words of exactextract, and a run of it in bounded memory."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from exactextract.exact_extract import exact_extract
from exactextract.feature import JSONFeature
from exactextract.writer import Writer

from gra_core import ToolError
from gra_geo.cells import Cells, Zones

STATS = ("mean", "sum", "min", "max", "median", "stdev", "variance", "majority", "minority", "variety")
PERCENTILE = re.compile(r"^p(\d{1,2}|100)$")
# Cells held at a time: 32 MB of float64.
WINDOW_CELLS = 4_000_000
UNWEIGHTED = ("min", "max", "variety")
BY_AREA = ("mean", "stdev", "variance")


def check_stats(stats: list[str]) -> list[str]:
    """The statistics asked for, once each; `ToolError` names the unknown ones."""
    unknown = [s for s in stats if s not in STATS and not PERCENTILE.match(s)]
    if unknown or not stats:
        raise ToolError(
            "bad_argument",
            f"unknown statistics {', '.join(map(repr, unknown)) or '(none given)'}",
            hint=f"choose from {', '.join(STATS)}, or percentiles such as p10",
        )
    return list(dict.fromkeys(stats))


class _Rows(Writer):
    """Collects results by zone row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[int, dict[str, Any]] = {}

    def add_operation(self, op: Any) -> None:
        pass

    def add_column(self, name: str) -> None:
        pass

    def write(self, feature: Any) -> None:
        copy = JSONFeature()
        feature.copy_to(copy)
        values = copy.feature["properties"]
        self.rows[int(values.pop("row"))] = values

    def features(self) -> dict[int, dict[str, Any]]:
        return self.rows


def operations(stats: list[str], coverage: str, *, weighted: bool = False) -> list[str]:
    by_weight = [f"{_field(s)}=weighted_{s}" for s in stats if weighted and s in BY_AREA]
    return [
        *by_weight,
        *(_operation(s, coverage) for s in stats if not (weighted and s in BY_AREA)),
        "cells=count",
    ]


def run(values: Cells, weights: Any, zones: Zones, ops: list[str]) -> dict[int, dict[str, Any]]:
    if not zones.count():
        return {}
    try:
        return exact_extract(
            values,
            zones,
            ops,
            weights=weights,
            include_cols=["row"],
            output=_Rows(),
            max_cells_in_memory=WINDOW_CELLS,
        )
    except (RuntimeError, ValueError) as error:
        raise ToolError(
            "bad_argument",
            f"zonal statistics of {values.raster.path.name} failed: {error}",
            hint="check that values and weights share one grid",
        ) from error


def _operation(stat: str, coverage: str) -> str:
    """exactextract's text for a statistic."""
    options = (
        [] if stat in (*UNWEIGHTED, "sum") or coverage == "fraction" else [f"coverage_weight={coverage}"]
    )
    name = stat
    if match := PERCENTILE.match(stat):
        name, options = "quantile", [f"q={float(match[1]) / 100}", *options]
    return f"{_field(stat)}={name}" + (f"({','.join(options)})" if options else "")


def _field(stat: str) -> str:
    return f"v_{stat}"


def result_of(values: dict[str, Any], stat: str) -> float:
    """A statistic's value, NaN when there is none; exactextract adds the percent to the names of quantiles."""
    name = _field(stat)
    found = next((v for k, v in values.items() if k == name or k.startswith(name + "_")), None)
    return np.nan if found is None or np.ma.is_masked(found) else float(found)
