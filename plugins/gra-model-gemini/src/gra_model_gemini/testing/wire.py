"""The wire format of the Gemini API: requests as they come, replies as they are sent."""

from __future__ import annotations

import base64
import re
from typing import Any

from attrs import field, frozen

FREE_FORM = {"args", "response", "parametersJsonSchema", "responseJsonSchema", "parameters"}


@frozen(kw_only=True)
class Answer:
    """What the server sends: a JSON body, or chunks of a stream.

    `cut` ends the connection after that many bytes of the body, `drop` before anything is sent; `delay_s` comes
    first.
    """

    status: int = 200
    body: Any = None
    chunks: tuple[Any, ...] = ()
    headers: dict[str, str] = field(factory=dict)
    cut: int | None = None
    drop: bool = False
    delay_s: float = 0.0


@frozen(kw_only=True)
class Received:
    """A request as it came; `body` has camelCase keys whatever was sent."""

    path: str
    model: str
    method: str
    version: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def contents(self) -> list[dict[str, Any]]:
        return self.body.get("contents", [])


def signature(data: bytes) -> str:
    """A thought signature as the API sends it: standard base64."""
    return base64.b64encode(data).decode()


def signature_bytes(text: str) -> bytes:
    """The bytes of a signature in either base64 alphabet."""
    return base64.b64decode(text.replace("-", "+").replace("_", "/"))


def call_part(
    name: str, args: Any = None, *, id: str | None = None, signed: bytes | None = None
) -> dict[str, Any]:
    """A function call part."""
    call: dict[str, Any] = {"name": name, "args": {} if args is None else args}
    if id is not None:
        call["id"] = id
    return {"functionCall": call} | ({"thoughtSignature": signature(signed)} if signed is not None else {})


def usage(prompt: int = 0, output: int = 0, **more: Any) -> dict[str, Any]:
    """Usage metadata; further counts by their wire names."""
    return {
        "promptTokenCount": prompt,
        "candidatesTokenCount": output,
        "totalTokenCount": prompt + output,
    } | more


def chunk(*parts: Any, finish: str | None = None, counts: Any = None, **more: Any) -> dict[str, Any]:
    """A response body: text or parts of one candidate. `more` are further keys of the candidate."""
    made = [{"text": p} if isinstance(p, str) else p for p in parts]
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": made}, "index": 0} | more
    if finish:
        candidate["finishReason"] = finish
    body: dict[str, Any] = {"candidates": [candidate], "modelVersion": "test-version", "responseId": "r"}
    return body | ({"usageMetadata": counts} if counts is not None else {})


def reply(
    *parts: Any,
    finish: str = "STOP",
    counts: Any = None,
    cut: int | None = None,
    delay_s: float = 0.0,
    **more: Any,
) -> Answer:
    """A whole reply; `more` are further keys of its candidate."""
    body = chunk(*parts, finish=finish, counts=usage(10, 5) if counts is None else counts, **more)
    return Answer(body=body, cut=cut, delay_s=delay_s)


def stream(*chunks: Any, **more: Any) -> Answer:
    """A streamed reply."""
    return Answer(chunks=chunks, **more)


def refusal(
    status: int, message: str, *, word: str = "", details: tuple[Any, ...] = (), **more: Any
) -> Answer:
    """An error in the API's own form."""
    error: dict[str, Any] = {"code": status, "message": message, "status": word or "INVALID_ARGUMENT"}
    return Answer(
        status=status, body={"error": error | ({"details": list(details)} if details else {})}, **more
    )


def retry_info(seconds: float) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{seconds}s"}


def quota_failure(quota_id: str, value: str = "20") -> dict[str, Any]:
    violation = {
        "quotaMetric": "generativelanguage.googleapis.com/generate_content_requests",
        "quotaId": quota_id,
    }
    return {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        "violations": [violation | {"quotaValue": value}],
    }


def camel(value: Any) -> Any:
    """Keys in camelCase, as the API reads them; free-form data (arguments, schemas) stays as it is."""
    if isinstance(value, list):
        return [camel(v) for v in value]
    if not isinstance(value, dict):
        return value
    spelt = {re.sub(r"_([a-z])", lambda m: m[1].upper(), key): v for key, v in value.items()}
    return {key: v if key in FREE_FORM else camel(v) for key, v in spelt.items()}


def values(value: Any, key: str) -> list[Any]:
    if isinstance(value, list):
        return [found for v in value for found in values(v, key)]
    if isinstance(value, dict):
        return [v for k, v in value.items() if k == key] + [f for v in value.values() for f in values(v, key)]
    return []
