"""Source ``web-pages=http-pages``: the text of a page."""

from __future__ import annotations

import json
from typing import Any

import trafilatura

from gra_core import SourceSettings, ToolError
from gra_skill_web_search.sources.download import Download, Downloader

MOST_BYTES = 3_000_000
HTML = ("text/html", "application/xhtml+xml")
AS_TEXT = ("text/", "application/json", "application/xml", "application/geo+json", "application/ld+json")


class HttpPages:
    """Fetches pages with httpx and takes their text with trafilatura.

    Settings: `timeout_s` (a whole download), `retries`, `most_bytes`, `allow_private_hosts`.
    """

    def __init__(self, settings: SourceSettings) -> None:
        self._settings = settings

    def read(self, *, url: str, allow_private_hosts: bool = False) -> dict[str, Any]:
        """Address after redirects, title, date of publication (ISO, where the page says), text and notes."""
        settings = self._settings
        most_bytes = int(settings.get("most_bytes", MOST_BYTES))
        file = Downloader(
            timeout_s=settings.timeout_s,
            retries=settings.retries,
            most_bytes=most_bytes,
            allow_private=allow_private_hosts or bool(settings.get("allow_private_hosts")),
        ).get(url)
        _refuse_unreadable(file)
        notes = [] if file.complete else [f"only the first {most_bytes} bytes of the page were read"]
        page = _page(file) if _is_html(file) else {"text": _decoded(file)}
        return {"url": file.url, "title": "", "published": "", "notes": notes} | page


def _refuse_unreadable(file: Download) -> None:
    if file.media_type == "application/pdf" or file.data.lstrip()[:5] == b"%PDF-":
        raise ToolError(
            "not_available",
            f"{file.url} is a PDF, which this tool does not read",
            hint="look for an HTML version of it, or for a page that quotes it",
        )
    if not _is_html(file) and not file.media_type.startswith(AS_TEXT):
        kind = file.media_type or "a file of no stated type"
        raise ToolError("not_available", f"{file.url} is {kind}, not text", hint="try another page")
    if b"\0" in file.data[:1024] and not file.charset.lower().startswith("utf-16"):
        raise ToolError("not_available", f"{file.url} is not text", hint="try another page")


def _is_html(file: Download) -> bool:
    start = file.data[:1024].lstrip().lower()
    return file.media_type in HTML or (
        not file.media_type and start.startswith((b"<!doctype html", b"<html"))
    )


def _decoded(file: Download) -> str:
    try:
        return file.data.decode(file.charset or "utf-8", "replace")
    except LookupError:
        return file.data.decode("utf-8", "replace")


def _page(file: Download) -> dict[str, str]:
    """Main text as Markdown, with tables. Bytes of no stated character set are left to the library's detection."""
    html: str | bytes = _decoded(file) if file.charset else file.data
    found = trafilatura.extract(
        html, url=file.url, output_format="json", with_metadata=True, include_comments=False,
        include_formatting=True, include_tables=True, favor_recall=True,
    )  # fmt: skip
    page = json.loads(found) if found else {}
    return {
        "title": page.get("title") or "",
        "published": page.get("date") or "",
        "text": page.get("text") or trafilatura.html2txt(html) or "",
    }
