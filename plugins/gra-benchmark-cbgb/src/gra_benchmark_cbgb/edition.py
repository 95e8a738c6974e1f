"""Editions: which of the published questions are left out, and which answers are corrected, with reason and date."""

from __future__ import annotations

import datetime as dt
import hashlib
import importlib.resources
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from attrs import evolve, frozen

from gra_core import UsageError, load
from gra_core.converter import LoadError

VARIABLE = "GRA_CBGB_EDITION"
DEFAULT = "44"


@frozen(kw_only=True)
class Entry:
    """What an edition says of one question. What is not known is named in `unknown` and never filled with a guess.

    `key` is the entry's name, `id` the question's in the published file, `date` the day the entry was written down.
    """

    key: str
    reason: str
    date: dt.date
    id: str = ""
    tier: str = ""
    unknown: tuple[str, ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """The fields without which the entry cannot be applied."""
        return ("id",)


@frozen(kw_only=True)
class Exclusion(Entry):
    """A question that is left out."""


@frozen(kw_only=True)
class Correction(Entry):
    """A question with another reference answer than the published one, as the text of a number."""

    answer: str = ""

    @property
    def needs(self) -> tuple[str, ...]:
        return ("id", "answer")


@frozen(kw_only=True)
class Edition:
    """A named edition. An edition that `extends` another one has its entries as well; of two with one key, its own."""

    schema_version: Literal[1]
    name: str
    title: str
    source: str = ""
    extends: str = ""
    exclude: tuple[Exclusion, ...] = ()
    correct: tuple[Correction, ...] = ()
    sha256: str = ""

    @property
    def entries(self) -> list[Entry]:
        """All entries."""
        return [*self.exclude, *self.correct]

    @property
    def open(self) -> list[Entry]:
        """Entries that cannot be applied, because what they need is not known."""
        return [entry for entry in self.entries if entry.unknown]


def read_edition(name: str) -> Edition:
    """An edition by name, or of a TOML file. `UsageError` for a file that will not do."""
    return _read(name, seen=())


def built_in() -> list[str]:
    """The names of the editions that ship with this package."""
    folder = importlib.resources.files("gra_benchmark_cbgb").joinpath("editions")
    return sorted(
        entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")
    )


def _read(name: str, seen: tuple[str, ...]) -> Edition:
    if name in seen:
        raise UsageError(f"edition {name} extends itself: {' -> '.join((*seen, name))}")
    data, where = _data(name)
    try:
        edition = load(tomllib.loads(data.decode("utf-8")), Edition, what=where)
    except ValueError as error:
        raise UsageError(f"{where} is not TOML: {error}") from error
    except LoadError as error:
        raise UsageError(error.message, hint="the edition 44 of this package shows the form") from error
    edition = evolve(edition, sha256=hashlib.sha256(data).hexdigest())
    if edition.extends:
        edition = _merged(_read(_beside(edition.extends, name), (*seen, name)), edition)
    _check(edition, where)
    return edition


def _data(name: str) -> tuple[bytes, str]:
    if name.endswith(".toml"):
        try:
            return Path(name).expanduser().read_bytes(), name
        except OSError as error:
            raise UsageError(
                f"edition {name} cannot be read: {error.strerror}", hint=f"set {VARIABLE} to another file"
            ) from error
    if name not in built_in():
        raise UsageError(
            f"unknown edition {name!r} of cbgb",
            hint=f"editions: {', '.join(built_in())}, or the path of a .toml file in {VARIABLE}",
        )
    found = importlib.resources.files("gra_benchmark_cbgb").joinpath("editions", f"{name}.toml")
    return found.read_bytes(), f"editions/{name}.toml"


def _beside(base: str, name: str) -> str:
    """Paths in `extends` are relative to the file that they stand in."""
    return str(Path(name).expanduser().parent / base) if base.endswith(".toml") else base


def _merged(base: Edition, own: Edition) -> Edition:
    keys = {entry.key for entry in own.entries}
    return evolve(
        own,
        exclude=(*(entry for entry in base.exclude if entry.key not in keys), *own.exclude),
        correct=(*(entry for entry in base.correct if entry.key not in keys), *own.correct),
        sha256=hashlib.sha256(f"{base.sha256} {own.sha256}".encode()).hexdigest(),
    )


def _check(edition: Edition, where: str) -> None:
    entries = edition.entries
    for kind, names in (("key", [e.key for e in entries]), ("id", [e.id for e in entries if e.id])):
        if twice := _twice(names):
            raise UsageError(f"{where}: {kind} {', '.join(twice)} stands in two entries")
    for entry in entries:
        if strange := sorted(set(entry.unknown) - set(entry.needs)):
            raise UsageError(
                f"{where}, entry {entry.key}: {', '.join(strange)} is nothing such an entry needs"
            )
        for field in entry.needs:
            known, unknown = bool(getattr(entry, field)), field in entry.unknown
            if known == unknown:
                raise UsageError(
                    f"{where}, entry {entry.key}: {field} is {'given and called unknown' if known else 'missing'}",
                    hint=f'give {field}, or name it in `unknown = ["{field}"]`',
                )


def _twice(names: Iterable[str]) -> list[str]:
    names = list(names)
    return sorted({name for name in names if names.count(name) > 1})
