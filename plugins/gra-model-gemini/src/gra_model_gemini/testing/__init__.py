"""A loopback server that speaks Gemini's wire format, for tests without a network.

It answers what it is told to, remembers every request, and refuses what the real API is known to refuse::

    with GeminiServer() as server:
        server.add(reply("Nebraska"))
        monkeypatch.setenv("GRA_BASE_URL_GEMINI", server.url)

It knows nothing: whatever it answers comes from the test.
"""

from gra_model_gemini.testing.server import GeminiServer
from gra_model_gemini.testing.wire import (
    Answer,
    Received,
    call_part,
    chunk,
    quota_failure,
    refusal,
    reply,
    retry_info,
    signature,
    signature_bytes,
    stream,
    usage,
)

__all__ = [
    "Answer", "GeminiServer", "Received", "call_part", "chunk", "quota_failure", "refusal", "reply",
    "retry_info", "signature", "signature_bytes", "stream", "usage",
]  # fmt: skip
