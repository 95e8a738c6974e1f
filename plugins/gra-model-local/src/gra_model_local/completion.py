"""One completion, put together from the server's chunks."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from gra_core import Usage


@define
class Completion:
    """What has arrived so far. `finish` is empty until the model has stopped; `error` is the server's, if any."""

    text: str = ""
    thoughts: str = ""
    calls: list[dict[str, Any]] = field(factory=list)
    finish: str = ""
    error: dict[str, Any] | None = None
    counts: dict[str, Any] = field(factory=dict)

    def add(self, chunk: dict[str, Any]) -> None:
        """Take in one chunk."""
        if "error" in chunk:
            self.error = (
                chunk["error"] if isinstance(chunk["error"], dict) else {"message": str(chunk["error"])}
            )
        elif "code" in chunk and "message" in chunk:  # what xllamacpp itself reports
            self.error = chunk
        self.counts = chunk.get("usage") or self.counts
        for choice in chunk.get("choices") or []:
            self._delta(choice.get("delta") or {})
            self.finish = choice.get("finish_reason") or self.finish

    def _delta(self, delta: dict[str, Any]) -> None:
        self.text += delta.get("content") or ""
        self.thoughts += delta.get("reasoning_content") or ""
        for part in delta.get("tool_calls") or []:
            while len(self.calls) <= part.get("index", 0):
                self.calls.append({"name": "", "arguments": ""})
            call, function = self.calls[part.get("index", 0)], part.get("function") or {}
            call["name"] += function.get("name") or ""
            call["arguments"] += function.get("arguments") or ""

    @property
    def usage(self) -> Usage:
        """The server's counts: what it found in its prompt cache is not read again."""
        prompt, cached = self.counts.get("prompt_tokens") or 0, 0
        cached = (self.counts.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        return Usage(
            requests=1,
            input=max(0, prompt - cached),
            cached=cached,
            output=self.counts.get("completion_tokens") or 0,
        )
