"""The table: each fault of a model's server, in both wire formats, and what it must lead to.

Usage and cost are computed by hand: a plain reply has 100 tokens in and 10 out; a million tokens cost 2 USD in and 12 USD
out, and 4 and 18 in requests of more than 200,000 prompt tokens. So a plain reply costs (100 × 2 + 10 × 12) / 10⁶ =
0.00032 USD.
"""

from __future__ import annotations

import json
from typing import Any

from attrs import field, frozen

from chaos import gemini, openai
from chaos.sent import HTML, PAGE, Sent

KEY = "synthetic-key-0123456789"
PLAIN = {"input": 100, "output": 10}
PLAIN_USD = "0.00032"
PRICES = {
    "tiers": [
        {"up_to": 200_000, "input": "2.00", "output": "12.00"},
        {"input": "4.00", "output": "18.00"},
    ]
}
DRIP = {"drip_s": 0.05}
IMPATIENT = {"extra": {"timeout_s": 1.0}}


@frozen(kw_only=True)
class Leads:
    """What a server sends to the trial that it strikes, and what that leads to.

    After `script` come plain replies, or `always`. `status` is the trial's, or ``stopped`` when the run ends and the trial
    stays unfinished; `says` is a pattern in its message, `hears` one in what the model is sent afterwards. `requests`
    counts the HTTP requests of the trial (None: many), `usage` holds
    the counts that are not zero and `usd` is their price: what is certain, where the usage is an estimate. `waits` are
    the least seconds between one request and the next, which are no working time. `model` and `limits` are tables of the
    configuration.
    """

    script: tuple[Sent, ...] = ()
    always: Sent | None = None
    status: str = "answered"
    reason: str = ""
    says: str = ""
    hears: str = ""
    requests: int | None = 1
    usage: dict[str, int] = field(factory=lambda: PLAIN)
    usd: str = PLAIN_USD
    estimated: bool = False
    waits: tuple[float, ...] = ()
    score: float | None = None
    model: dict[str, Any] = field(factory=dict)
    limits: dict[str, Any] = field(factory=dict)

    @property
    def exit_code(self) -> int:
        """1 when a trial failed or the run stopped; a limit that struck is a result."""
        return int(self.status in ("failed", "stopped"))


@frozen(kw_only=True)
class Fault:
    """A fault by name and in words, and what it leads to in each wire format that knows it."""

    name: str
    words: str
    gemini: Leads | None = None
    openai: Leads | None = None


def both(name: str, words: str, make: Any, **leads: Any) -> Fault:
    """A fault that leads to the same in both formats. `make` gives, from a format's module, what differs in `Leads`."""
    return Fault(name=name, words=words, **{wire.__name__.rpartition(".")[2]: Leads(**leads, **make(wire)) for wire in (gemini, openai)})  # fmt: skip


def body(wire: Any) -> bytes:
    """A plain reply as bytes."""
    return json.dumps(wire.fine().body).encode()


NOTHING: dict[str, Any] = {"usage": {}, "usd": "0"}
GIVEN_UP: dict[str, Any] = {"status": "failed", "requests": 3, **NOTHING}
LOST: dict[str, Any] = {"usage": {}, "usd": "0", "estimated": True}
STOPS: dict[str, Any] = {"status": "stopped", **NOTHING}

