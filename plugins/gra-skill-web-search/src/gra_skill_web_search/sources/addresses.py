"""Which addresses a page may be read from: public ones, unless private ones are allowed.

The name is resolved once, every address it has is checked, and the connection goes to one that was checked: a
name that changes its mind in between, or a redirect, reaches nothing else.
"""

from __future__ import annotations

import ipaddress
import socket

import httpx

from gra_core import ToolError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
HINT = "give a public address; the setting allow_private_hosts lets private ones through"


def checked_url(text: str) -> httpx.URL:
    """An http or https address with a host and without user name; `ToolError` ``bad_argument`` otherwise."""
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, ValueError) as error:
        raise ToolError(
            "bad_argument", f"{text!r} is not an address: {error}", hint="give a full http(s) URL"
        ) from None
    if url.scheme not in ("http", "https") or not url.host:
        raise ToolError(
            "bad_argument", f"cannot read {text!r}", hint="only addresses with http:// or https://"
        )
    if url.userinfo:
        raise ToolError("bad_argument", "the address holds a user name or password", hint="leave it out")
    return url


def addresses_of(url: httpx.URL, *, allow_private: bool) -> list[str]:
    """The addresses to connect to. `ToolError` when the name is unknown, or when any of its addresses is not
    public and that is not allowed."""
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError):
        raise ToolError("not_found", f"no host is named {url.host!r}", hint="check the address") from None
    texts = list(dict.fromkeys(str(info[4][0]) for info in found))
    if not allow_private and not all(is_public(ipaddress.ip_address(t.partition("%")[0])) for t in texts):
        raise ToolError(
            "not_available", f"{url.host} is not on the public internet; it is not read", hint=HINT
        )
    return texts


def is_public(address: Address) -> bool:
    """Whether an address is globally reachable unicast; one that carries an IPv4 address is as public as that."""
    inner = _carried(address) if isinstance(address, ipaddress.IPv6Address) else None
    if inner is not None:
        return is_public(inner)
    return address.is_global and not address.is_multicast and not address.is_reserved


def _carried(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)
