"""How a model file is loaded, from the environment: one engine serves every configuration of a run."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from attrs import frozen

from gra_core import UsageError

MOST_CONTEXT = 32_768  # the key-value cache of a longer window can take more memory than the model itself
UNKNOWN_CONTEXT = 4_096


@frozen(kw_only=True)
class EngineOptions:
    """`context_tokens` 0 means the model's own window, at most `MOST_CONTEXT`; `threads` 0 leaves the
    choice to `thread_count`; `chat_template` replaces the model's own."""

    context_tokens: int = 0
    threads: int = 0
    chat_template: str = ""

    @classmethod
    def of_environment(cls) -> EngineOptions:
        """From ``GRA_LOCAL_CONTEXT_TOKENS``, ``GRA_LOCAL_THREADS`` and ``GRA_LOCAL_CHAT_TEMPLATE`` (a Jinja file)."""
        return cls(
            context_tokens=_number("GRA_LOCAL_CONTEXT_TOKENS"),
            threads=_number("GRA_LOCAL_THREADS"),
            chat_template=_text("GRA_LOCAL_CHAT_TEMPLATE"),
        )

    @property
    def identity(self) -> str:
        """What of the options can change an answer; empty by default."""
        parts = [f"context={self.context_tokens}"] if self.context_tokens else []
        if self.chat_template:
            parts.append(f"template={hashlib.sha256(self.chat_template.encode()).hexdigest()[:16]}")
        return " ".join(parts)

    @property
    def thread_count(self) -> int:
        """Threads to compute with: what the process may use, half of it where that is likely hyperthreads."""
        usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return self.threads or (usable if usable <= 4 else max(4, usable // 2))

    def window(self, own: int) -> int:
        """The context window in tokens, given the model's own (0: unknown)."""
        return self.context_tokens or min(own or UNKNOWN_CONTEXT, MOST_CONTEXT)


def _number(variable: str) -> int:
    given = os.environ.get(variable, "").strip() or "0"
    if not given.isdigit():
        raise UsageError(f"{variable} is {given!r}", hint="it must be a whole number")
    return int(given)


def _text(variable: str) -> str:
    given = os.environ.get(variable, "").strip()
    try:
        return Path(given).expanduser().read_text(encoding="utf-8") if given else ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{variable}: {given} cannot be read: {error}", hint="it must be a Jinja chat template"
        ) from error
