"""What can go wrong with a service, as `ToolError` that says what to do next."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

from attrs import field, frozen

from gra_core import ToolError
from gra_core.errors import ErrorKind
from gra_geo.rest.reply import Reply, reason_of
from gra_geo.rest.waits import asked_wait

KINDS: dict[int, ErrorKind] = {
    400: "bad_argument", 413: "bad_argument", 414: "bad_argument", 422: "bad_argument",
    401: "not_available", 402: "not_available", 403: "not_available", 451: "not_available",
    404: "not_found", 410: "not_found", 408: "timeout", 504: "timeout", 429: "quota",
}  # fmt: skip
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*://)?(?:[^/?#]*@)?([^?#]*)", re.I)
SHORTEST_KEY = 4  # anything shorter is no secret, and cutting it out would spoil the message


@frozen(kw_only=True)
class Hints:
    """What to do next, in the words of one service: when it refuses (401, 403), when it does not accept the request
    (400), how to ask for less, and which setting holds its address."""

    refused: str = ""
    rejected: str = "check the arguments"
    less: str = "ask for less at once"
    address: str = "base_url of the source"


@frozen(kw_only=True)
class Faults:
    """Makes the errors of one service. `kinds` says what a status means; `explain` reads the reason out of a reply;
    the key is cut out of all that the service says."""

    service: str
    hints: Hints
    key: str = field(default="", repr=False)
    kinds: dict[int, ErrorKind] = field(default=KINDS)
    explain: Callable[[Reply], str] = reason_of

    def slow(self, timeout_s: float, attempts: int) -> ToolError:
        """No reply in time."""
        return ToolError(
            "timeout",
            f"{self.service} did not answer within {timeout_s:g} s ({attempts} attempts)",
            hint=f"{self.hints.less}, or raise timeout_s of the source",
        )

    def trickling(self, whole_s: float, attempts: int) -> ToolError:
        """A reply that began and did not end."""
        return ToolError(
            "timeout",
            f"{self.service} did not send a whole reply within {whole_s:g} s ({attempts} attempts)",
            hint=f"{self.hints.less}, or raise timeout_s of the source",
        )

    def unreachable(self, url: str, error: Exception) -> ToolError:
        """No connection. The error's own text is left out: it may hold the address with its secrets."""
        return ToolError(
            "upstream",
            f"{self.service} could not be reached at {bare_address(url)}: {type(error).__name__}",
            hint=f"check the network, and {self.hints.address}",
        )

    def too_large(self, most_bytes: int) -> ToolError:
        return ToolError(
            "upstream",
            f"{self.service} sent more than {most_bytes:,} bytes in one reply",
            hint=f"{self.hints.less}, or raise max_bytes of the source",
        )

    def unsendable(self) -> ToolError:
        return ToolError(
            "not_available",
            f"the key or user_agent of {self.service} holds characters that no request can carry",
            hint=self.hints.refused,
        )

    def no_object(self, reply: Reply) -> ToolError:
        """Something else than a JSON object came."""
        came = f" ({reply.media_type})" if reply.media_type else ""
        return ToolError(
            "upstream",
            f"{self.service} answered something else than a JSON object{came}",
            hint=f"what is not a JSON object is rarely the service's own: check {self.hints.address}, or try again later",
        )

    def web_page(self) -> ToolError:
        return ToolError(
            "upstream",
            f"{self.service} answered a web page where data was expected",
            hint=f"check {self.hints.address}, or try again later",
        )

    def of_reply(self, reply: Reply) -> ToolError:
        """A reply with the status of an error."""
        said, about = self._said(reply), f"(HTTP {reply.status})"
        kind = self.kinds.get(reply.status, "upstream")
        if kind == "bad_argument" and re.search(r"api.?key", said, re.I):
            kind = "not_available"  # as Google answers a wrong key
        if kind == "not_available":
            refused = f"{self.service} refused the {'key' if self.key else 'request'} {about}: {said}"
            return ToolError(kind, refused, hint=self.hints.refused)
        if kind == "quota":
            wait_s = asked_wait(reply.headers, reply.text)
            when = f"in {wait_s:.0f} s" if wait_s else "later"
            full = f"{self.service} takes no more requests now {about}: {said}"
            return ToolError(kind, full, hint=f"try again {when}, or {self.hints.less}")
        if kind == "not_found":
            absent = f"{self.service} has no such thing {about}: {said}"
            return ToolError(kind, absent, hint=f"check the id, and {self.hints.address}")
        if kind == "bad_argument":
            wrong = f"{self.service} did not accept the request {about}: {said}"
            return ToolError(kind, wrong, hint=self.hints.rejected)
        misled = 300 <= reply.status < 500 and kind == "upstream"
        advice = f"check {self.hints.address}" if misled else f"try again later, or {self.hints.less}"
        return ToolError(kind, f"{self.service} failed {about}: {said}", hint=advice)

    def _said(self, reply: Reply) -> str:
        """The service's own words, without the key."""
        said = self.explain(reply) or reply.phrase or "no reason given"
        if len(self.key) >= SHORTEST_KEY:
            for form in (self.key, quote(self.key, safe="")):
                said = said.replace(form, "[key]")
        return said[:300]


def bare_address(url: str) -> str:
    """An address without user name, password and query, which may be secrets; also of what is no address."""
    found = _ADDRESS.match(url)
    return "".join(part or "" for part in found.groups()) if found else ""
