"""Where the API is and with which key: from the environment, under the provider's usual names."""

from __future__ import annotations

import os

from attrs import field, frozen

from gra_core import UsageError

KEY_VARIABLES = ("GOOGLE_API_KEY", "GEMINI_API_KEY")  # the first one set wins, as in Google's own SDK
BASE_URL_VARIABLES = ("GRA_BASE_URL_GEMINI", "GOOGLE_GEMINI_BASE_URL")
HOW = "get a key at https://aistudio.google.com/apikey"


@frozen(kw_only=True)
class Access:
    """An API key and a base URL (empty: the provider's own). The key stays out of `repr`."""

    key: str = field(repr=False)
    base_url: str = ""

    @classmethod
    def from_environment(cls) -> Access:
        """`UsageError` names the variables when no key is set."""
        key = _first(KEY_VARIABLES)
        if not key:
            raise UsageError("Gemini needs an API key, and none is set", hint=missing_key()[0])
        return cls(key=key, base_url=_first(BASE_URL_VARIABLES).rstrip("/"))


def missing_key() -> list[str]:
    """What is missing here, with how to get it; empty when a key is set."""
    return [] if _first(KEY_VARIABLES) else [f"set {' or '.join(reversed(KEY_VARIABLES))}: {HOW}"]


def _first(names: tuple[str, ...]) -> str:
    return next((value.strip() for name in names if (value := os.environ.get(name, "")).strip()), "")
