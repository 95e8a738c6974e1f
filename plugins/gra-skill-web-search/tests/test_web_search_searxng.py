"""search_web over SearXNG's JSON API."""

from __future__ import annotations

import json

import pytest
from werkzeug import Request, Response

RESULTS = [
    {"url": "https://example.org/a", "title": "A", "content": "first \n extract", "engines": ["x", "y"], "publishedDate": "2024-05-01T00:00:00"},
    {"url": "https://example.org/b", "title": "B", "content": "", "engines": ["x"], "publishedDate": None},
    {"title": "no address"},
]  # fmt: skip


class FakeSearXNG:
    def __init__(self, server) -> None:
        self.replies: list = []
        self.requests: list = []
        server.expect_request("/sub/search", method="GET").respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        self.requests.append(request.args.to_dict())
        reply = self.replies.pop(0)
        return (
            reply
            if isinstance(reply, Response)
            else Response(json.dumps(reply), content_type="application/json")
        )


@pytest.fixture
def searxng(httpserver, monkeypatch):
    monkeypatch.setenv("GRA_BASE_URL_SEARXNG", httpserver.url_for("/sub/"))
    return FakeSearXNG(httpserver)


def test_results(searxng, call):
    searxng.replies.append({"query": "q", "results": RESULTS, "answers": [], "unresponsive_engines": []})
    result = call(
        "search_web", query="largest county of Nebraska", limit=1, sources={"searxng": {"language": "en"}}
    )
    assert result.status == "ok"
    assert result.content["results"] == [
        {"title": "A", "url": "https://example.org/a", "snippet": "first extract", "published": "2024-05-01T00:00:00", "engines": ["x", "y"]}
    ]  # fmt: skip
    assert result.content["source"] == "searxng"
    assert "answer" not in result.content
    assert call.bills == []
    assert searxng.requests == [{"q": "largest county of Nebraska", "format": "json", "language": "en"}]


@pytest.mark.parametrize("answers", [["42 km"], [{"answer": "42 km", "url": None}], [{"url": "x"}, "42 km"]])
def test_direct_answers(searxng, call, answers):
    searxng.replies.append({"results": [], "answers": answers})
    assert call("search_web", query="q").content["answer"] == "42 km"


def test_nothing_found(searxng, call):
    searxng.replies.append({"results": [], "answers": [], "unresponsive_engines": []})
    assert call("search_web", query="q").status == "empty"


def test_silent_engines_are_no_finding(searxng, call):
    silent = [["google", "Suspended: CAPTCHA"], ["brave", "timeout"]]
    searxng.replies += [
        {"results": [], "unresponsive_engines": silent},
        {"results": RESULTS, "unresponsive_engines": silent},
    ]
    error = call("search_web", query="q").error
    assert error.kind == "upstream"
    assert "google: Suspended: CAPTCHA" in error.message
    assert any("brave: timeout" in note for note in call("search_web", query="q").notes)


def test_an_instance_without_json(searxng, call):
    searxng.replies.append(Response("Forbidden", 403))
    error = call("search_web", query="q").error
    assert error.kind == "not_available"
    assert "search.formats" in error.hint


def test_passing_faults(searxng, call):
    searxng.replies += [
        Response("", 503),
        Response("", 429, headers={"Retry-After": "0"}),
        {"results": RESULTS},
    ]
    assert call("search_web", query="q").status == "ok"
    searxng.replies += [Response("", 429)] * 3
    assert call("search_web", query="q").error.kind == "quota"
    searxng.replies.append(Response("", 429, headers={"Retry-After": "600"}))
    assert call("search_web", query="q").error.kind == "quota"
    assert not searxng.replies


@pytest.mark.parametrize("body", ["<html>", "[1]"])
def test_something_else_than_json(searxng, call, body):
    searxng.replies.append(Response(body, 200))
    error = call("search_web", query="q").error
    assert error.kind == "upstream"
    assert "GRA_BASE_URL_SEARXNG" in error.hint


def test_no_server(call, monkeypatch):
    monkeypatch.setenv("GRA_BASE_URL_SEARXNG", "http://127.0.0.1:9")
    assert call("search_web", query="q").error.kind == "upstream"


def test_google_goes_first_when_both_are_ready(searxng, gemini, call):
    gemini.replies.append(gemini.grounded("x", {"webSearchQueries": ["q"]}))
    assert call("search_web", query="q").content["source"] == "gemini-search"
    assert not searxng.requests
