"""From a fetched page to what the model reads: all of a short one, the fitting passages of a long one."""

from __future__ import annotations

from typing import Any

from gra_core import ToolContext, ToolError, ToolResult
from gra_skill_web_search.lookup import WEB_IS_DATA
from gra_skill_web_search.passages import best_passages, paragraphs_of

MOST_CHARACTERS = 12_000


def page_result(ctx: ToolContext, *, url: str, question: str) -> ToolResult:
    """Read a page with the active source of kind ``web-pages``. The setting `allow_private_hosts` of the
    configuration lets it reach addresses that are not public."""
    if not url.strip():
        raise ToolError("bad_argument", "url is empty", hint="give the address of a page, http or https")
    private = {"allow_private_hosts": True} if ctx.settings.get("allow_private_hosts") else {}
    page = ctx.source("web-pages").read(url=url.strip(), **private)
    if not page["text"].strip():
        return ToolResult.empty(f"{page['url']} has no readable text (it may need a script or a login)")
    head = {key: page[key] for key in ("url", "title", "published") if page.get(key)}
    notes = [WEB_IS_DATA, *page["notes"]]
    if len(page["text"]) <= MOST_CHARACTERS:
        return ToolResult.ok(head | {"text": page["text"]}, notes=notes)
    return _passages(ctx, page, question, head, notes)


def _passages(
    ctx: ToolContext, page: dict[str, Any], question: str, head: dict[str, Any], notes: list[str]
) -> ToolResult:
    paragraphs = paragraphs_of(page["text"])
    chosen = best_passages(paragraphs, question, MOST_CHARACTERS)
    saved = ctx.save(
        [{"paragraph": n, "text": text} for n, text in enumerate(paragraphs)],
        name="web-page",
        notes=(f"text of {page['url']}",),
    )
    how = "that fit the question best" if question.strip() else "at the start"
    notes.append(
        f"the page has {len(page['text'])} characters in {len(paragraphs)} paragraphs; shown are those {how}"
    )
    shown = [{"paragraph": n, "text": paragraphs[n]} for n in chosen]
    return ToolResult.ok(head | {"passages": shown}, datasets=[saved], notes=notes)
