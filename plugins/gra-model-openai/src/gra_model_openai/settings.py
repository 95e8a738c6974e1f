"""Where the server is, and how patient the client is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from attrs import field, fields, frozen

from gra_core import UsageError

OFFICIAL_URL = "https://api.openai.com/v1"
URL_VARIABLES = ("GRA_BASE_URL_OPENAI", "OPENAI_BASE_URL")
KEY_VARIABLE = "OPENAI_API_KEY"


@frozen(kw_only=True)
class Endpoint:
    """Address and key of a server. A server other than OpenAI's may do without a key."""

    base_url: str = OFFICIAL_URL
    key: str = field(default="", repr=False)

    @classmethod
    def of_environment(cls) -> Endpoint:
        """From ``GRA_BASE_URL_OPENAI``, else ``OPENAI_BASE_URL``, else OpenAI's address; key from ``OPENAI_API_KEY``."""
        url = next(
            (os.environ[name].strip() for name in URL_VARIABLES if os.environ.get(name, "").strip()),
            OFFICIAL_URL,
        )
        return cls(base_url=url.rstrip("/"), key=os.environ.get(KEY_VARIABLE, "").strip())

    @classmethod
    def ready(cls) -> Endpoint:
        """The endpoint of the environment; `UsageError` when it cannot be used as it is."""
        endpoint = cls.of_environment()
        if urlsplit(endpoint.base_url).scheme not in ("http", "https"):
            raise UsageError(
                f"base URL {endpoint.identity!r} of the OpenAI-compatible server is not an http(s) address",
                hint=f"set {URL_VARIABLES[0]} to something like http://localhost:11434/v1",
            )
        if missing := endpoint.missing():
            raise UsageError(f"openai models are not ready: {missing[0]}")
        return endpoint

    @property
    def official(self) -> bool:
        return self.base_url == OFFICIAL_URL

    @property
    def identity(self) -> str:
        """The address without user, password, query and fragment; empty for OpenAI's own."""
        if self.official:
            return ""
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    def missing(self) -> list[str]:
        """What has to be set before a client can be opened."""
        if self.key or not self.official:
            return []
        own = f"{URL_VARIABLES[0]} for a server of your own such as http://localhost:11434/v1"
        return [f"set {KEY_VARIABLE} (https://platform.openai.com/api-keys), or {own}"]


@frozen(kw_only=True)
class Patience:
    """Client settings that a configuration may give among ``[model.extra]``; other keys go into the request.

    `timeout_s` bounds one HTTP request, `retries` the repeats of a failed one, `max_wait_s` a single wait: a
    server that asks for more is given up, and `rate_limit_wait_s` all waits for rate limits for one reply. `backoff_s` is the first pause between attempts; it doubles, with jitter. `max_tokens_field` is the name under which the output limit is sent;
    empty chooses ``max_completion_tokens`` for OpenAI and ``max_tokens``, which every server knows, elsewhere.
    """

    timeout_s: float = field(default=600.0, converter=float)
    retries: int = field(default=5, converter=int)
    max_wait_s: float = field(default=120.0, converter=float)
    rate_limit_wait_s: float = field(default=900.0, converter=float)
    backoff_s: float = field(default=0.5, converter=float)
    max_tokens_field: str = ""


def split_extra(extra: Mapping[str, Any]) -> tuple[Patience, dict[str, Any]]:
    """Part `ModelSettings.extra` into client settings and fields of the request body."""
    names = {f.name for f in fields(Patience)}
    own = {key: value for key, value in extra.items() if key in names}
    try:
        return Patience(**own), {key: value for key, value in extra.items() if key not in names}
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"model settings {own} cannot be used: {error}",
            hint="timeout_s, retries, max_wait_s, rate_limit_wait_s and backoff_s are numbers",
        ) from error
