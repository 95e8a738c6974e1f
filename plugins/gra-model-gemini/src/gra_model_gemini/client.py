"""The client: one trial's connection to one Gemini model."""

from __future__ import annotations

import json
import logging
import os
import ssl
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import certifi
from attrs import evolve
from google import genai
from google.genai import types
from pydantic import ValidationError

from gra_core import Clock, GraError, ModelError, ModelReply, ModelRequest, Usage
from gra_core.text import whole
from gra_model_gemini.access import Access
from gra_model_gemini.answer import Answer, append
from gra_model_gemini.attempts import Attempts, RequestFailed
from gra_model_gemini.contents import Content, contents_of, correction
from gra_model_gemini.families import api_version_of, family_of
from gra_model_gemini.faults import Fault, fault_of, without_secrets
from gra_model_gemini.generation import config_of
from gra_model_gemini.options import Options
from gra_model_gemini.reply import reply_of
from gra_model_gemini.tokens import REFUSED

log = logging.getLogger("gra_model_gemini")
# Words that are newer than the SDK are kept as they are, and reported in `stop_detail`.
warnings.filterwarnings(
    "ignore", message=r".* is not a valid \w+", category=UserWarning, module=r"google\.genai\..*"
)
# What stands in for the contents, which are sent as `extra_body`.
IN_EXTRA_BODY = "-"
CUT_SHORT = Fault(kind="unavailable", message="the stream ended before the reply did", retry=True, lost=True)


