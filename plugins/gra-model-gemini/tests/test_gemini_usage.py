"""Token counts: as the API gives them, with every field allowed to be null."""

from __future__ import annotations

import pytest

from gra_core import Usage
from gra_model_gemini.testing import Answer, chunk, reply

FULL = {
    "promptTokenCount": 100,
    "cachedContentTokenCount": 40,
    "candidatesTokenCount": 7,
    "thoughtsTokenCount": 20,
    "toolUsePromptTokenCount": 9,
    "totalTokenCount": 136,
}


def test_fresh_input_is_prompt_less_cached(server, ask):
    server.add(reply("ok", counts=FULL))
    used = ask().usage
    assert used == Usage(requests=1, input=60, cached=40, output=7, thinking=20, tool_use=9)
    assert used.total == FULL["totalTokenCount"]


@pytest.mark.parametrize("gone", FULL)
@pytest.mark.parametrize("how", ["null", "absent"])
def test_each_count_may_be_null(server, ask, gone, how):
    counts = {k: v for k, v in FULL.items() if k != gone} | ({gone: None} if how == "null" else {})
    server.add(reply("ok", counts=counts))
    used = ask().usage
    expected = Usage(requests=1, input=60, cached=40, output=7, thinking=20, tool_use=9)
    changes = {
        "promptTokenCount": {"input": 0}, "cachedContentTokenCount": {"input": 100, "cached": 0},
        "candidatesTokenCount": {"output": 0}, "thoughtsTokenCount": {"thinking": 0},
        "toolUsePromptTokenCount": {"tool_use": 0}, "totalTokenCount": {},
    }  # fmt: skip
    from attrs import evolve

    assert used == evolve(expected, **changes[gone])


@pytest.mark.parametrize("counts", [{}, None])
def test_no_usage_metadata_is_estimated_and_marked(server, ask, counts):
    body = chunk("x" * 400, finish="STOP") | {"usageMetadata": counts}
    server.add(Answer(body=body))
    used = ask("y" * 4000).usage
    if counts == {}:
        assert used == Usage(requests=1)
    else:
        assert used.estimated
        assert 1000 <= used.input <= 1100
        assert 100 <= used.output <= 110


def test_grounding_is_counted(server, ask):
    grounding = {
        "webSearchQueries": ["a", "b", "c"],
        "groundingChunks": [{"web": {"uri": "https://example.org", "title": "t"}}],
    }
    server.add(reply("ok", counts=FULL, groundingMetadata=grounding))
    assert (ask(built_in=["google_search"]).usage.searches) == 3
    grounding = {
        "groundingChunks": [{"maps": {"uri": "https://maps.google.com/?cid=1", "title": "t", "placeId": "p"}}]
    }
    server.add(reply("ok", counts=FULL, groundingMetadata=grounding))
    used = ask(built_in=["google_maps"]).usage
    assert (used.searches, used.maps) == (0, 1)
