"""Steps that many reference trajectories share, and the form of their answers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any

from attrs import frozen

from gra_core.benchmark import ReferenceTrajectory, Step

Steps = Generator[Step, dict[str, Any], Any]


@frozen(kw_only=True)
class Reference:
    """The trajectory of one query and the skills that it needs."""

    id: str
    skills: tuple[str, ...]
    play: Callable[[], ReferenceTrajectory]


def report(
    findings: str, *, data: Iterable[str], proxies: Iterable[str] = (), limits: Iterable[str] = ()
) -> str:
    """An answer: findings, what they rest on, substitutes, limits."""
    parts = [findings, f"Data: {'; '.join(data)}."]
    parts += [f"Substitutes: {'; '.join(proxies)}."] if proxies else []
    parts += [f"Limits: {'; '.join(limits)}."] if limits else []
    return " ".join(parts)


def region(name: str, level: str, country: str = "") -> Steps:
    """The id of a region by name."""
    reply = yield "find_regions", {"name": name, "level": level, "country": country, "limit": 5}
    return reply["content"]["candidates"][0]["region_id"]


def counties(state: str) -> Steps:
    """Id of a state and a dataset of its counties."""
    state_id = yield from region(state, "state", "USA")
    reply = yield "list_subregions", {"parent_id": state_id, "level": "county"}
    return state_id, dataset(reply)


def center(name: str) -> Steps:
    """Longitude and latitude of a city."""
    reply = yield "get_place_center", {"name": name, "types": ["city"]}
    return reply["content"]["center"]


def sql(query: str, **tables: str) -> Steps:
    """The rows of a query over datasets: at most as many as a reply shows (50)."""
    reply = yield "query_table", {"refs": tables, "sql": query}
    return [] if reply["status"] == "empty" else reply["content"]["result"]


def ids(query: str, **tables: str) -> Steps:
    """All values of the column `id` of a query, in one row, so that none is left out of the reply."""
    rows = yield from sql(f"SELECT string_agg(id, ' ' ORDER BY id) AS ids FROM ({query})", **tables)
    return (rows[0]["ids"] or "").split() if rows else []


def dataset(reply: dict[str, Any], number: int = 0) -> str:
    """The reference of a reply's dataset."""
    return reply["datasets"][number]["ref"]


def listed(items: Iterable[Any]) -> str:
    """Items as a list in a sentence."""
    return ", ".join(map(str, items))