class GeminiClient:
    """A `ModelClient` on the Gemini Developer API. It holds its SDK client open until `close`."""

    def __init__(self, model_id: str, access: Access) -> None:
        self._model_id = model_id
        self.model = model_id.partition(":")[2].strip().removeprefix("models/")
        self.family = family_of(self.model)
        self._key = access.key
        self._closed = threading.Event()
        tls = {"verify": _tls(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))}
        # vertexai=False: an environment meant for Vertex must not redirect a key of the Developer API.
        self._sdk = genai.Client(
            api_key=access.key,
            vertexai=False,
            http_options=types.HttpOptions(
                base_url=access.base_url or None,
                api_version=api_version_of(self.model),
                client_args=tls,
                async_client_args=tls,
            ),
        )

    @classmethod
    def open(cls, model_id: str) -> GeminiClient:
        """A client with key and base URL from the environment; `UsageError` without a key."""
        return cls(model_id, Access.from_environment())

    @property
    def model_id(self) -> str:
        return self._model_id

    @property
    def context_window(self) -> int | None:
        return self.family.context_window

    def close(self) -> None:
        """End pauses between attempts and release connections."""
        self._closed.set()
        self._sdk.close()

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        """One reply; unreadable function calls and replies of nothing are asked for again. Every request is in `requests`."""
        options = Options.of(request.settings.extra)
        config = self._config(request, options)
        sign = self.family.unsigned == "refused"
        contents = contents_of(request.messages, model=self.model, sign=sign)
        attempts = Attempts(clock, options, self._closed)
        before: list[Content] = []
        answer = self._answer(contents, config, options, attempts)
        for _ in range(options.malformed_retries):
            if answer.finish == "MALFORMED_FUNCTION_CALL":
                before += correction(answer.parts, answer.finish_message)
            elif not answer.empty:
                break
            answer = self._answer(contents + before, config, options, attempts)
        return reply_of(
            answer,
            request,
            model=self.model,
            before=before,
            requests=tuple(attempts.requests),
            waited_s=attempts.waited_s,
        )

    def _config(self, request: ModelRequest, options: Options) -> types.GenerateContentConfig:
        try:
            return types.GenerateContentConfig(
                **config_of(request, options=options, family=self.family, model=self.model)
            )
        except ValidationError as error:
            raise ModelError("bad_request", f"Gemini does not take these settings: {error}") from error

    def _answer(
        self,
        contents: list[Content],
        config: types.GenerateContentConfig,
        options: Options,
        attempts: Attempts,
    ) -> Answer:
        """A whole answer: one that the server cut at its own limit is continued."""
        answer = attempts.run(partial(self._send, contents, config, options, attempts.clock))
        for _ in range(options.continuations):
            if answer.finish != "CONTINUATION" or not answer.continuation:
                break
            going_on = config.model_copy(update={"continuation_token": answer.continuation})
            rest = attempts.run(partial(self._send, contents, going_on, options, attempts.clock))
            for part in rest.parts:
                append(answer.parts, part)
            rest.parts = answer.parts
            answer = rest
        return answer

    def _send(
        self, contents: list[Content], config: types.GenerateContentConfig, options: Options, clock: Clock
    ) -> tuple[Answer, Usage]:
        """One HTTP request. `RequestFailed` says whether another one may help, `LimitExceeded` that no time is left."""
        timed = config.model_copy(update={"http_options": self._http_options(contents, options, clock)})
        answer = Answer()
        sent = partial(_request, self.model, contents, config)

        def receive() -> None:
            for body in self._bodies(timed, stream=options.stream):
                answer.add(whole(body))

        try:
            # The transport's own time-out starts anew with each byte: a reply that trickles in would never meet it.
            clock.run(receive, timeout_s=options.timeout_s)
        except GraError:  # the clock's
            raise
        except Exception as error:
            raise self._failed(error, answer, sent, options) from error
        if options.stream and not (answer.finish or answer.block):
            raise RequestFailed(CUT_SHORT, answer.usage(sent))
        return answer, answer.usage(sent)

    def _bodies(self, config: types.GenerateContentConfig, *, stream: bool) -> Iterator[dict[str, Any]]:
        """The bodies that the API sends. Those of a stream pass through the SDK's types, which drop what they
        do not know."""
        if stream:
            for chunk in self._sdk.models.generate_content_stream(
                model=self.model, contents=IN_EXTRA_BODY, config=config
            ):
                yield chunk.model_dump(mode="json", by_alias=True, exclude_none=True)
            return
        config = config.model_copy(update={"should_return_http_response": True})
        response = self._sdk.models.generate_content(model=self.model, contents=IN_EXTRA_BODY, config=config)
        http = response.sdk_http_response
        yield json.loads((http.body if http else None) or "")

    def _http_options(self, contents: list[Content], options: Options, clock: Clock) -> types.HttpOptions:
        """Timeout, version, and the contents: as plain data they are sent as they are, while the SDK's types
        would drop or refuse what is newer than they are."""
        seconds = max(0.1, min(options.timeout_s, clock.remaining))
        return types.HttpOptions(
            timeout=int(seconds * 1000),
            api_version=options.api_version or None,
            extra_body={"contents": whole(contents)},
        )

    def _failed(
        self, error: Exception, answer: Answer, sent: Callable[[], dict[str, Any]], options: Options
    ) -> Exception:
        fault = fault_of(error, timeout_s=options.timeout_s)
        if fault is None:
            return error
        message = without_secrets(fault.message, self._key)
        if fault.kind == "bad_request":
            text = json.dumps(sent(), ensure_ascii=False, default=str)
            log.error("%s; the request was: %s", message, without_secrets(text, self._key))
        known = answer.usage(sent) if answer.counts or fault.lost else REFUSED
        return RequestFailed(evolve(fault, message=message), known)


@lru_cache(maxsize=4)
def _tls(file: str | None, folder: str | None) -> ssl.SSLContext:
    """The context that the SDK would make for each client, made once: reading all certificates takes tens of milliseconds."""
    return ssl.create_default_context(cafile=file or certifi.where(), capath=folder)


def _request(model: str, contents: list[Content], config: types.GenerateContentConfig) -> dict[str, Any]:
    """A request as plain data, without key and headers."""
    settings = config.model_dump(mode="json", exclude_none=True, exclude={"http_options"})
    return {"model": model, "contents": contents, "config": settings}
