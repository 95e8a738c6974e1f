"""The model client: one neutral request in, one neutral reply out."""

from __future__ import annotations

import logging
import os
import ssl
import threading
from functools import lru_cache
from typing import Any

import certifi

from gra_core import Clock, ModelReply, ModelRequest
from gra_model_openai.exchange import Exchange
from gra_model_openai.reply import Reading, read_reply
from gra_model_openai.request import request_body
from gra_model_openai.settings import Endpoint, split_extra

log = logging.getLogger("gra_model_openai")
CORRECTIONS = 1


class OpenAIClient:
    """Serves one trial. The SDK does not retry: every attempt is made, counted and reported here."""

    context_window: int | None = None  # the protocol does not tell

    def __init__(self, model_id: str, name: str, endpoint: Endpoint) -> None:
        from openai import DefaultHttpxClient, OpenAI

        self.model_id, self._name, self._endpoint = model_id, name, endpoint
        self._closed = threading.Event()
        tls = _tls(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
        self._sdk: Any = OpenAI(
            api_key=endpoint.key or "none", base_url=endpoint.base_url, max_retries=0,
            http_client=DefaultHttpxClient(verify=tls),
        )  # fmt: skip

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        """One reply; a reply that cannot be used is asked for once more, and both attempts count."""
        exchange = Exchange(
            sdk=self._sdk, endpoint=self._endpoint, patience=split_extra(request.settings.extra)[0], clock=clock,
            closed=self._closed,
        )  # fmt: skip
        body = request_body(request, model_id=self.model_id, name=self._name, endpoint=self._endpoint)
        raw, reading = self._read(exchange, body, request)
        for _ in range(CORRECTIONS):
            if not reading.again:
                break
            log.info("asking again: %s", reading.detail)
            raw, reading = self._read(exchange, _corrected(body, reading), request)
        return ModelReply(
            message=reading.message, stop=reading.stop, stop_detail=reading.detail, requests=tuple(exchange.requests),
            waited_s=exchange.waited_s, model_version=str(raw.get("model") or ""),
        )  # fmt: skip

    def _read(
        self, exchange: Exchange, body: dict[str, Any], request: ModelRequest
    ) -> tuple[dict[str, Any], Reading]:
        raw = exchange.ask(body)
        return raw, read_reply(raw, request, self.model_id)

    def close(self) -> None:
        """End waits and release connections."""
        self._closed.set()
        self._sdk.close()


@lru_cache(maxsize=4)
def _tls(file: str | None, folder: str | None) -> ssl.SSLContext:
    """The context that the SDK would make for each client, made once: reading all certificates takes tens of milliseconds."""
    return ssl.create_default_context(cafile=file or certifi.where(), capath=folder)


def _corrected(body: dict[str, Any], reading: Reading) -> dict[str, Any]:
    """The request with the correction as a last user turn. The broken turn itself is left out: servers that put
    arguments through a chat template fail on it."""
    if not reading.correction:
        return body
    return body | {"messages": [*body["messages"], {"role": "user", "content": reading.correction}]}
