"""Sources: where data of one kind comes from. Declared as data, opened on first use."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from gra_core.errors import ConfigurationError
from gra_core.lazy import load_object


@frozen(kw_only=True)
class Need:
    """One thing a source needs before it can work.

    `env` lists environment variables of which one must be set; `package` an importable module; `file` a path
    setting that must name an existing file or folder. `how` tells the user where to get it.
    """

    env: tuple[str, ...] = ()
    package: str = ""
    setting: str = ""
    how: str = ""

    def missing(self, settings: SourceSettings) -> str:
        """An empty text when the need is met, else what is missing and how to get it."""
        if self.env and not any(os.environ.get(name) for name in self.env):
            return f"set {' or '.join(self.env)}: {self.how}"
        if self.package and not _importable(self.package):
            return f"install {self.package}: {self.how}"
        if self.setting and not settings.get(self.setting):
            return f"setting {self.setting!r} is not set: {self.how}"
        return ""


def _importable(package: str) -> bool:
    from importlib.util import find_spec

    return find_spec(package) is not None


@frozen(kw_only=True)
class SourceSettings:
    """What a source's factory receives: from ``[sources.NAME]`` of the configuration and the environment.

    `base_url` has no trailing slash. `key` is the first set variable of the source's `key_env`; it is kept out
    of `repr`. `values` holds every other setting of the configuration.
    """

    base_url: str = ""
    timeout_s: float = 30.0
    retries: int = 2
    key: str = field(default="", repr=False)
    values: Mapping[str, Any] = field(factory=dict)

    def get(self, name: str, default: Any = None) -> Any:
        """A setting by name: `base_url` and `key` too."""
        if name in ("base_url", "key", "timeout_s", "retries"):
            return getattr(self, name) or default
        return self.values.get(name, default)


COMMON_SETTINGS = ("base_url", "timeout_s", "retries", "backoff_s", "max_bytes", "user_agent")


@frozen(kw_only=True)
class Source:
    """A declared source of one kind (``boundaries``, ``places``, ``statistics``, ``cyclones``, ``elevation``…).

    `factory` is ``"module:callable"`` and is called with `SourceSettings`; the object it returns implements the
    kind's protocol (for geospatial kinds see `gra_geo.protocols`). Arguments of its operations are JSON-ready;
    results are JSON-ready or of a type that a `DatasetFormat` stores, so that calls can be recorded.
    `priority` decides which ready source of a kind is used when none is chosen: highest first, then by name.
    `snapshot` names the version of the data (part of a dataset's identity); live sources leave it empty.
    `options` are the settings that it reads beside the common ones; any other in its table is an error.
    """

    kind: str
    name: str
    factory: str
    title: str
    needs: tuple[Need, ...] = ()
    key_env: tuple[str, ...] = ()
    base_url: str = ""
    coverage: str = ""
    resolution: str = ""
    period: str = ""
    licence: str = ""
    attribution: str = ""
    url: str = ""
    storable: bool = True
    live: bool = False
    priority: int = 0
    snapshot: str = ""
    options: tuple[str, ...] = ()

    @property
    def known_settings(self) -> set[str]:
        """The keys that its ``[sources.NAME]`` table may have."""
        return {*COMMON_SETTINGS, *self.options, *(need.setting for need in self.needs if need.setting)}

    def settings(self, values: Mapping[str, Any] | None = None) -> SourceSettings:
        """Merge configuration values, ``GRA_BASE_URL_<NAME>`` and the key's environment variable.

        `ConfigurationError` for a base_url that is no address, a timeout or a number of retries that is none.
        """
        values = dict(values or {})
        variable = "GRA_BASE_URL_" + self.name.upper().replace("-", "_")
        base_url = os.environ.get(variable) or values.pop("base_url", "") or self.base_url
        values.pop("base_url", None)
        key = next((os.environ[name] for name in self.key_env if os.environ.get(name)), "")
        if base_url and not re.match(r"https?://[^/\s]", str(base_url)):
            raise ConfigurationError(
                f"source {self.name}: base_url {str(base_url)!r} is no address",
                hint="it begins with http:// or https://",
            )
        timeout_s, retries = values.pop("timeout_s", 30.0), values.pop("retries", 2)
        if not _is_number(timeout_s) or not 0 < timeout_s < float("inf"):
            raise ConfigurationError(
                f"source {self.name}: timeout_s {timeout_s!r}: expected seconds, more than 0"
            )
        if not _is_number(retries) or retries < 0 or not float(retries).is_integer():
            raise ConfigurationError(
                f"source {self.name}: retries {retries!r}: expected 0 or a positive integer"
            )
        return SourceSettings(
            base_url=str(base_url).rstrip("/"),
            timeout_s=float(timeout_s),
            retries=int(retries),
            key=key,
            values=values,
        )

    def missing(self, settings: SourceSettings | None = None) -> list[str]:
        """What the source still needs here, each with how to get it; empty when it is ready."""
        settings = settings or self.settings()
        return [text for need in self.needs if (text := need.missing(settings))]

    def open(self, settings: SourceSettings) -> Any:
        """Make the source object (imports its module)."""
        return load_object(self.factory)(settings)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@frozen(kw_only=True)
class SourceCall:
    """One call of one operation of a source, as the `gra_call_source` hook sees it."""

    kind: str
    source: str
    operation: str
    arguments: dict[str, Any]


@frozen(kw_only=True)
class SourceUse:
    """That a tool call used a source: kept in the lineage of what it made."""

    kind: str
    source: str
    operation: str
    request: dict[str, Any]
    licence: str
    attribution: str
    storable: bool
    retrieved_at: str
    snapshot: str = ""
