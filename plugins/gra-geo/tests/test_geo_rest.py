"""The client of live sources against a loopback server."""

from __future__ import annotations

import email.utils
import gzip
import json
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from gra_core import SourceSettings, ToolError
from gra_geo.rest import Hints, Reply, RestService, asked_wait, passes, reason_in, reason_of, used_up

KEY = "synthetic+key/0123456789"
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["error", "message", "details", "reason"]), inner),
    max_leaves=12,
)  # fmt: skip


class Wire:
    """Answers in the order given, then ``{"ok": true}``; keeps what was asked."""

    def __init__(self, server: HTTPServer) -> None:
        self.url = server.url_for("/api")
        self.replies: list[Response] = []
        self.asked: list[Request] = []
        server.expect_request(re.compile("^/api/.*")).respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        request.get_data()
        self.asked.append(request)
        return self.replies.pop(0) if self.replies else reply({"ok": True})

    def open(self, *, key: str = "", retries: int = 2, timeout_s: float = 5.0, **changes: Any) -> RestService:
        settings = SourceSettings(
            base_url=changes.pop("base_url", self.url), key=key, retries=retries, timeout_s=timeout_s,
            values={"backoff_s": 0.01} | changes.pop("values", {}),
        )  # fmt: skip
        made = {
            "service": "Synthetic",
            "agent": "gra-geo",
            "hints": Hints(refused="get a key", less="ask for less"),
        }
        return RestService(settings, **(made | changes))


@pytest.fixture
def wire(httpserver: HTTPServer) -> Wire:
    return Wire(httpserver)


def reply(body: Any, status: int = 200, **headers: str) -> Response:
    data = body if isinstance(body, (bytes, str)) else json.dumps(body)
    return Response(
        data,
        status,
        {"Content-Type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()},
    )


def failed(service: RestService, path: str = "/x", method: str = "GET") -> ToolError:
    with pytest.raises(ToolError) as caught:
        service.json(method, path)
    return caught.value


def test_what_goes_out(wire: Wire) -> None:
    service = wire.open(key=KEY, headers={"X-Key": KEY})
    assert service.json("POST", "/query", json={"a": 1}, params={"b": "ü"}) == {"ok": True}
    (asked,) = wire.asked
    assert (asked.method, asked.path, asked.args["b"]) == ("POST", "/api/query", "ü")
    assert asked.json == {"a": 1} and asked.headers["X-Key"] == KEY
    assert re.match(r"gra-geo/\d\S* \(https://pypi\.org/project/gra-geo/\)$", asked.headers["User-Agent"])
    wire.open(values={"user_agent": "someone/1 (me@example.org)"}).json("GET", "/x")
    assert wire.asked[-1].headers["User-Agent"] == "someone/1 (me@example.org)"


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 520, 529])
def test_passing_faults_are_retried(wire: Wire, status: int) -> None:
    wire.replies = [reply({}, status), reply({}, status)]
    assert wire.open().json("GET", "/x") == {"ok": True} and len(wire.asked) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 410, 501])
def test_lasting_faults_are_not(wire: Wire, status: int) -> None:
    wire.replies = [reply({}, status)]
    failed(wire.open())
    assert len(wire.asked) == 1


def test_pauses_double_and_differ(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("gra_geo.rest.service.time.sleep", slept.append)
    for _ in range(2):
        wire.replies = [reply({}, 503)] * 3
        wire.open(retries=3, values={"backoff_s": 1.0}).json("GET", "/x")
    assert all(0.75 * 2 ** (i % 3) <= pause <= 1.25 * 2 ** (i % 3) for i, pause in enumerate(slept))
    assert slept[:3] != slept[3:]


def test_the_server_says_how_long(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("gra_geo.rest.service.time.sleep", slept.append)
    info = {
        "error": {"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"}]}
    }
    wire.replies = [reply({}, 503, Retry_After="3"), reply(info, 429)]
    wire.open().json("GET", "/x")
    assert slept == [3.0, 7.5]


def test_a_long_wait_is_left_to_the_caller(wire: Wire) -> None:
    wire.replies = [reply({"message": "slow down"}, 429, Retry_After="600")]
    error = failed(wire.open())
    assert error.kind == "quota" and error.message.endswith("slow down") and "in 600 s" in error.hint
    assert len(wire.asked) == 1


