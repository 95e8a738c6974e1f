"""Search in the catalogue of statistical variables."""

from __future__ import annotations

import re

import pandas as pd

from gra_geo.names import fold
from gra_geo.protocols import VARIABLE_COLUMNS

SHOWN = [*VARIABLE_COLUMNS, "denominator", "facets"]
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Z])")
# Words of a question and the words of the catalogue that they mean.
_MEANS = {
    "inhabitants": "population", "people": "population", "residents": "population", "jobless": "unemployment",
    "joblessness": "unemployment", "unemployed": "unemployment", "poor": "poverty", "income": "gdp", "wealth": "gdp",
    "economy": "gdp", "output": "gdp", "capita": "head", "births": "fertility", "longevity": "life expectancy",
    "lifespan": "life expectancy", "homicide": "murder", "homicides": "murder", "cities": "urban", "education": "college",
    "university": "college", "old": "65", "elderly": "65", "young": "14", "children": "14", "labor": "labour",
    "women": "female", "men": "male", "workforce": "labour force",
}  # fmt: skip
_IDLE = {
    "the", "of", "in", "by", "per", "for", "and", "a", "an", "rate", "number", "total", "percent", "share", "count", "how",
    "many", "much", "what", "which", "is", "are", "was", "were",
}  # fmt: skip


def search(table: pd.DataFrame, query: str) -> pd.DataFrame:
    """One row a variable, best first: its id, then its title, then most of the words in title, id and description.

    `table` has a row per variable and facet; the row of the best-ranked facet describes the variable, `facets` lists
    all, and `regions` is the largest number of regions that one facet has.
    """
    best = _per_variable(table)
    if not query.strip():
        return best[SHOWN]
    scores = best.apply(lambda row: _score(row, query), axis=1) if len(best) else pd.Series(dtype=float)
    order = scores[scores > 0].sort_values(ascending=False, kind="stable").index
    return best.loc[order][SHOWN]


def _per_variable(table: pd.DataFrame) -> pd.DataFrame:
    listed = (
        table["facet"]
        + " ("
        + table["first"]
        + "-"
        + table["last"]
        + ", "
        + table["regions"].astype(str)
        + ")"
    )
    grouped = table.assign(facets=listed).groupby("variable", sort=False)
    facets, regions = grouped["facets"].agg("; ".join), grouped["regions"].max()
    best = table.drop_duplicates("variable").drop(columns="regions")
    return best.assign(
        facets=best["variable"].map(facets), regions=best["variable"].map(regions)
    ).reset_index(drop=True)


def _score(row: pd.Series, query: str) -> float:
    if query.strip() == row["variable"]:
        return 1000.0
    if fold(query) == fold(row["title"]):
        return 500.0
    words = [(word, *_MEANS.get(word, "").split()) for word in _words(query)]
    wanted = [w for w in words if w[0] not in _IDLE] or words
    title, own = _words(row["title"]), _words(_CAMEL.sub(" ", row["variable"]))
    rest = _words(row["description"] + " " + row["source"])
    hits = [_hit(w, title) * 3 or _hit(w, own) * 2 or _hit(w, rest) for w in wanted]
    if not any(hits):
        return 0.0
    idle = sum(_hit(w, title + own) for w in words if w[0] in _IDLE)
    return 10 * sum(hits) / len(wanted) + sum(h > 0 for h in hits) + 0.2 * idle - 0.1 * len(title)


def _words(text: str) -> list[str]:
    return fold(text.replace("_", " ")).split()


def _hit(meanings: tuple[str, ...], words: list[str]) -> float:
    """1 for a word itself or what it means, 0.7 for a word with the same beginning of five letters."""
    if meanings[0] in words or (meanings[1:] and all(word in words for word in meanings[1:])):
        return 1.0
    return 0.7 if any(len(m) >= 5 and m[:5] == w[:5] for m in meanings for w in words) else 0.0
