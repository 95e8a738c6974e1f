"""The model client: one neutral request in, one neutral reply out."""

from __future__ import annotations

import re
import threading
import time
from importlib.metadata import version
from typing import Any

from attrs import define, field

from gra_core import Clock, Message, ModelError, ModelReply, ModelRequest, ToolDeclaration, Usage, UsageError
from gra_core.model import ModelErrorKind
from gra_model_local.completion import Completion
from gra_model_local.engine import Engine, shared_engine
from gra_model_local.gguf import Metadata, read_metadata
from gra_model_local.modelfile import ModelFile
from gra_model_local.options import EngineOptions
from gra_model_local.output import BadOutput
from gra_model_local.ways import Asked, Constrained, Native, Plain, Reading, Way

ATTEMPTS = 2
MOST_OUTPUT = 4096
TOOL_MODES = ("auto", "native", "constrained")


@define(kw_only=True)
class LocalClient:
    """Serves one trial; the engine behind it is shared with every other client of the same file."""

    model_id: str
    context_window: int | None
    engine: Engine
    native: bool
    model_version: str
    _closed: threading.Event = field(factory=threading.Event)

    @classmethod
    def open(cls, model_id: str, file: ModelFile, options: EngineOptions) -> LocalClient:
        """A client on the loaded file; `UsageError` when the file is no model that llama.cpp can run."""
        metadata = read_metadata(file.path)
        window = options.window(metadata.context_length)
        return cls(
            model_id=model_id, context_window=window, engine=shared_engine(file.path, options, window),
            native=knows_tools(metadata, options),
            model_version=f"{metadata.name} sha256:{file.sha256[:12]} xllamacpp-{version('xllamacpp')}",
        )  # fmt: skip

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        """One reply. Output that cannot be used is asked for once more, in constrained form, and both count."""
        asked = Asked(
            model_id=self.model_id,
            request=request,
            tools=chosen_tools(request),
            window=self.context_window or 0,
        )
        way = self._way(asked)
        waited = self._wait_for_turn(clock)
        requests: list[Usage] = []
        try:
            for _ in range(ATTEMPTS):
                completion = self._ask(way, request, clock, requests)
                try:
                    return self._reply(way.read(completion), requests, waited)
                except BadOutput as error:
                    fault, way = (
                        str(error),
                        Constrained(asked=asked, fault="" if isinstance(way, Native) else str(error)),
                    )
        finally:
            self.engine.end_turn()
        unusable = Message(role="model", text=completion.text, thoughts=completion.thoughts)
        return self._reply(
            Reading(message=unusable, stop="malformed_response", detail=fault), requests, waited
        )

    def close(self) -> None:
        """End a request that still runs; the model stays loaded for the other clients of the process."""
        self._closed.set()

    def _way(self, asked: Asked) -> Way:
        mode = asked.request.settings.extra.get("tool_mode", "auto")
        if mode not in TOOL_MODES:
            raise UsageError(
                f"model setting tool_mode is {mode!r}", hint=f"it must be {', '.join(TOOL_MODES)}"
            )
        if not asked.tools:
            return Plain(asked=asked)
        native = self.native if mode == "auto" else mode == "native"
        return Native(asked=asked) if native else Constrained(asked=asked)

    def _wait_for_turn(self, clock: Clock) -> float:
        """Other trials' requests are nobody's working time, like a provider's rate limit."""
        started = time.monotonic()
        with clock.waiting():
            self.engine.take_turn(self._closed.is_set)
        return time.monotonic() - started

    def _ask(self, way: Way, request: ModelRequest, clock: Clock, requests: list[Usage]) -> Completion:
        """A finished completion, or one whose calls llama.cpp could not parse."""
        body = self._body(way, request)
        completion = self.engine.ask(body, lambda: self._closed.is_set() or clock.remaining <= 0)
        requests.append(completion.usage)
        error = completion.error
        if error and not (
            isinstance(way, Native) and re.search("parse", str(error.get("message")), re.IGNORECASE)
        ):
            raise self._error(error, requests)
        if not error and not completion.finish:
            clock.check()
            raise ModelError(
                "unavailable", f"{self.model_id}: the reply was given up", requests=tuple(requests)
            )
        return completion

    def _body(self, way: Way, request: ModelRequest) -> dict[str, Any]:
        settings = request.settings
        window = self.context_window or 0
        fields: dict[str, Any] = {
            "temperature": settings.temperature, "top_p": settings.top_p, "seed": settings.seed,
            "max_tokens": settings.max_output_tokens or min(MOST_OUTPUT, window // 8),
        }  # fmt: skip
        if settings.thinking:
            on = settings.thinking != "off"
            fields["chat_template_kwargs"] = {"enable_thinking": on} | (
                {"reasoning_effort": settings.thinking} if on else {}
            )
        extra = {key: value for key, value in settings.extra.items() if key != "tool_mode"}
        return way.body() | {key: value for key, value in fields.items() if value is not None} | extra

    def _error(self, error: dict[str, Any], requests: list[Usage]) -> ModelError:
        spent = tuple(requests)
        if error.get("type") == "exceed_context_size_error":
            return ModelError(
                "context_overflow",
                f"{self.model_id}: the prompt has {error.get('n_prompt_tokens')} tokens, the context window {error.get('n_ctx')}",
                hint="use a model with a longer window, fewer skills, or another mode of disclosure", requests=spent,
            )  # fmt: skip
        kind: ModelErrorKind = "bad_request" if error.get("code") == 400 else "unavailable"
        return ModelError(kind, f"{self.model_id}: llama.cpp says: {error.get('message')}", requests=spent)

    def _reply(self, reading: Reading, requests: list[Usage], waited: float) -> ModelReply:
        return ModelReply(
            message=reading.message, stop=reading.stop, stop_detail=reading.detail, requests=tuple(requests),
            waited_s=waited, model_version=self.model_version,
        )  # fmt: skip


def knows_tools(metadata: Metadata, options: EngineOptions) -> bool:
    """Whether the chat template has a place for tool declarations."""
    return bool(re.search(r"\btools\b", options.chat_template or metadata.chat_template))


def chosen_tools(request: ModelRequest) -> tuple[ToolDeclaration, ...]:
    """The tools that may be called now."""
    if request.choice.mode == "none":
        return ()
    names = request.choice.names
    return tuple(t for t in request.tools if not names or request.choice.mode == "auto" or t.name in names)
