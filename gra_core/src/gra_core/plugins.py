"""Plugins: found by entry point, selected by name, loaded one by one so that a broken one stays alone."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import pluggy
from attrs import frozen

from gra_core import hookspecs
from gra_core.errors import PluginError, UnknownName
from gra_core.markers import ENTRY_POINT_GROUP, PROJECT


def normalize(name: str) -> str:
    """Names compare without regard to case, dots, dashes and underscores (as distribution names do)."""
    return re.sub(r"[-_.]+", "-", name).lower()


@frozen(kw_only=True)
class PluginSelection:
    """Which plugins are active: all, or `only` some, less those in `block`. Names are those of entry points or
    of distributions."""

    only: tuple[str, ...] = ()
    block: tuple[str, ...] = ()

    def adjusted(self, *, on: tuple[str, ...] = (), off: tuple[str, ...] = ()) -> PluginSelection:
        """The selection with some plugins switched on (when it leaves them out) and some switched off."""
        wanted = {normalize(n) for n in on}
        block = tuple(n for n in self.block if normalize(n) not in wanted) + off
        return PluginSelection(only=self.only + on if self.only else (), block=tuple(dict.fromkeys(block)))

    def keeps(self, names: set[str]) -> bool:
        """Whether a plugin known under these (normalised) names is active."""
        only, block = {normalize(n) for n in self.only}, {normalize(n) for n in self.block}
        return (not only or bool(names & only)) and not names & block


@frozen(kw_only=True)
class PluginRecord:
    """An active plugin, as every run records it."""

    name: str
    distribution: str
    version: str


@frozen(kw_only=True)
class PluginFailure:
    """A plugin that could not be loaded or asked, and why."""

    plugin: PluginRecord
    cause: str

    def __str__(self) -> str:
        p = self.plugin
        return f"plugin {p.name!r} of distribution {p.distribution} {p.version} is skipped: {self.cause}"


class PluginSet:
    """The loaded plugins and those that failed."""

    def __init__(self) -> None:
        self.manager = pluggy.PluginManager(PROJECT)
        self.manager.add_hookspecs(hookspecs)
        self.records: dict[str, PluginRecord] = {}
        self.failures: list[PluginFailure] = []

    def add(self, plugin: Any, name: str, *, distribution: str = "(local)", version: str = "0") -> None:
        """Register one plugin object; a fault becomes a `PluginFailure`."""
        record = PluginRecord(name=name, distribution=distribution, version=version)
        try:
            self.manager.register(plugin, name=name)
            self._refuse_misspelt(plugin)
        except Exception as error:
            if self.manager.has_plugin(name):
                self.manager.unregister(name=name)
            self.fail(record, error)
        else:
            self.records[name] = record

    def fail(self, record: PluginRecord, error: BaseException) -> None:
        """Remember why a plugin is out."""
        self.failures.append(PluginFailure(plugin=record, cause=f"{type(error).__name__}: {error}"))

    def ask(self, hook: str, **arguments: Any) -> Iterable[tuple[PluginRecord, Any]]:
        """Call a list hook of each plugin alone, in order of plugin name; a fault becomes a `PluginFailure`."""
        implementations = {i.plugin_name: i for i in getattr(self.manager.hook, hook).get_hookimpls()}
        for name in sorted(implementations):
            implementation = implementations[name]
            try:
                answer = implementation.function(*(arguments[a] for a in implementation.argnames))
                yield self.records[name], list(answer or ())
            except Exception as error:
                self.fail(self.records[name], error)

    def contents(self) -> dict[str, str]:
        """A hash of each active plugin's files (prompts, code and data of its package) by the plugin's name."""
        modules = {name: self.manager.get_plugin(name) for name in sorted(self.records)}
        return {n: content_of(getattr(m, "__name__", type(m).__module__)) for n, m in modules.items()}

    def raise_failures(self) -> None:
        """`PluginError` with every failure: inside a run a plugin must not be missing silently."""
        if self.failures:
            raise PluginError(
                "; ".join(map(str, self.failures)),
                hint="fix it, uninstall it, or leave it out with --no-plugin NAME",
            )

    def _refuse_misspelt(self, plugin: Any) -> None:
        names = {i.name for i in self.manager.get_hookcallers(plugin) or ()}
        known = {n for n in dir(hookspecs) if n.startswith("gra_")}
        if misspelt := sorted(n for n in names if n not in known):
            raise PluginError(
                f"implements unknown hook {', '.join(misspelt)}; hooks: {', '.join(sorted(known))}"
            )


@lru_cache(maxsize=256)
def content_of(module: str) -> str:
    """SHA-256 (first 20 hex digits) over the files of the top-level package that a module belongs to; its own file when it
    is alone. Two versions that carry the same number differ by it."""
    top = sys.modules.get(module.partition(".")[0])
    file = getattr(top, "__file__", None)
    if file is None:
        return ""
    root = Path(file).parent if hasattr(top, "__path__") else Path(file)
    files = [p for p in root.rglob("*") if p.is_file()] if root.is_dir() else [root]
    digest = hashlib.sha256()
    for path in sorted(p for p in files if p.suffix != ".pyc"):
        digest.update(f"{path.relative_to(root.parent).as_posix()}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def discover() -> list[EntryPoint]:
    """All installed plugins' entry points, by name, so that order never depends on installation."""
    return sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda e: (e.name, e.value))


def _names(entry: EntryPoint) -> set[str]:
    return {normalize(entry.name), normalize(entry.dist.name if entry.dist else entry.name)}


def refuse_unknown(names: Iterable[str], found: list[EntryPoint] | None = None) -> None:
    """`UnknownName` for a name that is no installed plugin's nor its distribution's."""
    found = discover() if found is None else found
    known = set().union(*map(_names, found))
    for wanted in names:
        if normalize(wanted) not in known:
            raise UnknownName(
                "plugin",
                wanted,
                {e.name for e in found},
                install=f"try `pip install gra-{normalize(wanted)}`",
            )


def load_plugins(
    selection: PluginSelection = PluginSelection(), *, found: list[EntryPoint] | None = None
) -> PluginSet:
    """Load the selected plugins. An unknown name in the selection is an `UnknownName`."""
    found = discover() if found is None else found
    refuse_unknown((*selection.only, *selection.block), found)
    named = [(e, _names(e)) for e in found]
    plugins = PluginSet()
    for entry, names in reversed(named):  # pluggy calls the last registered first
        if not selection.keeps(names):
            continue
        dist = (entry.dist.name, entry.dist.version) if entry.dist else ("(unknown)", "0")
        if entry.name in plugins.records:
            other = plugins.records[entry.name].distribution
            raise PluginError(
                f"plugin name {entry.name!r} is taken by both {other} and {dist[0]}", hint="uninstall one"
            )
        try:
            plugin = entry.load()
        except Exception as error:
            plugins.fail(PluginRecord(name=entry.name, distribution=dist[0], version=dist[1]), error)
        else:
            plugins.add(plugin, entry.name, distribution=dist[0], version=dist[1])
    return plugins
