"""The sources of one trial or command: chosen, opened once, every call observed."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gra_core.errors import ToolError, UnknownName, UsageError
from gra_core.source import Source, SourceCall, SourceUse

if TYPE_CHECKING:
    from gra_core.registry import Registry


class Sources:
    """Sources by kind. `chosen` maps a kind to a source's name; `settings` holds ``[sources.NAME]`` tables."""

    def __init__(
        self,
        registry: Registry,
        chosen: Mapping[str, str] | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.registry = registry
        self._chosen = dict(chosen or {})
        self._settings = settings or {}
        self._open: dict[tuple[str, str], Any] = {}
        self._lock = threading.RLock()
        for kind, name in self._chosen.items():
            self.declared(kind, name)
        for name, table in self._settings.items():
            self._check_settings(name, table)

    def declared(self, kind: str, name: str) -> Source:
        """A source by kind and name; `UnknownName` lists what is installed."""
        of_kind = {s.name: s for s in self.registry.sources if s.kind == kind}
        if not of_kind:
            kinds = {s.kind for s in self.registry.sources}
            raise UnknownName(
                "source kind", kind, kinds, install=f"install a plugin with a source of kind {kind!r}"
            )
        if name not in of_kind:
            raise UnknownName(
                f"source of kind {kind!r}:", name, of_kind, install="see `gra-bench list sources`"
            )
        return of_kind[name]

    def _check_settings(self, name: str, table: Mapping[str, Any]) -> None:
        """Refuse a table of a source that does not exist, and keys that no source of that name reads."""
        named = [s for s in self.registry.sources if s.name == name]
        if not named:
            names = {s.name for s in self.registry.sources}
            raise UnknownName(
                "source", name, names, install=f"in [sources.{name}]; see `gra-bench list sources`"
            )
        known = set().union(*(s.known_settings for s in named))
        for key in table:
            if key not in known:
                raise UnknownName("setting", key, known, install=f"in [sources.{name}]")

    def missing(self, source: Source) -> list[str]:
        """What a source still needs here; empty when it is ready."""
        return source.missing(source.settings(self._settings.get(source.name)))

    def choose(self, kind: str) -> Source:
        """The chosen source of a kind, else the first ready one; `ToolError` ``not_available`` with the reasons."""
        if kind in self._chosen:
            candidates = [self.declared(kind, self._chosen[kind])]
        else:
            candidates = sorted(
                (s for s in self.registry.sources if s.kind == kind), key=lambda s: (-s.priority, s.name)
            )
        reasons = []
        for source in candidates:
            if not (missing := self.missing(source)):
                return source
            reasons.append(f"{source.name}: {'; '.join(missing)}")
        raise ToolError(
            "not_available",
            f"no source of kind {kind!r} is ready" + (f": {' | '.join(reasons)}" if reasons else ""),
            hint="set what is missing, or choose another with --source KIND=NAME"
            if reasons
            else f"install a plugin with a source of kind {kind!r}",
        )

    def open(
        self, kind: str, name: str = "", *, note: Callable[[SourceUse], None] | None = None
    ) -> SourceHandle:
        """A handle on a source. `note` is told of every call (for lineage)."""
        source = self.declared(kind, name) if name else self.choose(kind)
        if missing := self.missing(source):
            raise ToolError("not_available", f"source {source.name} is not ready: {'; '.join(missing)}")
        return SourceHandle(self, source, note)

    def instance(self, source: Source) -> Any:
        """The source object, made once."""
        key = (source.kind, source.name)
        with self._lock:
            if key not in self._open:
                self._open[key] = source.open(source.settings(self._settings.get(source.name)))
            return self._open[key]

    def call(
        self,
        source: Source,
        operation: str,
        arguments: dict[str, Any],
        note: Callable[[SourceUse], None] | None,
    ) -> Any:
        """Call an operation through the `gra_call_source` chain."""
        call = SourceCall(kind=source.kind, source=source.name, operation=operation, arguments=arguments)
        result = self.registry.call_source(call, SourceCallContext(self, source))
        if note:
            note(self._use(source, call))
        return result

    @staticmethod
    def _use(source: Source, call: SourceCall) -> SourceUse:
        return SourceUse(
            kind=source.kind,
            source=source.name,
            operation=call.operation,
            request=call.arguments,
            licence=source.licence,
            attribution=source.attribution,
            storable=source.storable,
            snapshot=source.snapshot,
            retrieved_at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        )

    def snapshot(self) -> dict[str, str]:
        """Kind to ``name@snapshot`` of what would be used now; kinds without a ready source are left out."""
        used = {}
        for kind in sorted({s.kind for s in self.registry.sources}):
            try:
                source = self.choose(kind)
            except ToolError:
                continue
            used[kind] = f"{source.name}@{source.snapshot or 'live'}"
        return used


class SourceCallContext:
    """What `gra_call_source` implementations see: the declared source, and how to make the real call."""

    def __init__(self, sources: Sources, source: Source) -> None:
        self.sources, self.source = sources, source

    def perform(self, call: SourceCall) -> Any:
        """The real call."""
        return getattr(self.sources.instance(self.source), call.operation)(**call.arguments)


class SourceHandle:
    """A source as tools use it: its operations are methods, called with keyword arguments only."""

    def __init__(self, sources: Sources, source: Source, note: Callable[[SourceUse], None] | None) -> None:
        self._sources, self.declaration, self._note = sources, source, note

    @property
    def name(self) -> str:
        return self.declaration.name

    def offers(self, operation: str) -> bool:
        """Whether the source has an operation."""
        return callable(getattr(self._sources.instance(self.declaration), operation, None))

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        if operation.startswith("_"):
            raise AttributeError(operation)
        if not self.offers(operation):
            raise UsageError(
                f"source {self.name} of kind {self.declaration.kind} has no operation {operation!r}"
            )

        def call(**arguments: Any) -> Any:
            return self._sources.call(self.declaration, operation, arguments, self._note)

        return call
