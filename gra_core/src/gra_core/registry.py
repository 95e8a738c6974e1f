"""The registry: everything the active plugins provide, flat, by name, without duplicates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Generic, TypeVar

from attrs import frozen

from gra_core.autorater import Autorater
from gra_core.benchmark import Benchmark, Scorer
from gra_core.configuration import Configuration
from gra_core.errors import DuplicateName, UnknownName
from gra_core.format import JSON_FORMAT, DatasetFormat
from gra_core.guidance import GuidanceRule
from gra_core.markers import hookimpl
from gra_core.model import Model, ModelFamily
from gra_core.plugins import PluginRecord, PluginSelection, PluginSet, load_plugins
from gra_core.sandbox import Sandbox
from gra_core.skill import Skill
from gra_core.source import Source, SourceCall
from gra_core.strategy import Executor, Planner
from gra_core.tool import Tool

T = TypeVar("T")


@frozen(kw_only=True)
class Entry(Generic[T]):
    """A provided thing and the plugin it comes from."""

    value: T
    plugin: PluginRecord


class Catalogue(Mapping[str, T]):
    """Things of one kind by name; a missing name raises `UnknownName` with near names."""

    def __init__(self, kind: str, entries: Iterable[tuple[str, Entry[T]]]) -> None:
        self.kind = kind
        self.entries: dict[str, Entry[T]] = {}
        for name, entry in entries:
            if (other := self.entries.get(name)) is not None:
                first, second = other.plugin, entry.plugin
                raise DuplicateName(
                    f"{kind} {name!r} is provided by both {first.distribution} (plugin {first.name!r}) and "
                    f"{second.distribution} (plugin {second.name!r})",
                    hint=f"leave one out with --no-plugin {second.name}",
                )
            self.entries[name] = entry

    def __getitem__(self, name: str) -> T:
        if name not in self.entries:
            install = (
                f"try `pip install gra-{self.kind}-{name}`" if self.kind in ("skill", "benchmark") else ""
            )
            raise UnknownName(
                self.kind, name, self.entries, install=install or f"see `gra-bench list {self.kind}s`"
            )
        return self.entries[name].value

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.entries))

    def __len__(self) -> int:
        return len(self.entries)

    def plugin(self, name: str) -> PluginRecord:
        """Which plugin provides a name."""
        self[name]
        return self.entries[name].plugin


class _RealCalls:
    """Ends of the two call chains: makes the real call."""

    @hookimpl(trylast=True)
    def gra_call_tool(self, call: Any, context: Any) -> Any:
        return context.perform(call)

    @hookimpl(trylast=True)
    def gra_call_source(self, call: Any, context: Any) -> Any:
        # Wrapped, since a real answer of None must not look like "pass it on".
        return Answer(context.perform(call))


class Answer:
    """What a source answered; wrapped, so that None is an answer too."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Registry:
    """What the active plugins provide. Each catalogue is made on first use."""

    def __init__(self, plugins: PluginSet) -> None:
        self.plugins = plugins
        plugins.manager.register(_RealCalls(), name="gra-core-real-calls")

    @classmethod
    def load(cls, selection: PluginSelection = PluginSelection()) -> Registry:
        """The registry of the installed plugins that a selection keeps."""
        return cls(load_plugins(selection))

    def _catalogue(
        self, kind: str, hook: str, name: Callable[[Any], str] = lambda v: v.name
    ) -> Catalogue[Any]:
        entries = [
            (name(value), Entry(value=value, plugin=record))
            for record, values in self.plugins.ask(hook)
            for value in values
        ]
        return Catalogue(kind, entries)

    @cached_property
    def skills(self) -> Catalogue[Skill]:
        """The skills whose SKILL.md and tools are sound; a plugin with a faulty one is noted as a failure."""
        entries = []
        for record, skills in self.plugins.ask("gra_skills"):
            try:
                for skill in skills:
                    skill.check()
            except Exception as error:
                self.plugins.fail(record, error)
            else:
                entries += [(skill.name, Entry(value=skill, plugin=record)) for skill in skills]
        return Catalogue("skill", entries)

    @cached_property
    def tools(self) -> Catalogue[Tool]:
        """The tools of all skills."""
        entries = [
            (tool.name, Entry(value=tool, plugin=entry.plugin))
            for entry in self.skills.entries.values()
            for tool in entry.value.tools
        ]
        return Catalogue("tool", entries)

    @cached_property
    def sources(self) -> list[Source]:
        """All declared sources, by kind and name."""
        catalogue = self.source_catalogue
        return [catalogue[key] for key in catalogue]

    @cached_property
    def source_catalogue(self) -> Catalogue[Source]:
        """Sources under ``kind=name``."""
        return self._catalogue("source", "gra_sources", lambda s: f"{s.kind}={s.name}")

    @cached_property
    def formats(self) -> list[DatasetFormat]:
        catalogue = self._catalogue("format", "gra_formats")
        return [catalogue[name] for name in catalogue] + [JSON_FORMAT]

    @cached_property
    def model_families(self) -> Catalogue[ModelFamily]:
        return self._catalogue("model", "gra_model_families", lambda f: f.prefix)

    @cached_property
    def planners(self) -> Catalogue[Planner]:
        return self._catalogue("planner", "gra_planners")

    @cached_property
    def executors(self) -> Catalogue[Executor]:
        return self._catalogue("executor", "gra_executors")

    @cached_property
    def guidance(self) -> Catalogue[GuidanceRule]:
        return self._catalogue("guidance rule", "gra_guidance", lambda r: r.id)

    @cached_property
    def scorers(self) -> Catalogue[Scorer]:
        return self._catalogue("scorer", "gra_scorers")

    @cached_property
    def autoraters(self) -> Catalogue[Autorater]:
        return self._catalogue("autorater", "gra_autoraters")

    @cached_property
    def benchmarks(self) -> Catalogue[Benchmark]:
        return self._catalogue("benchmark", "gra_benchmarks")

    @cached_property
    def sandboxes(self) -> Catalogue[Sandbox]:
        return self._catalogue("sandbox", "gra_sandboxes")

    @cached_property
    def configurations(self) -> Catalogue[Configuration]:
        return self._catalogue("configuration", "gra_configurations")

    def model(self, model_id: str) -> Model:
        """The model of an id; `UnknownName` lists the known prefixes. A plugin may raise `UsageError`."""
        model = self.plugins.manager.hook.gra_models(model_id=model_id)
        if model is None:
            known = [f.example or f.prefix for f in self.model_families.values()]
            raise UnknownName(
                "model", model_id, known, install="a model id is PREFIX:NAME; see `gra-bench list models`"
            )
        return model

    def call_tool(self, call: Any, context: Any) -> Any:
        """Send a tool call through the `gra_call_tool` chain."""
        return self.plugins.manager.hook.gra_call_tool(call=call, context=context)

    def call_source(self, call: SourceCall, context: Any) -> Any:
        """Send a source call through the `gra_call_source` chain."""
        answer = self.plugins.manager.hook.gra_call_source(call=call, context=context)
        return answer.value if isinstance(answer, Answer) else answer

    def tell(self, event: Any, context: Any) -> None:
        """Hand an event to every observer; a faulty one is told of once and goes on being skipped."""
        for implementation in self.plugins.manager.hook.gra_event.get_hookimpls():
            known = {"event": event, "context": context}
            try:
                implementation.function(*(known[a] for a in implementation.argnames))
            except Exception as error:
                record = self.plugins.records.get(implementation.plugin_name)
                if record and not any(f.plugin == record for f in self.plugins.failures):
                    self.plugins.fail(record, error)
