"""Kinds ``web-search``, ``web-pages`` and ``map-search``.

Answers may also hold ``notes``, ``usage`` (the fields of `gra_core.Usage` and a model id: what the look-up cost),
``grounded`` (false when an answer rests on no source), ``refused`` (why there is none) and ``rendered_content`` (HTML that
must be shown with the answer).
"""

from __future__ import annotations

from typing import Any, Protocol


class WebSearchSource(Protocol):
    """The open web."""

    def search(self, *, query: str, purpose: str = "", limit: int = 5) -> dict[str, Any]:
        """``{"answer": text or "", "results": [{title, url, …}], "queries": […]}``, best result first. `purpose` says what
        the result is for."""
        ...


class WebPageSource(Protocol):
    """Single pages."""

    def read(self, *, url: str, allow_private_hosts: bool = False) -> dict[str, Any]:
        """``{"url", "title", "published", "text", "notes"}``; the address is the one after redirects."""
        ...


class MapSearchSource(Protocol):
    """Look-ups of places and addresses in words."""

    def search(self, *, query: str, near: str | list[float] = "") -> dict[str, Any]:
        """``{"answer": text, "places": [{title, url, place_id}]}``; `near` is a name or ``[lon, lat]``."""
        ...
