"""One question to Gemini with a built-in tool: the small client that both grounded sources share."""

from __future__ import annotations

import json
import os
import random
import time
from functools import partial
from typing import Any

from google import genai
from google.genai import errors, types

from gra_core import Clock, SourceSettings, ToolError, Usage, dump
from gra_geo.rest import asked_wait, used_up

DEFAULT_MODEL = "gemini-3.8-flash"
TIMEOUT_S = 120.0  # a grounded answer takes longer than the 30 s that sources have by default
RETRIED = {408, 429, 500, 502, 503, 504}
LONGEST_WAIT_S = 60.0
KEY_HINT = "set GEMINI_API_KEY or GOOGLE_API_KEY to a valid key (https://aistudio.google.com/apikey)"
BASE_URLS = ("GRA_BASE_URL_GEMINI", "GOOGLE_GEMINI_BASE_URL")


class GroundedModel:
    """Settings: `model`, `api_version`, `timeout_s`, `retries`, `backoff_s`, `base_url`."""

    def __init__(self, settings: SourceSettings) -> None:
        self._settings = settings
        self.model = str(settings.get("model", DEFAULT_MODEL)).removeprefix("gemini:")
        base_url = settings.base_url or next((os.environ[n] for n in BASE_URLS if os.environ.get(n)), "")
        self._timeout_s = (
            TIMEOUT_S if settings.timeout_s == SourceSettings().timeout_s else settings.timeout_s
        )
        self._sdk = genai.Client(
            api_key=settings.key,
            vertexai=False,
            http_options=types.HttpOptions(
                base_url=base_url or None,
                api_version=settings.get("api_version") or _version_of(self.model),
                timeout=int(self._timeout_s * 1000),
            ),
        )

    def ask(
        self, prompt: str, *, system: str, tool: str, position: list[float] | None = None
    ) -> dict[str, Any]:
        """The API's reply as it came, with ``requests``: how many were made, failed ones included."""
        config: dict[str, Any] = {
            "system_instruction": system,
            "tools": [{tool: {}}],
            "automatic_function_calling": {"disable": True},
            "automatic_continuation": False,
            "should_return_http_response": True,
        }
        if position is not None:
            place = {"longitude": position[0], "latitude": position[1]}
            config["tool_config"] = {"retrieval_config": {"lat_lng": place}}
        settings = types.GenerateContentConfig(**config)
        for attempt in range(self._settings.retries + 1):
            try:
                # The transport's own time-out starts anew with each byte.
                response = Clock().run(
                    partial(
                        self._sdk.models.generate_content, model=self.model, contents=prompt, config=settings
                    ),
                    timeout_s=self._timeout_s,
                )
                http = response.sdk_http_response
                body = json.loads((http.body if http else None) or "{}")
                if isinstance(body, dict):
                    return body | {"requests": attempt + 1}
                raise ValueError("not an object")
            except Exception as error:
                self._pause_or_raise(error, attempt)
        raise AssertionError("unreachable")

    def _pause_or_raise(self, error: Exception, attempt: int) -> None:
        """Sleep before a further attempt, or raise the `ToolError` that the fault is."""
        pause = float(self._settings.get("backoff_s", 1.0)) * 2**attempt * random.uniform(0.5, 1.5)
        retry = error.code in RETRIED if isinstance(error, errors.APIError) else not _timed_out(error)
        if isinstance(error, errors.APIError):
            said = json.dumps(error.details, default=str)
            asked = asked_wait(getattr(error.response, "headers", None) or {}, said)
            pause = asked if asked is not None else pause
            retry = retry and not used_up(error.code, said)
        if not retry or attempt >= self._settings.retries or pause > LONGEST_WAIT_S:
            raise self._error_of(error) from error
        time.sleep(pause)

    def _error_of(self, error: Exception) -> ToolError:
        if not isinstance(error, errors.APIError):
            if _timed_out(error):
                slow = f"Gemini did not send a whole reply within {self._timeout_s:g} s"
                return ToolError("timeout", slow, hint="try again later, or raise timeout_s of the source")
            return ToolError(
                "upstream", f"Gemini could not be asked: {type(error).__name__}", hint="try again later"
            )
        said = f"Gemini answered {error.code}: {error.message}".replace(
            self._settings.key or "\0", "[key removed]"
        )
        if error.code in (401, 403) or "API_KEY_INVALID" in str(error.details):
            return ToolError("not_available", said, hint=KEY_HINT)
        if error.code == 429:
            return ToolError("quota", said, hint="answer with what you have, or use another source")
        if error.code == 404:
            return ToolError(
                "not_available", said, hint="set model of this source to one that the key can use"
            )
        return ToolError("upstream", said, hint="word the question differently, or use another source")

    def usage_of(self, body: dict[str, Any], *, searches: int = 0, maps: int = 0) -> dict[str, Any]:
        """What a reply cost: the fields of `gra_core.Usage`, and the model's id as price tables know it."""
        counts = body.get("usageMetadata") or {}
        prompt, cached = counts.get("promptTokenCount") or 0, counts.get("cachedContentTokenCount") or 0
        usage = Usage(
            requests=body["requests"],
            input=max(0, prompt - cached),
            cached=cached,
            output=counts.get("candidatesTokenCount") or 0,
            thinking=counts.get("thoughtsTokenCount") or 0,
            tool_use=counts.get("toolUsePromptTokenCount") or 0,
            searches=searches,
            maps=maps,
            estimated=not counts,
        )
        return dump(usage) | {"model": f"gemini:{self.model}"}


def _version_of(model: str) -> str | None:
    """Previews and moving aliases live on v1beta only; None is the SDK's default."""
    return "v1beta" if model.endswith("-latest") or "preview" in model.split("-") else None


def _timed_out(error: Exception) -> bool:
    """Whether the transport (httpx2 or httpx) gave up waiting; asking again would take as long."""
    return "Timeout" in type(error).__name__
