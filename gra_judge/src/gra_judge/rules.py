"""The rules that a judge is given, as data: each has an id, so that it can be found in a prompt and in a test."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from attrs import frozen

from gra_core import load


@frozen(kw_only=True)
class Rule:
    """One rule. `when` names the case in which it is given (empty: always); `zero`: no credit when it applies."""

    id: str
    text: str
    when: str = ""
    zero: bool = False


@frozen(kw_only=True)
class Section:
    """Rules under one heading."""

    title: str
    rule: tuple[Rule, ...]


@cache
def sections(name: str) -> tuple[Section, ...]:
    """The sections of a file of rules of this package, such as ``workflow_rules``."""
    table = tomllib.loads(files("gra_judge").joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    return load(table["section"], tuple[Section, ...], what=f"{name}.toml")


def rules(name: str, cases: frozenset[str] = frozenset()) -> tuple[Rule, ...]:
    """The rules that hold in these cases, in order."""
    return tuple(r for s in sections(name) for r in s.rule if not r.when or r.when in cases)


def as_text(name: str, cases: frozenset[str] = frozenset()) -> str:
    """The rules as a judge reads them: under headings, each with its id in brackets."""
    parts = []
    for section in sections(name):
        kept = [f"- [{r.id}] {r.text}" for r in section.rule if not r.when or r.when in cases]
        if kept:
            parts.append("\n".join([f"{section.title}:", *kept]))
    return "\n\n".join(parts)