@pytest.mark.parametrize(
    "said",
    ["Quota exceeded for limit 'Requests per day'", "GenerateRequestsPerDayPerProject", {"quotaValue": "0"}],
)
def test_what_is_used_up_is_not_asked_again(wire: Wire, said: Any) -> None:
    wire.replies = [reply({"error": {"message": "x", "details": [said]}}, 429)]
    assert failed(wire.open()).kind == "quota" and len(wire.asked) == 1


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (301, "upstream"), (400, "bad_argument"), (401, "not_available"), (402, "not_available"), (403, "not_available"),
        (404, "not_found"), (405, "upstream"), (408, "timeout"), (410, "not_found"), (414, "bad_argument"),
        (422, "bad_argument"), (429, "quota"), (451, "not_available"), (500, "upstream"), (504, "timeout"),
    ],
)  # fmt: skip
def test_kinds_by_status(wire: Wire, status: int, kind: str) -> None:
    wire.replies = [reply({"error": {"message": "synthetic reason"}}, status)]
    error = failed(wire.open(retries=0))
    assert error.kind == kind and "synthetic reason" in error.message and error.hint


def test_a_service_may_mean_something_else(wire: Wire) -> None:
    wire.replies = [reply({}, 404)]
    error = failed(wire.open(kinds={404: "upstream"}, hints=Hints(address="base_url, which ends in /v2")))
    assert error.kind == "upstream" and "ends in /v2" in error.hint


def test_a_bad_key_that_comes_as_a_bad_request(wire: Wire) -> None:
    wire.replies = [reply({"error": {"status": "INVALID_ARGUMENT", "message": "API key not valid."}}, 400)]
    error = failed(wire.open(key=KEY))
    assert error.kind == "not_available" and error.hint == "get a key" and "refused the key" in error.message


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"null", b"\xff\xfe", b"<html>", b"[" * 100_000])
def test_anything_but_an_object(wire: Wire, body: bytes) -> None:
    wire.replies = [reply(body)]
    error = failed(wire.open(hints=Hints(address="GRA_BASE_URL_X")))
    assert error.kind == "upstream" and "JSON object" in error.message and "GRA_BASE_URL_X" in error.hint


def test_a_web_page_is_no_data(wire: Wire) -> None:
    wire.replies = [reply("a,b\n1,ü\n".encode("latin-1"), Content_Type="text/csv; charset=latin-1")]
    assert wire.open().text("/x") == "a,b\n1,ü\n"
    wire.replies = [reply("<html>sign in</html>", Content_Type="text/html; charset=utf-8")]
    with pytest.raises(ToolError, match="web page") as caught:
        wire.open().text("/x")
    assert caught.value.kind == "upstream"


def test_size_is_bounded_after_unpacking(wire: Wire) -> None:
    packed = gzip.compress(b" " * 10_000_000)
    assert len(packed) < 20_000
    wire.replies = [reply(packed, Content_Encoding="gzip")]
    error = failed(wire.open(values={"max_bytes": 1_000_000}))
    assert error.kind == "upstream" and "1,000,000 bytes" in error.message and "max_bytes" in error.hint


@pytest.mark.parametrize("status", [401, 400, 429, 500])
def test_the_key_is_in_no_message(wire: Wire, status: int) -> None:
    said = f"bad key {KEY} in ?key=synthetic%2Bkey%2F0123456789 " + "x" * 270 + KEY
    wire.replies = [reply({"message": said}, status)]
    error = failed(wire.open(key=KEY, retries=0))
    assert "synthetic" not in str(error).removeprefix("Synthetic") and "[key]" in error.message


def test_no_password_of_the_address_is_in_a_message(wire: Wire) -> None:
    error = failed(wire.open(base_url="http://me:secret-word@127.0.0.1:9/api?token=secret-word", retries=0))
    assert error.kind == "upstream" and "http://127.0.0.1:9/api" in error.message
    assert "secret-word" not in str(error)


@pytest.mark.parametrize("key", ["lonely\nline", "schlüssel"])
def test_a_spoilt_key_is_told_before_anything_is_sent(wire: Wire, key: str) -> None:
    with pytest.raises(ToolError, match="no request can carry") as caught:
        wire.open(key=key, headers={"X-Key": key})
    assert caught.value.kind == "not_available" and key not in str(caught.value) and not wire.asked


def test_redirects_are_followed_without_a_key_only(wire: Wire) -> None:
    wire.replies = [Response("", 302, {"Location": "/api/y"})]
    assert wire.open().json("GET", "/x") == {"ok": True} and wire.asked[-1].path == "/api/y"
    wire.replies = [Response("", 302, {"Location": "/api/y"})]
    error = failed(wire.open(key=KEY, headers={"X-Key": KEY}))
    assert error.kind == "upstream" and "base_url" in error.hint and len(wire.asked) == 3


