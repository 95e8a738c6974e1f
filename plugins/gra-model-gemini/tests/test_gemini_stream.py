"""Streams: chunks become one turn, signatures stay where they were."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gra_core import Message, ModelError, ToolReply, Usage
from gra_model_gemini.answer import append
from gra_model_gemini.testing import (
    Answer,
    call_part,
    chunk,
    refusal,
    reply,
    signature,
    signature_bytes,
    stream,
    usage,
)


def test_chunks_merge_into_one_turn(server, ask):
    server.add(
        stream(
            chunk({"text": "Let me ", "thought": True}),
            chunk({"text": "think.", "thought": True}),
            chunk("Rich"),
            chunk("ardson", counts=usage(20, 1)),
            chunk(" County"),
            chunk({"text": "", "thoughtSignature": signature(b"\xfb\xef")}),
            chunk(call_part("a", {"x": 1}, id="1", signed=b"\xff\xfe")),
            chunk(call_part("b", id="2"), finish="STOP", counts=usage(20, 9, thoughtsTokenCount=4)),
        ),
        reply("done"),
    )
    answer = ask(tools=["a", "b"], stream=True)
    assert server.last.method == "streamGenerateContent"
    assert "alt=sse" in server.last.path
    assert (answer.message.text, answer.message.thoughts) == ("Richardson County", "Let me think.")
    assert [c.name for c in answer.message.tool_calls] == ["a", "b"]
    assert answer.stop == "tool_calls"
    assert answer.requests == (Usage(requests=1, input=20, output=9, thinking=4),)
    results = Message.results(
        [ToolReply(call_id=i, name=n, output={"status": "ok"}) for i, n in (("1", "a"), ("2", "b"))]
    )
    ask((Message.user("q"), answer.message, results), tools=["a", "b"])
    parts = server.last.contents[1]["parts"]
    assert [p.get("text") for p in parts] == ["Let me think.", "Richardson County", "", None, None]
    assert [signature_bytes(p.get("thoughtSignature", "")) for p in parts] == [
        b"",
        b"",
        b"\xfb\xef",
        b"\xff\xfe",
        b"",
    ]


def text_part(text, thought, signed):
    part = {"text": text} | ({"thought": True} if thought else {})
    return part | ({"thoughtSignature": signed} if signed else {})


def said(parts, thought):
    return "".join(p.get("text", "") for p in parts if p.get("thought", False) is thought)


def kept(parts):
    return [p for p in parts if "thoughtSignature" in p or "functionCall" in p]


TEXT_PARTS = st.builds(
    text_part, st.text(max_size=5), st.booleans(), st.sampled_from(["", "", "AA==", "BB=="])
)
PARTS = st.lists(TEXT_PARTS | st.just({"functionCall": {"name": "f", "args": {}}}), max_size=12)


@given(PARTS)
def test_merging_loses_nothing_and_moves_nothing(parts):
    merged: list = []
    for part in parts:
        append(merged, part)
    for thought in (False, True):
        assert said(merged, thought) == said(parts, thought)
    assert kept(merged) == kept(parts)
    for one, other in itertools.pairwise(merged):
        plain = {*one, *other} <= {"text", "thought"}
        assert not (plain and one.get("thought") == other.get("thought")), "two texts of one kind in a row"


def test_a_stream_that_ends_early_is_tried_again(server, ask):
    server.add(
        stream(chunk("Rich", counts=usage(20, 1))),
        stream(chunk("Richardson", finish="STOP", counts=usage(20, 2))),
    )
    answer = ask(stream=True)
    assert answer.message.text == "Richardson"
    assert answer.requests == (Usage(requests=1, input=20, output=1), Usage(requests=1, input=20, output=2))


def test_a_connection_dropped_in_a_stream(server, ask):
    whole = stream(chunk("Richardson"), chunk(" County", finish="STOP", counts=usage(20, 2)), cut=120)
    server.add(whole, stream(chunk("fine", finish="STOP", counts=usage(3, 1))))
    answer = ask(stream=True)
    assert answer.message.text == "fine"
    lost, last = answer.requests
    assert lost.estimated and lost.input > 0 and last == Usage(requests=1, input=3, output=1)


def test_an_error_inside_a_stream(server, ask):
    error = {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}
    server.add(stream(chunk("Rich"), error), stream(chunk("fine", finish="STOP", counts=usage(3, 1))))
    assert ask(stream=True).message.text == "fine"


def test_refusals_of_a_stream(server, ask):
    server.add(refusal(400, "Unable to process"))
    with pytest.raises(ModelError) as raised:
        ask(stream=True)
    assert raised.value.kind == "bad_request"


def test_blocked_prompt_in_a_stream(server, ask):
    server.add(Answer(chunks=({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage(5)},)))
    answer = ask(stream=True)
    assert (answer.stop, answer.stop_detail) == ("blocked_prompt", "SAFETY")
