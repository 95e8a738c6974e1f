"""What went wrong with a request: its kind, and whether to ask again."""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Mapping
from typing import Any

from attrs import frozen

from gra_core.model import ModelErrorKind

_OVERFLOW = re.compile(
    r"context[ _]?(length|size|window)|maximum (context|prompt|input) length|prompt is too long|too many (input )?tokens"
    r"|input (is|was) too long|exceed_context_size",
    re.IGNORECASE,
)
_EXHAUSTED = re.compile(
    r"insufficient[_ ](quota|balance|credits?)|exceeded your current quota|billing_(hard_limit|not_active)|billing hard limit"
    r"|per[_ ]day|daily",
    re.IGNORECASE,
)
_NO_CONNECTION = ("ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol")


@frozen(kw_only=True)
class Failure:
    """One failed request. `after_s` is what the server asks to wait; `processed`: it may have done the work."""

    kind: ModelErrorKind
    message: str
    retry: bool = False
    after_s: float | None = None
    processed: bool = False


def status_failure(status: int, body: Any, headers: Mapping[str, str], *, text: str = "") -> Failure:
    """The failure behind an HTTP status (or the code in an error object) and its body."""
    code, message = _error_of(body, text)
    said = f"{code} {message}"
    shown = f"HTTP {status}: {message or 'no message'}" + (f" [{code}]" if code else "")
    if status == 402 or (status in (403, 429) and _EXHAUSTED.search(said)):
        return Failure(kind="daily_quota", message=shown)
    if status in (400, 413, 422, 500) and _OVERFLOW.search(said):
        return Failure(kind="context_overflow", message=shown)
    if status in (401, 403):
        return Failure(kind="auth", message=shown)
    retry = {"true": True, "false": False}.get(
        headers.get("x-should-retry", ""), status in (408, 409, 429) or status >= 500
    )
    kinds: dict[int, ModelErrorKind] = {408: "timeout", 429: "quota"}
    kind = kinds.get(status, "unavailable" if status >= 500 or status == 409 else "bad_request")
    return Failure(kind=kind, message=shown, retry=retry, after_s=asked_wait(headers))


def transport_failure(error: Exception, *, timeout_s: float) -> Failure:
    """The failure behind a connection that could not be made, timed out (after `timeout_s`), was dropped or cut short."""
    cause = error.__cause__ or error
    name, processed = type(cause).__name__, type(cause).__name__ not in _NO_CONNECTION
    if "Timeout" in name or "Timeout" in type(error).__name__:
        slow = f"no whole reply within timeout_s = {timeout_s:g} s ({name})"
        return Failure(kind="timeout", message=slow, retry=True, processed=processed)
    detail = f": {cause}" if str(cause) else ""
    return Failure(kind="unavailable", message=f"{name}{detail}", retry=True, processed=processed)


def body_failure(text: str) -> Failure:
    """A reply of status 200 that is no JSON object: cut short, or from something that is no such server."""
    shown = text.strip()[:200] or "nothing"
    return Failure(
        kind="unavailable", message=f"the reply is not a JSON object: {shown}", retry=True, processed=True
    )


def inline_failure(raw: dict[str, Any]) -> Failure | None:
    """The error that some gateways put into a reply of status 200."""
    error = raw.get("error")
    if not error or raw.get("choices"):
        return None
    code = str(error.get("code")) if isinstance(error, dict) else ""
    status = int(code) if code.isdigit() and 400 <= int(code) <= 599 else 500
    return status_failure(status, raw, {})


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that ``Retry-After-Ms`` or ``Retry-After`` (seconds or a date) ask for."""
    for header, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            value = float(headers.get(header, "")) / unit
        except ValueError:
            continue
        if 0 <= value < float("inf"):
            return value
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return max(0.0, email.utils.mktime_tz(date) - time.time()) if date else None


def _error_of(body: Any, text: str) -> tuple[str, str]:
    """Code (or type) and message of the known shapes of an error body."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, str):
        return "", error
    if not isinstance(error, dict):
        return "", text.strip()[:500]
    code = error.get("code") if isinstance(error.get("code"), str) else None
    message = error.get("message") or error.get("detail") or text.strip()[:500]
    return str(code or error.get("type") or ""), str(message)
