"""Which faults pass by themselves, and how long a server asks to be left alone."""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Mapping

BUSY = frozenset({408, 425, 429})
LASTING = frozenset({501, 505, 511})  # of the 5xx
_NUMBER = re.compile(r"\d+(\.\d+)?", re.ASCII)
# Google's RetryInfo, a detail of an error body.
_RETRY_DELAY = re.compile(r'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"', re.ASCII)
# Daily quotas by name (…PerDay…, "per day") and limits of nothing at all: waiting does not help.
_SPENT = re.compile(r'per\s?day|"quotaValue"\s*:\s*"0"', re.IGNORECASE)


def passes(status: int) -> bool:
    """Whether another request may fare better: time-outs, rate limits and faults of the server."""
    return status in BUSY or (status >= 500 and status not in LASTING)


def asked_wait(headers: Mapping[str, str], body: str = "") -> float | None:
    """Seconds that a server asks to wait: ``Retry-After`` (seconds or a date), else Google's RetryInfo in the body;
    None when it asks for nothing. `headers` are looked up as ``retry-after``, so their names must be in lower case or
    compared without regard to it."""
    asked = headers.get("retry-after", "").strip()
    if _NUMBER.fullmatch(asked):
        return float(asked)
    if date := email.utils.parsedate_tz(asked) if asked else None:
        return max(0.0, email.utils.mktime_tz(date) - time.time())
    delay = _RETRY_DELAY.search(body)
    return float(delay[1]) if delay else None


def used_up(status: int, body: str) -> bool:
    """Whether a quota is gone for the day, so that asking again is in vain."""
    return status == 429 and bool(_SPENT.search(body))
