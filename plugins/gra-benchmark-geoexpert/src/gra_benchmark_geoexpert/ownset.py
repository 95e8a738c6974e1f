"""Our own queries: data files that say that we wrote them."""

from __future__ import annotations

import importlib.resources
import tomllib
from functools import cache
from typing import Any, Literal

from attrs import frozen

from gra_benchmark_geoexpert.domains import DOMAINS
from gra_core import Query, load
from gra_core.workflow import read_workflow

BENCHMARK = "geoexpert"
FILES = ("hazards.toml", "health.toml", "sites.toml", "operations.toml")


@frozen(kw_only=True)
class OwnQuery:
    """One query as it stands in a file. `workflow` holds one golden workflow, or alternatives.

    `shipped` says how far the shipped skills get on the embedded atlas, `shortfall` what they lack.
    """

    id: str
    split: Literal["dev", "test"]
    shipped: Literal["mostly", "partly", "no"]
    shortfall: str
    text: str
    workflow: tuple[dict[str, Any], ...]


@frozen(kw_only=True)
class OwnFile:
    """A file of queries of one domain."""

    schema_version: Literal[1]
    domain: Literal[DOMAINS]  # type: ignore[valid-type]
    query: tuple[OwnQuery, ...]


@cache
def own_queries() -> tuple[Query, ...]:
    """All of our queries, in the order of the files."""
    folder = importlib.resources.files("gra_benchmark_geoexpert").joinpath("queries")
    files = (
        load(tomllib.loads(folder.joinpath(name).read_text("utf-8")), OwnFile, what=name) for name in FILES
    )
    return tuple(_query(entry, file.domain) for file in files for entry in file.query)


def _query(entry: OwnQuery, domain: str) -> Query:
    return Query(
        id=entry.id, benchmark=BENCHMARK, text=" ".join(entry.text.split()), split=entry.split, domain=domain,
        golden_workflows=tuple(read_workflow(flow) for flow in entry.workflow),
        extra={"edition": "own", "shipped": entry.shipped, "shortfall": entry.shortfall},
    )  # fmt: skip
