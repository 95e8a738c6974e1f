"""search_web and search_maps over Gemini's wire format."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pytest

from gra_core import Usage, built_in_prices

SEARCH = {
    "webSearchQueries": ["nebraska number of counties", "nebraska counties list"],
    "searchEntryPoint": {"renderedContent": "<div class='container'>suggestions</div>"},
    "groundingChunks": [
        {"web": {"uri": "https://vertexaisearch.cloud.google.com/grounding-api-redirect/a", "title": "example.org"}},
        {"web": {"uri": "https://vertexaisearch.cloud.google.com/grounding-api-redirect/b", "title": "census.example", "domain": "census.example"}},
        {"maps": {"uri": "https://maps.google.com/?cid=9", "title": "not a web page"}},
    ],
    "groundingSupports": [
        {"segment": {"endIndex": 25, "text": "Nebraska has 93 counties."}, "groundingChunkIndices": [1]},
        {"segment": {"startIndex": 26, "endIndex": 50, "text": "Cherry is the largest."}, "groundingChunkIndices": [0, 1]},
    ],
}  # fmt: skip
ANSWER = "Nebraska has 93 counties. Cherry is the largest."


def test_grounded_answer(gemini, call):
    gemini.replies.append(gemini.grounded(ANSWER, SEARCH))
    result = call("search_web", query="How many counties has Nebraska?", purpose="checking a count")
    assert result.status == "ok"
    content = result.content
    assert content["answer"] == ANSWER
    assert content["queries_run"] == SEARCH["webSearchQueries"]
    assert [r["title"] for r in content["results"]] == ["census.example", "example.org"]
    assert content["results"][0]["supports"] == ["Nebraska has 93 counties.", "Cherry is the largest."]
    assert content["results"][1]["url"].endswith("/a")
    assert "Google Search" in content["attribution"]
    assert any("data to be judged" in note for note in result.notes)
    assert "renderedContent" not in json.dumps(result.for_model())
    path, body = gemini.requests[0]
    assert path == "/v1/models/gemini-3.8-flash:generateContent"
    assert body["tools"] == [{"googleSearch": {}}]
    prompt = body["contents"][0]["parts"][0]["text"]
    assert "How many counties has Nebraska?" in prompt
    assert "checking a count" in prompt
    assert body["systemInstruction"]


def test_suggestions_are_kept_for_display(gemini, call):
    gemini.replies.append(gemini.grounded(ANSWER, SEARCH))
    result = call("search_web", query="counties")
    (saved,) = result.datasets
    with open(saved.path) as file:
        shown = json.load(file)
    assert shown["rendered_content"] == SEARCH["searchEntryPoint"]["renderedContent"]
    assert [s["title"] for s in shown["sources"]] == ["census.example", "example.org"]
    assert "suggestions" not in json.dumps(saved.summary.get("keys"))


def test_usage_can_be_priced(gemini, call):
    gemini.replies += [gemini.refusal(503, "overloaded"), gemini.grounded(ANSWER, SEARCH)]
    assert "usage" not in call("search_web", query="counties").for_model()
    ((model, usage),) = call.bills
    assert usage == Usage(requests=2, input=100, output=30, thinking=7, tool_use=900, searches=2)
    cost = built_in_prices().cost(model, [usage], dt.date(2026, 12, 1))
    assert cost == (1000 * Decimal("0.75") + 37 * Decimal("3.75")) / 1_000_000 + 2 * Decimal("0.014")


def test_limit(gemini, call):
    chunks = [{"web": {"uri": f"https://example.org/{n}", "title": str(n)}} for n in range(9)]
    gemini.replies.append(gemini.grounded("x", {"webSearchQueries": ["q"], "groundingChunks": chunks}))
    assert len(call("search_web", query="q", limit=3).content["results"]) == 3
    assert call("search_web", query="q", limit=0).error.kind == "bad_argument"


def test_an_answer_without_a_search_is_marked(gemini, call):
    gemini.replies.append(gemini.grounded("From memory: 93."))
    result = call("search_web", query="counties")
    assert result.status == "ok"
    assert any("unverified" in note for note in result.notes)
    assert call.bills[0][1].searches == 0


@pytest.mark.parametrize("body", [{}, {"candidates": []}, {"candidates": [{"finishReason": "STOP"}]}])
def test_nothing_found_is_empty(gemini, call, body):
    gemini.replies.append(body)
    result = call("search_web", query="zzz")
    assert result.status == "empty"
    assert call.bills == [("gemini:gemini-3.8-flash", Usage(requests=1, estimated=True))]  # no counts came


def test_refusals_of_the_model(gemini, call):
    gemini.replies += [
        {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 9}},
        {"candidates": [{"finishReason": "RECITATION"}]},
        gemini.grounded("Half an ans", SEARCH, finish="MAX_TOKENS"),
    ]
    assert "SAFETY" in call("search_web", query="q").error.message
    assert call.bills == [("gemini:gemini-3.8-flash", Usage(requests=1, input=9))]
    assert "RECITATION" in call("search_web", query="q").error.message
    assert any("cut off" in note for note in call("search_web", query="q").notes)


def test_without_key_or_address_the_error_names_both(call):
    error = call("search_web", query="q").error
    assert error.kind == "not_available"
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "aistudio.google.com", "GRA_BASE_URL_SEARXNG"):
        assert name in error.message
    error = call("search_maps", query="q").error
    assert error.kind == "not_available"
    assert "GEMINI_API_KEY" in error.message


@pytest.mark.parametrize(
    ("status", "kind", "asked"),
    [(429, "quota", 3), (503, "upstream", 3), (400, "upstream", 1), (404, "not_available", 1)],
)
def test_faults(gemini, call, status, kind, asked):
    gemini.replies += [gemini.refusal(status, "not now") for _ in range(3)]
    error = call("search_web", query="q").error
    assert error.kind == kind
    assert error.hint
    assert len(gemini.requests) == asked


def test_faults_that_do_not_pass(gemini, call):
    daily = {
        "@type": "x/google.rpc.QuotaFailure",
        "violations": [{"quotaId": "GroundedRequestsPerDayPerProject"}],
    }
    gemini.replies.append(gemini.refusal(429, "exceeded", daily))
    assert call("search_web", query="q").error.kind == "quota"
    gemini.replies.append(gemini.refusal(429, "slow", {"@type": "x/RetryInfo", "retryDelay": "3600s"}))
    assert call("search_web", query="q").error.kind == "quota"
    assert len(gemini.requests) == 2


def test_a_timeout_is_not_repeated(gemini, call):
    gemini.delay_s = 2.5
    gemini.replies.append(gemini.grounded("late", SEARCH))
    assert (
        call("search_web", query="q", sources={"gemini-search": {"timeout_s": 1.0}}).error.kind == "timeout"
    )
    assert len(gemini.requests) == 1


def test_a_short_wait_is_waited(gemini, call):
    gemini.replies += [
        gemini.refusal(429, "slow", {"@type": "x/RetryInfo", "retryDelay": "0.05s"}),
        gemini.grounded("x", SEARCH),
    ]
    assert call("search_web", query="q").status == "ok"


def test_a_wrong_key_is_named_but_not_shown(gemini, call, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "wrong-key-987654321")
    error = call("search_web", query="q").error
    assert error.kind == "not_available"
    assert "GEMINI_API_KEY" in error.hint
    assert "wrong-key" not in json.dumps([error.message, error.hint])


def test_an_unreadable_reply_and_no_server(gemini, call, monkeypatch):
    from werkzeug import Response

    gemini.replies += [Response("<html>", 200), Response("[]", 200), gemini.grounded("x", SEARCH)]
    assert call("search_web", query="q").status == "ok"
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
    assert call("search_web", query="q").error.kind == "upstream"


def test_addresses_and_models(gemini, call, monkeypatch):
    gemini.replies += [gemini.grounded("x", SEARCH)] * 3
    monkeypatch.setenv("GRA_BASE_URL_GEMINI", gemini.url)
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
    call("search_web", query="q", sources={"gemini-search": {"model": "gemini:gemini-3.1-pro-preview"}})
    assert gemini.requests[-1][0] == "/v1beta/models/gemini-3.1-pro-preview:generateContent"
    monkeypatch.setenv("GRA_BASE_URL_GEMINI", "http://127.0.0.1:9")
    monkeypatch.setenv("GRA_BASE_URL_GEMINI_SEARCH", gemini.url)
    assert call("search_web", query="q").status == "ok"


@pytest.mark.parametrize("query", ["", "  "])
@pytest.mark.parametrize("tool", ["search_web", "search_maps"])
def test_empty_queries(gemini, call, tool, query):
    assert call(tool, query=query).error.kind == "bad_argument"
    assert not gemini.requests


MAPS = {
    "groundingChunks": [
        {
            "maps": {
                "uri": "https://maps.google.com/?cid=1",
                "title": "Carhenge",
                "placeId": "places/ChIJx",
                "text": "x",
            }
        },
        {"web": {"uri": "https://example.org"}},
    ],
    "groundingSupports": [{"segment": {"text": "Carhenge is in Alliance."}, "groundingChunkIndices": [0]}],
}


def test_maps_by_name(gemini, call):
    gemini.replies.append(gemini.grounded("Carhenge is in Alliance.", MAPS))
    result = call("search_maps", query="Where is Carhenge?", near="Alliance, Nebraska")
    assert result.status == "ok"
    (place,) = result.content["places"]
    assert place == {
        "title": "Carhenge", "place_id": "places/ChIJx", "url": "https://maps.google.com/?cid=1",
        "supports": ["Carhenge is in Alliance."],
    }  # fmt: skip
    assert "Google Maps" in result.content["attribution"]
    assert (call.bills[0][1].maps, call.bills[0][1].searches) == (1, 0)
    assert gemini.body["tools"] == [{"googleMaps": {}}]
    assert "Alliance, Nebraska" in gemini.body["contents"][0]["parts"][0]["text"]
    assert "toolConfig" not in gemini.body


def test_maps_by_position(gemini, call):
    gemini.replies.append(gemini.grounded("x", MAPS))
    call("search_maps", query="Museums?", near=[-102.86, 42.14])
    assert gemini.body["toolConfig"]["retrievalConfig"]["latLng"] == {"latitude": 42.14, "longitude": -102.86}


@pytest.mark.parametrize("near", [[1.0], [42.14, -102.86], [200.0, 0.0], [1.0, 2.0, 3.0]])
def test_positions_that_are_none(gemini, call, near):
    error = call("search_maps", query="q", near=near).error
    assert error.kind == "bad_argument"
    assert "[longitude, latitude]" in error.hint
