"""Dataset formats: how an object is written to the workspace or to a recording, read back and summarised."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

from attrs import frozen

from gra_core.lazy import load_object


class FormatHandler(Protocol):
    """Reads and writes one kind of object.

    A handler may also have ``preview(path, limit)`` for the viewer: see `gra_formats` in docs/hooks.md.
    """

    def write(self, value: Any, path: Path) -> None: ...

    def read(self, path: Path) -> Any: ...

    def summarize(self, value: Any, rows: int) -> dict[str, Any]:
        """Rows, columns and types, CRS, bounds and a few rows: small and JSON-ready."""
        ...


@frozen(kw_only=True)
class DatasetFormat:
    """A format by name. `type_names` are the qualified names of the types it stores, so that no library is
    imported to find it; `handler` is ``"module:object"`` of a `FormatHandler` factory."""

    name: str
    type_names: tuple[str, ...]
    extension: str
    handler: str

    def load(self) -> FormatHandler:
        """The handler, imported on first use."""
        return load_object(self.handler)()

    def stores(self, value: Any) -> bool:
        """Whether an object's type, or one it inherits from, is stored by this format."""
        return self.rank(value) is not None

    def rank(self, value: Any) -> int | None:
        """How close the object's type is to this format's: 0 for its own class, None for not at all."""
        for distance, cls in enumerate(type(value).__mro__):
            if f"{cls.__module__}.{cls.__qualname__}" in self.type_names:
                return distance
        return None


class JsonHandler:
    """Plain JSON data."""

    def write(self, value: Any, path: Path) -> None:
        # ASCII with escapes: lone surrogates have no UTF-8.
        path.write_text(json.dumps(value, allow_nan=False), encoding="utf-8")

    def read(self, path: Path) -> Any:
        return json.loads(path.read_text(encoding="utf-8"))

    def summarize(self, value: Any, rows: int) -> dict[str, Any]:
        if isinstance(value, list):
            return {"type": "list", "rows": len(value), "head": value[:rows]}
        if isinstance(value, dict):
            return {"type": "object", "keys": sorted(map(str, value))[:50]}
        return {"type": type(value).__name__, "value": value}


JSON_FORMAT = DatasetFormat(
    name="json",
    type_names=tuple(f"builtins.{t}" for t in ("dict", "list", "str", "int", "float", "bool", "NoneType")),
    extension=".json",
    handler="gra_core.format:JsonHandler",
)


def format_for(value: Any, formats: list[DatasetFormat]) -> DatasetFormat:
    """The format whose type is closest to the object's class; `TypeError` when there is none."""
    ranked = [(rank, f.name, f) for f in formats if (rank := f.rank(value)) is not None]
    if not ranked:
        known = ", ".join(sorted(t for f in formats for t in f.type_names))
        raise TypeError(f"no dataset format stores {type(value).__qualname__}; formats store: {known}")
    return min(ranked, key=lambda r: r[:2])[2]
