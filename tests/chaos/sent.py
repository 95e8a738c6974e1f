"""What a server sends, fault and all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from attrs import field, frozen

HTML = {"Content-Type": "text/html"}
PAGE = b"<!doctype html><html><body>Sign in to go on.</body></html>"


@frozen(kw_only=True)
class Sent:
    """A reply on the wire. A body is bytes, text or JSON-ready.

    `drip_s` is the pause after each byte of `dripping` (its head, or the body); `cut` ends the connection after that many
    bytes of the body, though more were announced; `reset` ends it before anything is sent.
    """

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(factory=dict)
    drip_s: float = 0.0
    dripping: Literal["head", "body"] = "body"
    cut: int | None = None
    reset: bool = False
