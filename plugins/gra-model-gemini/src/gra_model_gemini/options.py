"""What ``[model.extra]`` of a configuration may set for this client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from attrs import field, frozen

from gra_core import ModelError, load
from gra_core.converter import LoadError

BUILT_IN = ("google_search", "google_maps", "code_execution", "url_context")


@frozen(kw_only=True)
class Options:
    """Settings of the Gemini client.

    `attempts` bounds the requests for one reply over faults that may pass, `rate_limit_wait_s` the total time
    spent on rate limits, `malformed_retries` the further requests after an unreadable function call (with a corrective
    turn) or a reply without candidates,
    `continuations` how often a reply cut at a server's limit is continued. `backoff_s` is the first pause
    between attempts; it doubles, with jitter, up to 60 s. `safety` maps a harm category to a threshold.
    `built_in` lists the provider's own tools to declare, `config` is laid over the request's
    ``GenerateContentConfig``. An empty `api_version` means: chosen by the model.
    """

    stream: bool = False
    api_version: str = ""
    timeout_s: float = 600.0
    attempts: int = 5
    backoff_s: float = 1.0
    rate_limit_wait_s: float = 900.0
    malformed_retries: int = 2
    continuations: int = 8
    include_thoughts: bool = True
    safety: dict[str, str] = field(factory=dict)
    built_in: tuple[str, ...] = ()
    config: dict[str, Any] = field(factory=dict)

    @classmethod
    def of(cls, extra: Mapping[str, Any]) -> Options:
        """Read `ModelSettings.extra`; `ModelError` names what is unknown or of the wrong type."""
        known = ", ".join(f.name for f in attrs.fields(cls))
        try:
            options = load(dict(extra), cls, what="model settings for gemini")
        except LoadError as error:
            raise ModelError("bad_request", error.message, hint=f"known settings: {known}") from error
        if unknown := [name for name in options.built_in if name not in BUILT_IN]:
            raise ModelError(
                "bad_request", f"unknown built-in tool {unknown[0]!r}", hint=f"known: {', '.join(BUILT_IN)}"
            )
        return options
