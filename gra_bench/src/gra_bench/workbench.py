"""What every command sets up: plugins, configuration, sources."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from gra_core import Configuration, PluginSelection, Registry, Sources, UsageError, read_configuration
from gra_core.configuration import merge, table_of
from gra_core.plugins import refuse_unknown
from gra_core.recording import Recorder, Recording, Replayer


def pairs(values: tuple[str, ...], option: str) -> dict[str, str]:
    """``KIND=NAME`` options as a mapping; `UsageError` for another form."""
    made = {}
    for value in values:
        kind, equals, name = value.partition("=")
        if not (kind and equals and name):
            raise UsageError(f"{option} {value!r}: expected KIND=NAME, for example {option} boundaries=atlas")
        made[kind] = name
    return made


def find_configuration(name: str, registry: Registry) -> Configuration:
    """A configuration by name, or of a TOML file when the name ends in .toml."""
    if not name.endswith(".toml"):
        return registry.configurations[name]

    def parent(base: str, folder: Path = Path(name).parent) -> Mapping[str, Any]:
        if not base.endswith(".toml"):
            return table_of(registry.configurations[base])
        path = folder / base
        return table_of(read_configuration(path, parent=lambda b: parent(b, path.parent)))

    return read_configuration(Path(name), parent=parent)


@frozen(kw_only=True)
class WorkbenchOptions:
    """What a `Workbench` is made of, for making the same one in another process. Paths are absolute."""

    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    choice: tuple[tuple[str, str], ...] = ()
    record: Path | None = None
    replay: Path | None = None


class Workbench:
    """A registry for commands, and one for each configuration that selects other plugins."""

    def __init__(
        self, *, on: tuple[str, ...] = (), off: tuple[str, ...] = (), choice: Mapping[str, str] | None = None,
        record: Path | None = None, replay: Path | None = None, settings: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        if record and replay:
            raise UsageError("--record and --replay exclude each other")
        if replay and not any(replay.glob("*.json")):
            raise UsageError(f"--replay {replay}: there is no recording", hint="make one with --record DIR")
        refuse_unknown((*on, *off))
        self._on, self._off = on, off
        self._choice = dict(choice or {})
        self._record, self._replay = record, replay
        self.settings = dict(settings or {})
        self._registries: dict[PluginSelection, Registry] = {}
        self.registry = self._load(PluginSelection())
        if sandbox := self.settings.get("sandbox"):
            self.registry.sandboxes[sandbox]

    @property
    def options(self) -> WorkbenchOptions:
        """What another process needs for the same workbench. `settings` are in the configurations already."""
        return WorkbenchOptions(
            on=self._on, off=self._off, choice=tuple(sorted(self._choice.items())),
            record=self._record and self._record.resolve(), replay=self._replay and self._replay.resolve(),
        )  # fmt: skip

    @classmethod
    def of(cls, options: WorkbenchOptions) -> Workbench:
        """The workbench that `options` describe."""
        return cls(
            on=options.on,
            off=options.off,
            choice=dict(options.choice),
            record=options.record,
            replay=options.replay,
        )

    def _load(self, selection: PluginSelection) -> Registry:
        selection = selection.adjusted(on=self._on, off=self._off)
        if selection not in self._registries:
            registry = Registry.load(selection)
            if self._record:
                registry.plugins.manager.register(
                    Recorder(Recording(self._record, registry.formats)), name="gra-bench-record"
                )
            if self._replay:
                registry.plugins.manager.register(
                    Replayer(Recording(self._replay, registry.formats)), name="gra-bench-replay"
                )
            self._registries[selection] = registry
        return self._registries[selection]

    def configuration(self, name: str) -> Configuration:
        """A configuration with the command line's source choices and tool settings laid over it."""
        found = find_configuration(name, self.registry)
        return evolve(
            found,
            source_choice=found.source_choice | self._choice,
            settings=merge(found.settings, self.settings),
        )

    def registry_of(self, configuration: Configuration) -> Registry:
        """The registry of the plugins that a configuration selects; failures inside it are errors."""
        registry = self._load(configuration.plugins)
        for catalogue in ("skills", "sources", "formats", "planners", "executors", "guidance", "sandboxes"):
            getattr(registry, catalogue)
        registry.plugins.raise_failures()
        return registry

    def sources(self, configuration: Configuration | None = None) -> Sources:
        """The sources of a configuration, or those the command line chooses."""
        if configuration is None:
            return Sources(self.registry, self._choice)
        return Sources(self.registry_of(configuration), configuration.source_choice, configuration.sources)
