"""What a service answered, and the reason inside an error body."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from attrs import frozen


@frozen(kw_only=True)
class Reply:
    """A whole reply. `headers` ignore the case of names; `charset` is what the server states, or ""."""

    status: int
    headers: Mapping[str, str]
    data: bytes
    charset: str = ""

    @property
    def media_type(self) -> str:
        """``application/json`` and the like, in lower case; "" when not stated."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The body as text, in the stated character set or UTF-8."""
        try:
            return self.data.decode(self.charset or "utf-8", "replace")
        except LookupError:
            return self.data.decode("utf-8", "replace")

    @property
    def phrase(self) -> str:
        """What the status means, in HTTP's words."""
        try:
            return HTTPStatus(self.status).phrase
        except ValueError:
            return ""

    def json(self) -> Any:
        """The body as JSON; `ValueError` when it is none."""
        try:
            return json.loads(self.data)
        except RecursionError as error:
            raise ValueError("nested too deep") from error


def reason_of(reply: Reply) -> str:
    """The reason inside a JSON error body; "" when there is none."""
    try:
        return reason_in(reply.json())
    except ValueError:
        return ""


def reason_in(body: Any) -> str:
    """The reason in the forms that services use: Google's ``{"error": {status, message, details}}``, ArcGIS's details
    in plain text, ``{"error": text}``, and ``message``, ``reason`` or ``detail`` beside a code."""
    error = body.get("error", body) if isinstance(body, dict) else None
    if not isinstance(error, dict):
        parts = [error if isinstance(error, str) else "", *_texts(body, "message", "reason", "detail")]
    else:
        parts = [
            " ".join(_texts(error, "status", "message", "reason", "detail")),
            *_details(error.get("details")),
        ]
    return "; ".join(dict.fromkeys(part for part in parts if part))


def _texts(body: Any, *names: str) -> list[str]:
    found = [body.get(name) for name in names] if isinstance(body, dict) else []
    return [text for text in found if isinstance(text, str)]


def _details(details: Any) -> Iterator[str]:
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, str):
            yield detail
        elif isinstance(detail, dict) and isinstance(detail.get("reason"), str):
            yield detail["reason"]
