"""What a failed request means: may it be tried again, when, and which `ModelError` it is otherwise."""

from __future__ import annotations

import importlib
import json
import re
from functools import lru_cache
from typing import Any

from attrs import evolve, frozen

from gra_core.model import ModelErrorKind

RETRIED = {408, 429, 500, 502, 503, 504}
OVERFLOW = re.compile(
    r"token count.{0,80}exceed|exceeds? the maximum number of tokens|input.{0,20}too long",
    re.IGNORECASE | re.DOTALL,
)
NO_CONNECTION = ("ConnectError", "ConnectTimeout", "ConnectionRefusedError")
NO_QUOTA = re.compile(r"\blimit: 0\b(?!\.)")
KEY_LIKE = re.compile(r"AIza[0-9A-Za-z_-]{20,}|(?<=[Bb]earer )[\w.~+/=-]+|(?<=[?&]key=)[^&\s\"']+")


@frozen(kw_only=True)
class Fault:
    """A failed request. `delay_s` is the pause the server asked for; `limited` marks a rate limit, `lost` a
    request whose answer did not arrive, so that its cost is not known."""

    kind: ModelErrorKind
    message: str
    hint: str = ""
    retry: bool = False
    limited: bool = False
    lost: bool = False
    delay_s: float | None = None


def fault_of(error: Exception, *, timeout_s: float) -> Fault | None:
    """The fault behind an exception of the SDK or its transport; None when it is neither. `timeout_s` is the time-out that
    they were under."""
    from google.genai import errors

    if isinstance(error, errors.APIError):
        return _refused(error)
    name = type(error).__name__
    if isinstance(error, (TimeoutError, *transport_errors())):
        lost = name not in NO_CONNECTION
        if "Timeout" in name:
            slow = f"no whole reply within timeout_s = {timeout_s:g} s ({name})"
            return Fault(kind="timeout", message=slow, retry=True, lost=lost)
        return Fault(kind="unavailable", message=f"{name}: {error}", retry=True, lost=lost)
    unreadable = (
        json.JSONDecodeError,
        errors.UnknownApiResponseError,
        _validation_error(),
        TypeError,
        AttributeError,
        RecursionError,
    )
    if isinstance(error, unreadable):
        return Fault(
            kind="unavailable",
            message=f"the reply could not be read ({name})",
            retry=True,
            lost=True,
        )
    if isinstance(error, ValueError):  # the SDK refuses a setting before it sends anything
        return Fault(kind="bad_request", message=str(error))
    return None


def without_secrets(text: str, key: str) -> str:
    """The text with the API key, and all that looks like one, removed."""
    if key:
        text = text.replace(key, "[key removed]")
    return KEY_LIKE.sub("[key removed]", text)


@lru_cache(maxsize=1)
def transport_errors() -> tuple[type[Exception], ...]:
    """The transport's errors: the SDK uses httpx2 or httpx, whichever is there."""
    found = []
    for name in ("httpx2", "httpx"):
        try:
            found.append(importlib.import_module(name).RequestError)
        except ImportError:
            continue
    return (*found, ConnectionError)


def _validation_error() -> type[Exception]:
    from pydantic import ValidationError

    return ValidationError


def _refused(error: Any) -> Fault:
    code, message = int(error.code or 0), str(error.message or error.status or f"HTTP status {error.code}")
    details = _details(error.details)
    fault = Fault(kind="bad_request", message=f"Gemini answered {code}: {message}")
    if code == 429:
        return _quota(fault, message, details, _delay(details, error.response))
    if code in (401, 403) or any(d.get("reason") == "API_KEY_INVALID" for d in details):
        return evolve(
            fault, kind="auth", hint="check GOOGLE_API_KEY or GEMINI_API_KEY, and what the key may do"
        )
    if code in RETRIED or code >= 500:
        kind: ModelErrorKind = "timeout" if code in (408, 504) else "unavailable"
        return evolve(fault, kind=kind, retry=code in RETRIED, delay_s=_delay(details, error.response))
    if code in (400, 413) and OVERFLOW.search(message):
        return evolve(fault, kind="context_overflow")
    if code == 404:
        return evolve(fault, hint="check the model's name; previews need api_version v1beta")
    return fault


def _quota(fault: Fault, message: str, details: list[dict[str, Any]], delay_s: float | None) -> Fault:
    violations = [v for d in details for v in d.get("violations") or () if isinstance(v, dict)]
    names = [str(v.get("quotaId", "")) for v in violations]
    names += [str((d.get("metadata") or {}).get("quota_limit", "")) for d in details]
    if any("perday" in name.lower() for name in names):
        return evolve(
            fault,
            kind="daily_quota",
            hint="the day's quota of this key is used up; go on tomorrow or with another plan",
        )
    if NO_QUOTA.search(message) or any(str(v.get("quotaValue", "")) == "0" for v in violations):
        # Waiting does not help either: as with a day's quota, no further trial of the run could do better.
        return evolve(fault, kind="daily_quota", hint="this key has no quota for this model: its limit is 0")
    return evolve(fault, kind="quota", retry=True, limited=True, delay_s=delay_s)


def _details(body: Any) -> list[dict[str, Any]]:
    error = body.get("error", body) if isinstance(body, dict) else {}
    details = error.get("details") if isinstance(error, dict) else None
    return [d for d in details if isinstance(d, dict)] if isinstance(details, list) else []


def _delay(details: list[dict[str, Any]], response: Any) -> float | None:
    """Seconds the server asked to wait: RetryInfo in the body, else the Retry-After header."""
    header = (getattr(response, "headers", None) or {}).get("retry-after", "")
    for text in (*(str(d.get("retryDelay", "")) for d in details), str(header)):
        if match := re.fullmatch(r"(\d+(?:\.\d+)?)s?", text.strip()):
            return float(match[1])
    return None