FAULTS = [
    # -- rate limits and quotas
    both("limit-plain", "429 that does not say how long", lambda w: {"script": (w.limited(),)}, requests=2, waits=(0.001,)),
    both("limit-delay", "429 that asks for a pause (RetryInfo, Retry-After-Ms)",
         lambda w: {"script": (w.limited("0.3"), w.limited("0.2"))}, requests=3, waits=(0.3, 0.2)),
    both("limit-header", "429 with the header Retry-After",
         lambda w: {"script": (w.refused(429, "slow down", headers={"Retry-After": "1"}),)}, requests=2, waits=(1.0,)),
    both("limit-many", "429, five times in a row", lambda w: {"script": (w.limited(),) * 5}, requests=6, waits=(0.001,) * 5),
    both("503-delay", "503 that asks for a pause",
         lambda w: {"script": (w.refused(503, "Overloaded", headers={"Retry-After": "1"}),)}, requests=2, waits=(1.0,)),
    both("limit-long", "429 that asks for a longer pause than the configuration allows",
         lambda w: {"always": w.limited("600"), "says": "600 s"}, status="failed", reason="quota", **NOTHING),
    Fault(
        name="day", words="daily quota used up",
        gemini=Leads(always=gemini.refused(429, "You exceeded your current quota.", gemini.TOKENS_PER_DAY), says="exceeded", **STOPS),
        openai=Leads(always=openai.refused(429, "Rate limit reached on requests per day (RPD)"), says="per day", **STOPS),
    ),
    Fault(
        name="no-quota", words="no quota at all (`limit: 0`), no credit left",
        gemini=Leads(always=gemini.refused(429, "Quota exceeded for metric: requests, limit: 0, model: x"), says="limit: 0", **STOPS),
        openai=Leads(always=openai.refused(429, "You exceeded your current quota", code="insufficient_quota"), says="quota", **STOPS),
    ),
    # -- servers in trouble
    both("500-once", "500, once", lambda w: {"script": (w.refused(500, "Internal error"),)}, requests=2),
    both("503-once", "503, once", lambda w: {"script": (w.refused(503, "Overloaded"),)}, requests=2),
    both("500-always", "500, again and again", lambda w: {"always": w.refused(500, "Internal error"), "says": "Internal error"},
         reason="unavailable", **GIVEN_UP),
    both("503-always", "503, again and again", lambda w: {"always": w.refused(503, "Overloaded"), "says": "Overloaded"},
         reason="unavailable", **GIVEN_UP),
    both("reset", "connection reset, once", lambda w: {"script": (Sent(reset=True),)}, requests=2, estimated=True),
    both("reset-always", "connection reset, again and again", lambda w: {"always": Sent(reset=True)},
         reason="unavailable", **(GIVEN_UP | LOST)),
    # -- replies that are none
    both("cut", "body shorter than announced", lambda w: {"script": (Sent(body=body(w), cut=40),)}, requests=2, estimated=True),
    both("truncated", "JSON that ends too early", lambda w: {"script": (Sent(body=body(w)[:-20]),)}, requests=2, estimated=True),
    both("malformed", "body that is no JSON", lambda w: {"script": (Sent(body=b'{"candidates": [}'),)}, requests=2, estimated=True),
    both("malformed-always", "body that is no JSON, again and again", lambda w: {"always": Sent(body=b"{]"), "says": "reply"},
         reason="unavailable", **(GIVEN_UP | LOST)),
    both("nested", "JSON nested 100,000 levels deep", lambda w: {"script": (Sent(body=b"[" * 100_000),)}, requests=2, estimated=True),
    both("empty-body", "empty body", lambda w: {"script": (Sent(),)}, requests=2, estimated=True),
    both("html", "web page with status 200", lambda w: {"script": (Sent(body=PAGE, headers=HTML),)}, requests=2, estimated=True),
    both("html-always", "web page with status 200, again and again", lambda w: {"always": Sent(body=PAGE, headers=HTML)},
         reason="unavailable", **(GIVEN_UP | LOST)),
    Fault(
        name="nothing-once", words="reply without a candidate (without a choice), once",
        gemini=Leads(script=(Sent(body={"usageMetadata": {"promptTokenCount": 100}}),), requests=2, usage={"input": 200, "output": 10}, usd="0.00052"),
        openai=Leads(script=(Sent(body={"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 0}}),), requests=2,
                     usage={"input": 200, "output": 10}, usd="0.00052"),
    ),
    Fault(
        name="nothing-chosen", words="reply without a candidate (without a choice), again and again",
        gemini=Leads(always=Sent(body={"candidates": [], "usageMetadata": {"promptTokenCount": 100}}), status="failed", reason="other",
                     says="NO_CANDIDATES", requests=3, usage={"input": 300}, usd="0.0006"),
        openai=Leads(always=Sent(body={"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 0}}), status="failed",
                     reason="malformed_response", says="no choices", requests=2, usage={"input": 200}, usd="0.0004"),
    ),
    Fault(
        name="stream-cut", words="stream that is cut short (`stream = true`)",
        gemini=Leads(script=(gemini.streamed({"candidates": [{"content": {"parts": [{"text": "4"}]}}]}), gemini.streamed(gemini.said())),
                     requests=2, estimated=True, model={"extra": {"stream": True}}),
    ),
    # -- slow servers: the limit that is named is the one that struck
    both("drip", "reply that trickles in, a byte at a time, for longer than the time-out",
         lambda w: {"always": Sent(body=body(w), **DRIP), "says": "timeout_s = 1 s"}, model=IMPATIENT,
         reason="timeout", **(GIVEN_UP | LOST)),
    both("drip-head", "header that trickles in for longer than the time-out",
         lambda w: {"always": Sent(body=body(w), dripping="head", **DRIP), "says": "timeout_s = 1 s"}, model=IMPATIENT,
         reason="timeout", **(GIVEN_UP | LOST)),
    both("drip-once", "reply that trickles in, once", lambda w: {"script": (Sent(body=body(w), **DRIP),)}, model=IMPATIENT,
         requests=2, estimated=True),
    both("drip-trial", "reply that trickles in for longer than the trial may take",
         lambda w: {"always": Sent(body=body(w), **DRIP)}, limits={"wall_clock_s": 2.0}, says=r"wall_clock_s exceeded: 2\S* of 2$",
         status="limit", reason="wall_clock_s", usage={}, usd="0", estimated=True),
    both("503-trial", "503 until the trial's time is over",
         lambda w: {"always": w.refused(503, "Overloaded"), "model": {"extra": w.MANY}}, limits={"wall_clock_s": 2.0},
         status="limit", reason="wall_clock_s", says=r"wall_clock_s exceeded: 2\S* of 2$", requests=None),
    # -- refusals
    Fault(
        name="key", words="invalid key",
        gemini=Leads(always=gemini.refused(400, f"API key not valid: {KEY}.", gemini.BAD_KEY), says="not valid", **STOPS),
        openai=Leads(always=openai.refused(401, f"Incorrect API key provided: {KEY}.", code="invalid_api_key"), says="Incorrect", **STOPS),
    ),
    both("refused", "refused request (400)", lambda w: {"always": w.refused(400, f"Invalid value near {KEY}"), "says": "Invalid value"},
         status="failed", reason="bad_request", **NOTHING),
    Fault(
        name="overflow", words="prompt longer than the context window",
        gemini=Leads(always=gemini.refused(400, "The input token count exceeds the maximum number of tokens allowed (1048576)."),
                     status="limit", reason="context_tokens", **NOTHING),
        openai=Leads(always=openai.refused(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded"),
                     status="limit", reason="context_tokens", **NOTHING),
    ),
    Fault(
        name="blocked", words="blocked prompt",
        gemini=Leads(always=Sent(body={"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 100}}),
                     status="failed", reason="blocked_prompt", says="SAFETY", usage={"input": 100}, usd="0.0002"),
        openai=Leads(always=Sent(body=openai.said("", output=0, finish="content_filter")), status="failed", reason="content_filter",
                     usage={"input": 100}, usd="0.0002"),
    ),
    # -- odd replies
    both("huge", "reply of 10 MB", lambda w: {"script": (Sent(body=w.said("4" * 10_000_000)),)}, score=0.0),
    both("surrogates", "lone surrogates and NUL in the text",
         lambda w: {"script": (Sent(body=json.dumps(w.said("4 \ud83c \0 \udf89"))),)}, score=0.0),
    both("key-echoed", "reply that says the key", lambda w: {"script": (Sent(body=w.said(f"It is {KEY}.")),)}, score=0.0),
    Fault(
        name="bad-call", words="function call that cannot be read, once",
        gemini=Leads(script=(Sent(body=gemini.said("", finish="MALFORMED_FUNCTION_CALL")),), requests=2,
                     usage={"input": 200, "output": 20}, usd="0.00064"),
        openai=Leads(script=(openai.called("hang", '{"a": '),), requests=2, usage={"input": 200, "output": 20}, usd="0.00064"),
    ),
    Fault(
        name="bad-call-always", words="function call that cannot be read, again and again",
        gemini=Leads(always=Sent(body=gemini.said("", finish="MALFORMED_FUNCTION_CALL")), status="failed", reason="malformed_call",
                     requests=3, usage={"input": 300, "output": 30}, usd="0.00096"),
        openai=Leads(always=openai.called("hang", '{"a": '), status="failed", reason="malformed_call", requests=2,
                     usage={"input": 200, "output": 20}, usd="0.00064"),
    ),
    both("call-surrogates", "lone surrogates and NUL in a function call",
         lambda w: {"script": (w.called("absent", {"a": "\ud83c \0"}),)}, requests=2, hears="no tool",
         usage={"input": 200, "output": 20}, usd="0.00064"),
    both("tool-hangs", "tool that takes longer than it may", lambda w: {"script": (w.called("hang"),)}, requests=2,
         hears=r"hang: no result after 0\.3 s",
         usage={"input": 200, "output": 20}, usd="0.00064"),
    # -- usage
    Fault(
        name="no-usage", words="reply without usage",
        gemini=Leads(script=(Sent(body={k: v for k, v in gemini.said().items() if k != "usageMetadata"}),), usage={}, usd="0", estimated=True),
        openai=Leads(script=(Sent(body={k: v for k, v in openai.said().items() if k != "usage"}),), usage={}, usd="0", estimated=True),
    ),
    Fault(
        name="odd-usage", words="usage that is no number",
        gemini=Leads(script=(Sent(body=gemini.said() | {"usageMetadata": {"promptTokenCount": "many", "candidatesTokenCount": -1}}),),
                     usage={}, usd="0", estimated=True),
        openai=Leads(script=(Sent(body=openai.said() | {"usage": {"prompt_tokens": "many", "completion_tokens": -1}}),),
                     usage={}, usd="0", estimated=True),
    ),
    Fault(
        name="thoughts", words="usage with thoughts: 10 + 5 + 7 tokens",  # (10 × 2 + 12 × 12) / 10⁶
        gemini=Leads(script=(Sent(body=gemini.said(prompt=10, output=5, thoughtsTokenCount=7)),),
                     usage={"input": 10, "output": 5, "thinking": 7}, usd="0.000164"),
        openai=Leads(script=(Sent(body=openai.said(prompt=10, output=5, thoughts=7)),),
                     usage={"input": 10, "output": 5, "thinking": 7}, usd="0.000164"),
    ),
    # 2 × 150,000 × 2 / 10⁶ + 20 × 12 / 10⁶: the sum is above the threshold, each request below it
    both("tier-low", "two requests of 150,000 tokens, where prices rise above 200,000",
         lambda w: {"script": (w.called("absent", prompt=150_000), Sent(body=w.said(prompt=150_000)))}, requests=2,
         usage={"input": 300_000, "output": 20}, usd="0.60024"),
    # 150,000 × 2 / 10⁶ + 10 × 12 / 10⁶ + 250,000 × 4 / 10⁶ + 10 × 18 / 10⁶
    both("tier-high", "a request of 150,000 and one of 250,000 tokens, where prices rise above 200,000",
         lambda w: {"script": (w.called("absent", prompt=150_000), Sent(body=w.said(prompt=250_000)))}, requests=2,
         usage={"input": 400_000, "output": 20}, usd="1.3003"),
]  # fmt: skip


def cases() -> list[tuple[Fault, str, Leads]]:
    """Every fault in every wire format that knows it."""
    return [(f, w, leads) for f in FAULTS for w in ("gemini", "openai") if (leads := getattr(f, w))]
