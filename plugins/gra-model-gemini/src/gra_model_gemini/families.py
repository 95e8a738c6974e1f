"""What differs between Gemini models, as data: context window, thinking, tool mixing, API version."""

from __future__ import annotations

import fnmatch
import os
import tomllib
from functools import lru_cache
from importlib import resources
from typing import Any, Literal

from attrs import field, frozen

from gra_core import ModelError, load


@frozen(kw_only=True)
class Family:
    """Models whose name matches the glob `models`; see ``families.toml``.

    `budget` is the range of a thinking budget in tokens. `mixes_tools`: built-in tools and own functions may
    be declared together.
    """

    models: str
    context_window: int | None = None
    thinking: Literal["level", "budget", "none"] = "level"
    levels: tuple[str, ...] = ()
    budget: tuple[int, int] = (0, 0)
    budgets: dict[str, int] = field(factory=dict)
    may_stop_thinking: bool = False
    mixes_tools: bool = False
    unsigned: Literal["accepted", "refused"] = "accepted"

    def thinking_config(
        self, wanted: str | None, *, include_thoughts: bool, model: str
    ) -> dict[str, Any] | None:
        """The request's thinking configuration; `ModelError` says what the model takes instead.

        `wanted` is a level or ``off``; where a model takes a budget, also ``dynamic`` or a number of tokens.
        """
        shown = {"include_thoughts": include_thoughts}
        level = (wanted or "").strip().lower()
        if self.thinking == "none":
            if level not in ("", "off"):
                raise self._refusal(model, wanted, "nothing: it does not think")
            return None
        if not level:
            return shown
        if self.thinking == "level":
            if level not in self.levels:
                raise self._refusal(model, wanted, " or ".join(self.levels))
            return shown | {"thinking_level": level.upper()}
        if level == "off" and self.may_stop_thinking:
            return {"include_thoughts": False, "thinking_budget": 0}
        return shown | {"thinking_budget": self._budget_of(level, wanted, model)}

    def _budget_of(self, level: str, wanted: str | None, model: str) -> int:
        if level == "dynamic":
            return -1
        if level in self.budgets:
            return self.budgets[level]
        least, most = self.budget
        if level.isdigit() and least <= int(level) <= most:
            return int(level)
        options = f"{', '.join(self.budgets)}, dynamic, or {least} to {most} tokens"
        raise self._refusal(model, wanted, options + (", or off" if self.may_stop_thinking else ""))

    def _refusal(self, model: str, wanted: str | None, options: str) -> ModelError:
        cannot = " (its thinking cannot be turned off)" if (wanted or "").lower() == "off" else ""
        return ModelError(
            "bad_request", f"{model} cannot think at {wanted!r}{cannot}", hint=f"thinking takes {options}"
        )


@lru_cache(maxsize=1)
def families() -> tuple[Family, ...]:
    """The table of ``families.toml``, in order."""
    text = resources.files("gra_model_gemini").joinpath("families.toml").read_text(encoding="utf-8")
    return load(tomllib.loads(text)["families"], tuple[Family, ...], what="families.toml")


def family_of(model: str) -> Family:
    """The family of a model's name, such as ``gemini-3.8-flash``."""
    return next(f for f in families() if fnmatch.fnmatchcase(model, f.models))


def api_version_of(model: str) -> str | None:
    """``v1beta`` for models that only live there (previews, experiments, moving aliases), else what the SDK's variable
    ``GOOGLE_GENAI_API_VERSION`` says, else None."""
    moving = model.endswith("-latest") or any(word in model.split("-") for word in ("preview", "exp"))
    return "v1beta" if moving else os.environ.get("GOOGLE_GENAI_API_VERSION") or None
