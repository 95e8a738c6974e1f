"""The loopback server for tests of live clients."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from gra_core.testing import LoopbackRequest, LoopbackServer


class Echo(LoopbackServer):
    def answer(self, request: LoopbackRequest) -> tuple[int, dict[str, str], Any]:
        if request.path == "/text":
            return 200, {"X-Kind": "text"}, "grüße"
        return 200, {}, {"method": request.method, "path": request.path, **request.query}


@pytest.fixture
def echo():
    with Echo() as server:
        yield server


def opened(request: str | urllib.request.Request) -> Any:
    return urllib.request.urlopen(request, timeout=5)


def test_answers_and_what_was_asked(echo: Echo) -> None:
    assert json.load(opened(f"{echo.url}/a?b=1&b=2&c=%C3%BC")) == {
        "method": "GET",
        "path": "/a",
        "b": "2",
        "c": "ü",
    }
    post = urllib.request.Request(f"{echo.url}/p", json.dumps([1]).encode(), {"X-Key": "k"})
    assert json.load(opened(post))["method"] == "POST"
    got, sent = echo.received
    assert (got.method, got.path, got.body) == ("GET", "/a", b"")
    assert sent.json() == [1] and sent.headers["x-KEY"] == "k"
    reply = opened(f"{echo.url}/text")
    assert reply.read().decode() == "grüße" and reply.headers["X-Kind"] == "text"


def test_faults_come_first_each_once(echo: Echo) -> None:
    echo.faults = [(503, {"Retry-After": "1"}), (400, {}, {"message": "no"})]
    with pytest.raises(urllib.error.HTTPError) as first:
        opened(echo.url)
    with pytest.raises(urllib.error.HTTPError) as second:
        opened(echo.url)
    assert (first.value.code, first.value.headers["Retry-After"], first.value.read()) == (503, "1", b"")
    assert (second.value.code, json.load(second.value)) == (400, {"message": "no"})
    assert opened(echo.url).status == 200 and len(echo.received) == 3


def test_a_client_may_give_up(echo: Echo) -> None:
    echo.delay_s = 0.3
    with pytest.raises(TimeoutError):
        urllib.request.urlopen(echo.url, timeout=0.05)
    echo.delay_s = 0.0
    assert opened(echo.url).status == 200


def test_nothing_answers_after_the_end() -> None:
    with Echo() as server:
        url = server.url
    with pytest.raises(urllib.error.URLError):
        opened(url)