def test_turning_in_circles(wire: Wire) -> None:
    wire.replies = [Response("", 302, {"Location": "/api/x"}) for _ in range(30)]
    assert failed(wire.open()).kind == "upstream"
    assert len(wire.asked) <= 22


def test_no_reply_in_time(httpserver: HTTPServer, wire: Wire) -> None:
    def slow(request: Request) -> Response:
        time.sleep(0.4)
        return reply({})

    httpserver.expect_request("/slow").respond_with_handler(slow)
    error = failed(wire.open(base_url=httpserver.url_for(""), timeout_s=0.1, retries=0), "slow")
    assert error.kind == "timeout" and "0.1 s (1 attempts)" in error.message and "timeout_s" in error.hint


def test_a_reply_that_trickles_in(httpserver: HTTPServer, wire: Wire) -> None:
    def trickle(request: Request) -> Response:
        def pieces():
            for _ in range(30):
                time.sleep(0.1)
                yield b" "

        return Response(pieces(), content_type="application/json")

    httpserver.expect_request("/trickle").respond_with_handler(trickle)
    started = time.monotonic()
    error = failed(wire.open(base_url=httpserver.url_for(""), timeout_s=0.3, retries=0), "trickle")
    assert error.kind == "timeout" and time.monotonic() - started < 2.5


@pytest.mark.parametrize("base_url", ["", "ftp://127.0.0.1", "127.0.0.1", "http://[::1"])
def test_an_address_that_is_none(wire: Wire, base_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gra_geo.rest.service.time.sleep", lambda s: pytest.fail("retried"))
    error = failed(wire.open(base_url=base_url))
    assert error.kind == "upstream" and "base_url" in error.hint


def test_how_long_a_server_asks_to_wait() -> None:
    soon = email.utils.formatdate(time.time() + 20, usegmt=True)
    assert asked_wait({"retry-after": "12"}) == 12 and asked_wait({"retry-after": " 1.5 "}) == 1.5
    assert asked_wait({"retry-after": soon}) == pytest.approx(20, abs=2)
    assert asked_wait({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert asked_wait({"retry-after": "1"}, '{"retryDelay": "9s"}') == 1
    assert asked_wait({}, '{"retryDelay":"0.25s"}') == 0.25
    for nothing in ("", "soon", "²", "-5", "1e9"):
        assert asked_wait({"retry-after": nothing}) is None


def test_what_passes() -> None:
    assert [s for s in (200, 400, 408, 429, 499, 500, 501, 503, 529) if passes(s)] == [
        408,
        429,
        500,
        503,
        529,
    ]
    assert not used_up(503, "per day") and not used_up(429, "per minute")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"error": {"code": 403, "message": "No.", "status": "PERMISSION_DENIED", "details": [{"reason": "SERVICE_DISABLED"}]}},
         "PERMISSION_DENIED No.; SERVICE_DISABLED"),  # Google
        ({"error": {"code": 400, "message": "Unable.", "details": ["where is bad", ""]}}, "Unable.; where is bad"),  # ArcGIS
        ({"code": 5, "message": "Method does not exist.", "details": []}, "Method does not exist."),  # Data Commons
        ({"error": True, "reason": "Latitude must be in range."}, "Latitude must be in range."),  # Open-Meteo
        ({"error_code": 171, "error": "No suitable edges", "status_code": 400}, "No suitable edges"),  # Valhalla
        ({"code": "InvalidQuery", "message": "Query string malformed"}, "Query string malformed"),  # OSRM
        ({"detail": "Not found"}, "Not found"),
        ({}, ""), ([], ""), ("text", ""), (None, ""), ({"error": None}, ""),
    ],
)  # fmt: skip
def test_reasons_in_the_forms_that_services_use(body: Any, reason: str) -> None:
    assert reason_in(body) == reason
    assert reason_of(Reply(status=400, headers={}, data=json.dumps(body).encode())) == reason


@given(JSON_VALUES)
def test_a_reason_is_a_text_whatever_comes(body: Any) -> None:
    assert isinstance(reason_in(body), str)


def test_a_reply_is_read_as_it_says() -> None:
    latin = Reply(
        status=299,
        headers={"content-type": "Text/CSV; charset=x"},
        data="ü".encode("latin-1"),
        charset="latin-1",
    )
    assert (latin.text, latin.media_type, latin.phrase) == ("ü", "text/csv", "")
    assert Reply(status=404, headers={}, data="ü".encode(), charset="no-such").text == "ü"
