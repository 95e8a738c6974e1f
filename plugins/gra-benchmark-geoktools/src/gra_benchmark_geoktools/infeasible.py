"""Queries that nothing can answer: a place, a year or a variable that does not exist. The right answer is to abstain."""

from __future__ import annotations

import re
from collections.abc import Generator
from difflib import SequenceMatcher
from typing import Any, ClassVar, Literal

import pandas as pd

from gra_benchmark_geoktools.data import Data
from gra_benchmark_geoktools.steps import Steps
from gra_benchmark_geoktools.template import Template
from gra_core import IllPosed

# Names that are more alike than this could be taken for one another.
ALIKE = 0.75
KINDS_OF_COUNTY = re.compile(r" (county|parish|borough|census area|municipality|city and borough|city)$")


class Infeasible(Template):
    """A form of query about something that does not exist. `tool_types` are those that an answer would take, so that K
    compares with other templates; the reference trajectory uses some of them, finds nothing, and abstains. `solve` does
    not compute: it makes sure that the thing is in no source, and returns the empty answer."""

    solvable = False
    split: ClassVar[Literal["dev", "test"]] = "test"
    count: ClassVar[int] = 4


def abstaining(missing: bool, reason: str) -> Steps:
    """The end of a reference trajectory: abstaining, or an empty answer where that cannot be said by a tool.
    `ValueError` when the thing does exist, so that nobody takes the trajectory for right."""
    if not missing:
        raise ValueError(f"the sources disagree: {reason}")
    return _abstaining(reason)


def _abstaining(reason: str) -> Generator[tuple[str, dict[str, Any]], dict[str, Any], Any]:
    yield "abstain", {"reason": reason}
    return []


def words(text: str) -> str:
    """A name for comparing: lower case, letters and digits only, one space between words."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def bare(county: str) -> str:
    """A county's name without the word for what it is."""
    return KINDS_OF_COUNTY.sub("", words(county))


def no_region(data: Data, name: str) -> None:
    """`IllPosed` when boundaries or statistics know a region, or places a place, that goes by a name."""
    found = [
        data.ask("boundaries", "find", name=name, limit=50),
        data.ask("statistics", "regions", names=[name]),
        data.ask("places", "search", text=name, limit=50),
    ]
    for table in found:
        if len(table) and table["match"].isin(["exact", "alias"]).any():
            raise IllPosed(f"there is a {name}")


def no_county(data: Data, name: str, state_id: str) -> None:
    """`IllPosed` when a state has a county of that name, or of one that could be meant by it."""
    for own in data.regions(state_id, "county")["name"]:
        if (
            SequenceMatcher(None, bare(name), bare(own)).ratio() > ALIKE
            or bare(own) in bare(name)
            or bare(name) in bare(own)
        ):
            raise IllPosed(f"{name} could be {own}")
    found = data.ask("boundaries", "find", name=name, parent=state_id, limit=50)
    if len(found) and found["match"].isin(["exact", "alias"]).any():
        raise IllPosed(f"there is a {name} in {state_id}")


def no_values(data: Data, variable: str, region_id: str, start: int, end: int) -> None:
    """`IllPosed` when any facet of a variable has, or covers, a year from start to end at a region."""
    facets = data.ask("statistics", "facets", variables=[variable], region_ids=[region_id])
    first, last = (facets[column].astype(str).str.slice(0, 4).astype(int) for column in ("first", "last"))
    if facets.empty or ((first <= end) & (last >= start)).any():
        raise IllPosed(f"{variable} of {region_id} has no values at all, or some from {start} to {end}")
    if len(
        data.ask(
            "statistics", "series", variable=variable, region_ids=[region_id], start=str(start), end=str(end)
        )
    ):
        raise IllPosed(f"{variable} of {region_id} has values from {start} to {end}")


def no_variable(data: Data, query: str, keyword: str) -> None:
    """`IllPosed` when a variable is about what the keyword names."""
    for text in (query, keyword):
        found = data.ask("statistics", "variables", query=text, limit=100)
        if mentions(found, keyword):
            raise IllPosed(f"there is a variable about {keyword}")


def mentions(variables: pd.DataFrame, keyword: str) -> bool:
    """Whether an id or a title of some variables has a keyword in it."""
    texts = (str(row[column]) for row in variables.to_dict("records") for column in ("variable", "title"))
    return any(keyword.casefold() in text.casefold() for text in texts)
