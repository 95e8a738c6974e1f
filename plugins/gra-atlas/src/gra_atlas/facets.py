"""Which provider's figures answer: one facet a variable, so that regions compare."""

from __future__ import annotations

import pandas as pd

from gra_core import ToolError

ENOUGH = 0.9  # share of the regions with any value that the preferred facet must cover
PROJECTIONS = ("un-wpp-2024-medium",)  # never answer unless asked for, or alone


def choose(values: pd.DataFrame, ranks: dict[str, int], wanted: str = "") -> str:
    """The facet for observations of one variable (columns region_id, facet); "" when there are none.

    The best-ranked facet that covers at least `ENOUGH` of the regions that have a value; when none does, the one
    that covers the most. `wanted` is taken as it is: ``not_found`` lists what there is.
    """
    available = sorted(set(values["facet"]), key=lambda f: ranks[f])
    if wanted:
        if available and wanted not in available:
            raise ToolError("not_found", f"no facet {wanted!r} here", hint=f"facets: {', '.join(available)}")
        return wanted if available else ""
    measured = [f for f in available if f not in PROJECTIONS] or available
    if not measured:
        return ""
    values = values[values["facet"].isin(measured)]
    covered = values.groupby("facet", observed=True)["region_id"].nunique()
    total = values["region_id"].nunique()
    enough = [f for f in measured if covered[f] >= ENOUGH * total]
    return enough[0] if enough else max(measured, key=lambda f: (covered[f], -ranks[f]))
