"""What comes back: missing pieces, finish reasons, malformed calls."""

from __future__ import annotations

import warnings

import pytest

from gra_core import Message, Usage
from gra_model_gemini.testing import Answer, call_part, reply, usage

FINISHES = {
    "STOP": "stop",
    "MAX_TOKENS": "max_tokens",
    "SAFETY": "safety",
    "RECITATION": "recitation",
    "LANGUAGE": "language",
    "BLOCKLIST": "blocklist",
    "PROHIBITED_CONTENT": "prohibited_content",
    "SPII": "spii",
    "UNEXPECTED_TOOL_CALL": "unexpected_call",
    "TOO_MANY_TOOL_CALLS": "too_many_calls",
    "MISSING_THOUGHT_SIGNATURE": "missing_signature",
    "MALFORMED_RESPONSE": "malformed_response",
    "OTHER": "other",
    "A_WORD_OF_2027": "unknown",
}


@pytest.mark.parametrize(("word", "stop"), FINISHES.items())
@pytest.mark.parametrize("parts", [("Half an ans",), ()])
def test_each_finish_reason_has_a_name(server, ask, word, stop, parts):
    server.add(reply(*parts, finish=word))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=r".* is not a valid FinishReason")
        answer = ask()
    assert answer.stop == stop
    assert answer.stop_detail == word
    assert answer.message.text == "".join(parts)


def test_unexpected_calls_are_no_clean_stop_even_with_calls(server, ask):
    server.add(
        reply(
            call_part("a", id="1", signed=b"s"),
            finish="UNEXPECTED_TOOL_CALL",
            finishMessage="No tools were given.",
        )
    )
    answer = ask(tools=["a"])
    assert (answer.stop, answer.stop_detail) == (
        "unexpected_call",
        "UNEXPECTED_TOOL_CALL: No tools were given.",
    )


def test_blocked_prompt_carries_its_reason(server, ask):
    server.add(
        Answer(body={"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": usage(12)})
    )
    answer = ask()
    assert (answer.stop, answer.stop_detail) == ("blocked_prompt", "PROHIBITED_CONTENT")
    assert answer.usage == Usage(requests=1, input=12)


def test_unknown_block_reason(server, ask):
    server.add(Answer(body={"promptFeedback": {"blockReason": "NEW_REASON", "blockReasonMessage": "why"}}))
    assert ask().stop_detail == "NEW_REASON: why"


@pytest.mark.parametrize(
    ("body", "stop", "detail"),
    [
        ({}, "other", "NO_CANDIDATES"),
        ({"candidates": []}, "other", "NO_CANDIDATES"),
        ({"candidates": None, "usageMetadata": None}, "other", "NO_CANDIDATES"),
        ({"candidates": [{"finishReason": "STOP"}]}, "stop", "STOP"),
        ({"candidates": [{"content": {}, "finishReason": "STOP"}]}, "stop", "STOP"),
        (
            {"candidates": [{"content": {"role": "model", "parts": None}, "finishReason": "STOP"}]},
            "stop",
            "STOP",
        ),
        ({"candidates": [{"content": {"parts": [{}]}, "finishReason": "STOP"}]}, "stop", "STOP"),
        ({"candidates": [{"content": {"parts": []}}]}, "unknown", "NO_FINISH_REASON"),
        ({"candidates": [{"finishReason": "MAX_TOKENS"}], "newField": {"a": 1}}, "max_tokens", "MAX_TOKENS"),
    ],
)
def test_any_piece_may_be_missing(server, ask, body, stop, detail):
    server.add(Answer(body=body), reply("fine"))
    answer = ask(malformed_retries=0)
    assert (answer.stop, answer.stop_detail, answer.message.text) == (stop, detail, "")
    assert answer.message.tool_calls == ()
    # The empty turn can be sent back.
    assert ask((Message.user("q"), answer.message, Message.user("go on"))).message.text == "fine"
    assert server.last.contents[1]["parts"] == [{"text": "(empty)"}]


def test_a_reply_of_nothing_is_asked_for_again(server, ask):
    server.add(Answer(body={"candidates": [], "usageMetadata": usage(7)}), reply("fine"))
    answer = ask()
    assert answer.message.text == "fine" and len(server.last.contents) == 1
    assert answer.requests == (Usage(requests=1, input=7), Usage(requests=1, input=10, output=5))


def test_malformed_call_is_asked_for_again(server, ask):
    counts = {"counts": usage(10, 3)}
    server.add(
        reply(finish="MALFORMED_FUNCTION_CALL", finishMessage="call:find{place=", **counts),
        reply("I try.", finish="MALFORMED_FUNCTION_CALL", **counts),
        reply(call_part("find", {"place": "Omaha"}, id="1", signed=b"s"), **counts),
        reply("done"),
    )
    answer = ask(tools=["find"])
    assert answer.stop == "tool_calls"
    assert answer.message.tool_calls[0].arguments == {"place": "Omaha"}
    assert answer.requests == (Usage(requests=1, input=10, output=3),) * 3
    assert "call:find{place=" in server.received[1].contents[-1]["parts"][0]["text"]
    assert server.received[2].contents[-2] == {"role": "model", "parts": [{"text": "I try."}]}

    from gra_core import ToolReply

    results = Message.results([ToolReply(call_id="1", name="find", output={"status": "ok"})])
    ask((Message.user("How many counties has Nebraska?"), answer.message, results), tools=["find"])
    # The signature keeps its position: the corrective turns before it go back too.
    assert server.last.contents[:-1] == [
        *server.received[2].contents,
        {"role": "model", "parts": server.last.contents[-2]["parts"]},
    ]


def test_malformed_calls_are_bounded_and_all_counted(server, ask):
    server.add(*(reply(finish="MALFORMED_FUNCTION_CALL", counts=usage(10, 3)) for _ in range(9)))
    answer = ask(tools=["find"], malformed_retries=2)
    assert (answer.stop, answer.stop_detail) == ("malformed_call", "MALFORMED_FUNCTION_CALL")
    assert answer.usage == Usage(requests=3, input=30, output=9)
    assert len(server.received) == 3


def test_a_reply_cut_at_the_servers_limit_is_continued(server, ask):
    server.add(
        reply("Richard", finish="CONTINUATION", continuationToken="dG9rZW4=", counts=usage(10, 3)),
        reply("son County", counts=usage(13, 2)),
    )
    answer = ask()
    assert (answer.message.text, answer.stop) == ("Richardson County", "stop")
    assert answer.requests == (Usage(requests=1, input=10, output=3), Usage(requests=1, input=13, output=2))
    assert server.last.body["continuationToken"] == "dG9rZW4="
