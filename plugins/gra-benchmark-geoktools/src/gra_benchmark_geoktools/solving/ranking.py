"""Picking the one clear best, and counting over a threshold; unclear cases are ill-posed."""

from __future__ import annotations

import itertools
import math

import pandas as pd

from gra_core import IllPosed

# Computed quantities (distances, areas, means) differ between sound methods by less than this share.
COMPUTED = 0.01
# Published values are what they are: only equal ones tie.
PUBLISHED = 0.0


def best(table: pd.DataFrame, by: str, *, largest: bool = True, margin: float = COMPUTED) -> pd.Series:
    """The row with the largest (smallest) value of a column; exact ties go to the first name in the alphabet.

    `IllPosed` when a value is missing, or when another row comes within `margin` (a share of the winner's
    magnitude) without being equal.
    """
    return top(table, by, 1, largest=largest, margin=margin).iloc[0]


def top(
    table: pd.DataFrame, by: str, count: int, *, largest: bool = True, margin: float = COMPUTED
) -> pd.DataFrame:
    """The first `count` rows of a ranking, each clearly before the next; ties and margin as for `best`."""
    if len(table) < count or table[by].isna().any():
        raise IllPosed(f"{by}: {len(table)} rows, {int(table[by].isna().sum())} without a value")
    # Equal shapes differ in the last bits of what is computed from them.
    exact = table[by].map(lambda value: float(f"{value:.10g}"))
    ranked = table.assign(_exact=exact).sort_values(["_exact", "name"], ascending=[not largest, True])
    distinct = list(dict.fromkeys(ranked["_exact"]))
    taken = ranked["_exact"].head(count).nunique()
    for ahead, behind in itertools.pairwise(distinct[: taken + 1]):
        if abs(ahead - behind) <= margin * max(abs(ahead), abs(behind)):
            raise IllPosed(f"{by}: {ahead:g} and {behind:g} are nearly equal")
    return ranked.drop(columns="_exact").head(count)


def over(table: pd.DataFrame, by: str, threshold: float, *, margin: float = COMPUTED) -> pd.DataFrame:
    """The rows above a threshold; `IllPosed` when a value is missing or lies within `margin` of the threshold."""
    if table[by].isna().any():
        raise IllPosed(f"{by}: {int(table[by].isna().sum())} values are missing")
    clear_of(table[by], threshold, margin)
    return table[table[by] > threshold].sort_values("name")


def clear_of(values: pd.Series, threshold: float, margin: float = COMPUTED) -> None:
    """`IllPosed` when a value lies so near a threshold that another sound method may put it on the other side."""
    near = (values - threshold).abs() <= margin * abs(threshold)
    if margin > 0 and near.any():
        raise IllPosed(f"{values[near].iloc[0]:g} is too near the threshold {threshold:g}")


def significant(value: float, figures: int = 4) -> float:
    """A finite number to some significant figures."""
    if not math.isfinite(value):
        raise IllPosed("the answer is not a number")
    return float(f"{value:.{figures}g}")


def rounded(value: float, decimals: int) -> float:
    """A finite plain number; whole where no decimals are asked for."""
    if not math.isfinite(value):
        raise IllPosed("the answer is not a number")
    return float(round(value)) if decimals <= 0 else round(float(value), decimals)
