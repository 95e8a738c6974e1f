"""One answer of the API, put together from its chunks. Everything in a response may be missing or null."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from attrs import define, field

from gra_core import Usage
from gra_model_gemini.tokens import estimated_usage, readable, usage_of

Part = dict[str, Any]


@define(kw_only=True)
class Answer:
    """Parts as they are on the wire, why the answer ended and what it cost.

    `finish` is the provider's word, empty when it gave none; `block` is why the prompt was refused.
    """

    parts: list[Part] = field(factory=list)
    finish: str = ""
    finish_message: str = ""
    block: str = ""
    block_message: str = ""
    model_version: str = ""
    continuation: bytes = b""
    candidates: int = 0
    searches: int = 0
    maps: int = 0
    counts: dict[str, Any] | None = None

    @property
    def empty(self) -> bool:
        """Whether there is neither a candidate nor a reason why there is none."""
        return not (self.candidates or self.block or self.block_message)

    def add(self, body: dict[str, Any]) -> None:
        """Take in a response, or one chunk of a stream. Counts are running totals, so the last ones stand.

        A body of another shape than the API's raises `TypeError` or `AttributeError`.
        """
        counts = body.get("usageMetadata")
        self.counts = counts if counts is not None else self.counts
        self.model_version = body.get("modelVersion") or self.model_version
        feedback = body.get("promptFeedback") or {}
        self.block = _word(feedback.get("blockReason")) or self.block
        self.block_message = feedback.get("blockReasonMessage") or self.block_message
        for candidate in (body.get("candidates") or [])[:1]:
            self._add_candidate(candidate)

    def _add_candidate(self, candidate: dict[str, Any]) -> None:
        self.candidates += 1
        self.continuation = base64.urlsafe_b64decode(_urlsafe(candidate.get("continuationToken") or ""))
        self.finish = _word(candidate.get("finishReason")) or self.finish
        self.finish_message = candidate.get("finishMessage") or self.finish_message
        grounding = candidate.get("groundingMetadata") or {}
        self.searches = max(self.searches, len(grounding.get("webSearchQueries") or ()))
        on_maps = any(chunk.get("maps") for chunk in grounding.get("groundingChunks") or ())
        self.maps = max(self.maps, int(on_maps))
        for part in (candidate.get("content") or {}).get("parts") or ():
            append(self.parts, part)

    def usage(self, sent: Callable[[], Any] = dict) -> Usage:
        """What this one request used; estimated from what `sent` gives when the API did not say."""
        if self.counts is None or not readable(self.counts):
            return estimated_usage(sent(), self.parts, searches=self.searches, maps=self.maps)
        return usage_of(self.counts, searches=self.searches, maps=self.maps)


def append(parts: list[Part], part: Part) -> None:
    """Add a part. Texts of one kind that follow each other are one part, unless one carries a signature: that
    belongs to its position."""
    if not part.keys():
        return  # a part without content is refused when it goes back
    last = parts[-1] if parts else None
    if last is not None and _plain_text(last) and _plain_text(part) and _kind(last) == _kind(part):
        parts[-1] = last | {"text": last["text"] + part["text"]}
    else:
        parts.append(part)


def _plain_text(part: Part) -> bool:
    return part.keys() <= {"text", "thought"} and isinstance(part.get("text"), str)


def _kind(part: Part) -> bool:
    return bool(part.get("thought"))


def _word(value: Any) -> str:
    word = str(value or "")
    return "" if word.endswith("_UNSPECIFIED") else word


def _urlsafe(text: str) -> str:
    return text.replace("+", "-").replace("/", "_")
