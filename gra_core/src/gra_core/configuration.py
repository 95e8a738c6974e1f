"""Configurations: a named selection of active plugins plus settings, written in TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Literal

import attrs
from attrs import field, frozen

from gra_core.converter import LoadError, dump, load
from gra_core.errors import ConfigurationError
from gra_core.model import ModelSettings
from gra_core.plugins import PluginSelection
from gra_core.usage import Price

Disclosure = Literal["native", "runner", "all"]
# The files being read, each for the sake of the one before: a file that extends itself would never end.
_reading: ContextVar[tuple[Path, ...]] = ContextVar("gra_configuration_files", default=())


@frozen(kw_only=True)
class Limits:
    """Limits of a trial: model calls (planning counted), working seconds, tokens of context (None: the model's), and
    turns in a row that make the very same tool calls: a model that is stuck ends before it has used up the others (0: no
    such limit)."""

    model_calls: int = 100
    wall_clock_s: float = 1800.0
    context_tokens: int | None = None
    repeated_calls: int = 10


@frozen(kw_only=True)
class Configuration:
    """Everything that a trial's agent is made of, but for the model.

    `skills` lists the skills to disclose (``"*"``: every active one), `tools` are declared from the start without
    a skill; `guidance` lists rule ids (``"*"``: every active one) less `guidance_off`. `tool_caps` bounds the
    calls of a tool per trial, with the rest of the quota in every reply. `source_choice` names a source per kind,
    `sources` holds the ``[sources.NAME]`` tables (base_url, timeout_s, retries and the source's own settings);
    `settings` is what tools read as ``ctx.settings``. `best_effort` None follows the command (on in runs, off in ask).
    """

    name: str
    title: str = ""
    extends: str = ""
    instructions: str = ""
    planner: str = ""
    executor: str = "reactive"
    disclosure: Disclosure = "native"
    skills: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    guidance: tuple[str, ...] = ()
    guidance_off: tuple[str, ...] = ()
    tool_caps: dict[str, int] = field(factory=dict)
    limits: Limits = Limits()
    source_choice: dict[str, str] = field(factory=dict)
    sources: dict[str, dict[str, Any]] = field(factory=dict)
    settings: dict[str, Any] = field(factory=dict)
    best_effort: bool | None = None
    plugins: PluginSelection = PluginSelection()
    model: ModelSettings = ModelSettings()
    prices: tuple[Price, ...] = ()


def parse_configuration(
    text: str, *, where: str, parent: Callable[[str], Mapping[str, Any]] | None = None
) -> Configuration:
    """A configuration from TOML text. `where` names the file in messages.

    With ``extends = "NAME"`` the table is laid over that configuration's (tables merge, everything else
    replaces). `ConfigurationError` names the line of broken TOML, or the path of an unknown or faulty key.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{where}: {error}", hint="see docs/configurations.md") from error
    if base := table.get("extends"):
        if parent is None:
            raise ConfigurationError(f"{where}: extends {base!r}, but nothing can be extended here")
        table = merge(parent(base), table)
    try:
        return load(table, Configuration, what=where)
    except LoadError as error:
        keys = ", ".join(f.name for f in attrs.fields(Configuration))
        line = _line_of(text, str(error))
        raise ConfigurationError(f"{error.message}{line}", hint=f"known keys: {keys}") from error


def read_configuration(
    path: Path, *, parent: Callable[[str], Mapping[str, Any]] | None = None
) -> Configuration:
    """A configuration from a TOML file; see `parse_configuration`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"configuration file {path} cannot be read: {error}") from error
    chain = (*_reading.get(), path.resolve())
    if chain.count(chain[-1]) > 1:
        raise ConfigurationError(
            f"{path} extends itself: {' → '.join(p.name for p in chain)}", hint="extend another configuration"
        )
    token = _reading.set(chain)
    try:
        return parse_configuration(text, where=str(path), parent=parent)
    finally:
        _reading.reset(token)


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Lay one table over another: tables merge key by key, everything else replaces."""
    merged = dict(base)
    for key, value in over.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if both else value
    return merged


def table_of(configuration: Configuration) -> dict[str, Any]:
    """The plain table of a configuration, as `extends` starts from."""
    return dump(configuration)


def _line_of(text: str, message: str) -> str:
    """The line of the first unknown key that the message quotes, when the text shows it."""
    import re

    for key in re.findall(r"extra fields found \(([\w-]+)", message):
        for number, line in enumerate(text.splitlines(), 1):
            if re.match(rf"\s*\[?\[?\"?{re.escape(key)}\b", line):
                return f" (line {number})"
    return ""
