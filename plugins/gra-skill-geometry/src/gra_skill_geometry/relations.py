"""Features selected by a mask, and features assigned to others by where they lie."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pandas as pd

from gra_core import ToolError
from gra_geo.joins import join, joined, natural_order, pairs, share_inside

RULES = {
    "first": "a feature that matches several is counted once, with the one whose id comes first alphabetically",
    "largest": "a feature that matches several is counted once, with the one that holds the largest part of it (then by id)",
    "all": "a feature that matches several is counted with each of them",
    "error": "no feature matched several",
}
WORDS = {"intersects": "meets", "within": "lies within", "contains": "contains", "disjoint": "lies clear of"}


def select(
    features: gpd.GeoDataFrame, mask: gpd.GeoDataFrame, predicate: str, min_overlap: float
) -> tuple[gpd.GeoDataFrame, np.ndarray]:
    """The features that stand in the relation to the mask, with the share of each that lies inside (`overlap_share`);
    and the positions of all features that do."""
    shapes, masks = features.geometry.to_numpy(), mask.geometry.to_numpy()
    met = np.zeros(len(features), bool)
    met[pairs(shapes, masks, "intersects")[0]] = True
    share = np.zeros(len(features))
    share[met] = share_inside(shapes[met], masks)
    if predicate == "intersects":
        keep = met
    elif predicate == "disjoint":
        keep = ~met
    elif predicate == "within":
        # Together the mask's parts may hold what none of them holds alone.
        keep = share >= 1.0 - 1e-9
    else:
        keep = np.zeros(len(features), bool)
        keep[pairs(shapes, masks, predicate)[0]] = True
    if min_overlap > 0 and predicate != "disjoint":
        keep &= share >= min_overlap - 1e-9
    rows = np.nonzero(keep)[0]
    return features.iloc[rows].reset_index(drop=True).assign(overlap_share=share[rows]), rows


def assign(
    left: gpd.GeoDataFrame, right: gpd.GeoDataFrame, predicate: str, ties: str, sums: list[str]
) -> tuple[gpd.GeoDataFrame, pd.DataFrame, int]:
    """The left features with the right one each belongs to; per right feature the number of left ones and the totals of
    their columns `sums`; and how many left features had a tie."""
    for column in sums:
        if column not in left.columns or not pd.api.types.is_numeric_dtype(left[column]):
            numeric = [c for c in left.columns if pd.api.types.is_numeric_dtype(left[c])]
            raise ToolError(
                "bad_argument",
                f"left has no numeric column {column!r}",
                hint=f"numeric columns: {', '.join(map(str, numeric)) or 'none'}",
            )
    rows, others, tied = join(left, right, predicate, ties, right_id="feature_id")
    table = joined(left, right, rows, others, "right_")
    return table, _counts(left, right, rows, others, sums), tied


def _counts(
    left: gpd.GeoDataFrame, right: gpd.GeoDataFrame, rows: np.ndarray, others: np.ndarray, sums: list[str]
) -> pd.DataFrame:
    matched = others >= 0
    counts = pd.DataFrame({"feature_id": right["feature_id"].to_numpy(), "name": right["name"].to_numpy()})
    counts["count"] = np.bincount(others[matched], minlength=len(right))
    for column in sums:
        values = left[column].to_numpy(float)[rows][matched]
        counts[f"sum_{column}"] = np.bincount(others[matched], np.nan_to_num(values), minlength=len(right))
    order = np.lexsort((natural_order(counts["feature_id"]), -counts["count"]))
    return counts.iloc[order].reset_index(drop=True)
