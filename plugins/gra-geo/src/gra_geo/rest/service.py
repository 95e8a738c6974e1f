"""A service over HTTP: retries, the waits that it asks for, every failure as a `ToolError`."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import httpx

from gra_core import Clock, SourceSettings
from gra_core.errors import ErrorKind
from gra_geo.rest.faults import KINDS, Faults, Hints
from gra_geo.rest.reply import Reply, reason_of
from gra_geo.rest.waits import asked_wait, passes, used_up

CONNECT_S = 10.0
LONGEST_WAIT_S = 30.0
MOST_BYTES = 256 << 20
PATIENCE = 4  # a reply that trickles in may take this many times the time-out
HTML = ("text/html", "application/xhtml+xml")
# Faults that asking again cannot cure.
LASTING = (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.TooManyRedirects)


class RestService:
    """A client of one base URL. `service` names it in errors, `agent` is the distribution that asks (for the
    User-Agent), `explain` reads the reason out of an error reply, `kinds` says what a status means where it differs
    from `faults.KINDS`.

    Settings: base_url, key, timeout_s (to the first byte, and between two), retries, and beside them ``backoff_s``
    (the first pause, doubled each time and jittered; default 0.5 s), ``user_agent`` and ``max_bytes`` (of one reply,
    unpacked). All requests are taken for queries that may be repeated. The key goes out in the header that the caller
    gives; it is cut out of every message, and redirects are not followed with it.
    """

    def __init__(
        self,
        settings: SourceSettings,
        *,
        service: str,
        agent: str,
        headers: Mapping[str, str] | None = None,
        hints: Hints | None = None,
        kinds: Mapping[int, ErrorKind] | None = None,
        explain: Callable[[Reply], str] = reason_of,
    ) -> None:
        self._base_url, self._timeout_s, self._retries = (
            settings.base_url,
            settings.timeout_s,
            settings.retries,
        )
        self._whole_s = PATIENCE * self._timeout_s
        self._backoff_s = float(settings.get("backoff_s", 0.5))
        self._most_bytes = int(settings.get("max_bytes", MOST_BYTES))
        self._faults = Faults(
            service=service,
            hints=hints or Hints(),
            key=settings.key,
            kinds=KINDS | dict(kinds or {}),
            explain=explain,
        )
        sent = {"User-Agent": str(settings.get("user_agent") or announced(agent)), **(headers or {})}
        if not all(value.isascii() and value.isprintable() for value in sent.values()):
            raise self._faults.unsendable()
        timeout = httpx.Timeout(self._timeout_s, connect=min(CONNECT_S, self._timeout_s))
        self._client = httpx.Client(headers=sent, timeout=timeout, follow_redirects=not settings.key)

    def json(self, method: str, path: str, **content: Any) -> dict[str, Any]:
        """The JSON object that a request answers; `content` is what httpx takes (params, json, data, headers).

        `ToolError` as `call`, and ``upstream`` when something else comes.
        """
        reply = self.call(method, path, **content)
        try:
            body = reply.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise self._faults.no_object(reply)
        return body

    def text(self, path: str, **content: Any) -> str:
        """The text at a path. `ToolError` as `call`, and ``upstream`` for a web page: no data comes as HTML."""
        reply = self.call("GET", path, **content)
        if reply.media_type in HTML:
            raise self._faults.web_page()
        return reply.text

    def call(self, method: str, path: str, **content: Any) -> Reply:
        """The reply to a request, repeated after faults that may pass.

        `ToolError`: ``not_available`` for a refused key, ``quota`` for 429, ``bad_argument`` for 400, ``not_found``
        for 404, ``timeout`` when nothing came in time, else ``upstream``.
        """
        reply = self._repeated(method, self._base_url + path, content)
        if 200 <= reply.status < 300:
            return reply
        raise self._faults.of_reply(reply)

    def _repeated(self, method: str, url: str, content: dict[str, Any]) -> Reply:
        for attempt in range(max(0, self._retries) + 1):
            last = attempt >= self._retries
            wait_s = self._backoff_s * 2**attempt * random.uniform(0.75, 1.25)
            try:
                # The time-outs of httpx start anew with each byte, of the header too.
                reply = Clock().run(partial(self._once, method, url, content), timeout_s=self._whole_s)
            except httpx.TimeoutException:
                if last:
                    raise self._faults.slow(self._timeout_s, attempt + 1) from None
            except TimeoutError:
                if last:
                    raise self._faults.trickling(self._whole_s, attempt + 1) from None
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                if last or isinstance(error, LASTING):
                    raise self._faults.unreachable(self._base_url, error) from None
            else:
                if last or not passes(reply.status) or used_up(reply.status, reply.text):
                    return reply
                asked = asked_wait(reply.headers, reply.text)
                wait_s = wait_s if asked is None else asked
                if wait_s > LONGEST_WAIT_S:
                    return reply
            time.sleep(wait_s)
        raise AssertionError("unreachable")

    def _once(self, method: str, url: str, content: dict[str, Any]) -> Reply:
        """One request, its reply read up to the limits of size and time."""
        ends = time.monotonic() + self._whole_s
        data = bytearray()
        with self._client.stream(method, url, **content) as response:
            for piece in response.iter_bytes():
                data += piece
                if len(data) > self._most_bytes:
                    raise self._faults.too_large(self._most_bytes)
                if time.monotonic() > ends:
                    raise TimeoutError
        charset = response.charset_encoding or ""
        return Reply(status=response.status_code, headers=response.headers, data=bytes(data), charset=charset)


def announced(agent: str) -> str:
    """The User-Agent of a distribution: name, version and where to read about it."""
    try:
        number = version(agent)
    except PackageNotFoundError:
        number = "0"
    return f"{agent}/{number} (https://pypi.org/project/{agent}/)"
