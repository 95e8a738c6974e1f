"""Turns that go back: unchanged with their signatures, or rebuilt; every call answered once."""

from __future__ import annotations

import json

import pytest

from gra_core import Message, ToolCall, ToolReply, dump, load
from gra_model_gemini.testing import call_part, chunk, reply, signature, signature_bytes, stream

# Bytes whose two base64 alphabets differ, since the SDK reads one and writes the other.
SIGNED = b"\xfb\xff\xfe\xf0>>??"


def result(call: ToolCall, **output) -> ToolReply:
    return ToolReply(call_id=call.id, name=call.name, output={"status": "ok", "content": 1} | output)


def decoded(parts):
    """Parts with signatures as bytes: the two base64 alphabets are one thing."""
    return [
        p | {"thoughtSignature": signature_bytes(p["thoughtSignature"])} if "thoughtSignature" in p else p
        for p in parts
    ]


@pytest.mark.parametrize("stream_it", [False, True])
@pytest.mark.parametrize("model", ["gemini-3.8-flash", "gemini-2.5-flash"])
def test_every_part_goes_back_unchanged_and_in_order(server, ask, model, stream_it):
    parts = [
        {"text": "I will look it up.", "thought": True},
        {"text": "Looking."},
        call_part(
            "find",
            {"place": "Omaha", "nested": {"a": None, "snake_key": [1, {"b": 2.5}]}},
            id="c1",
            signed=SIGNED,
        ),
        call_part("find", {"place": "Lincoln"}, id="c2"),
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"toolCall": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["x"]}}},
        {"toolResponse": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "response": {"k": "v"}}},
        {"inlineData": {"mimeType": "image/png", "data": signature(b"\x89PNG\xff\xfe")}},
        {"text": "", "thoughtSignature": signature(SIGNED[::-1])},
    ]
    if not stream_it:
        parts.append({"text": "x", "fieldOf2027": {"a": None}, "thoughtSignature": signature(b"y")})
    answer = stream(chunk(*parts, finish="STOP")) if stream_it else reply(*parts)
    server.add(answer, reply("done"))
    first = ask(tools=["find"], model=model, stream=stream_it)
    calls = first.message.tool_calls
    assert [c.arguments for c in calls] == [parts[2]["functionCall"]["args"], {"place": "Lincoln"}]
    stored = load(json.loads(json.dumps(dump(first.message))), Message)  # as a trajectory keeps it
    ask((Message.user("q"), stored, Message.results([result(c) for c in calls])), tools=["find"], model=model)
    sent = server.last.contents[1]
    assert sent["role"] == "model"
    back = decoded(sent["parts"])
    back[8] = {
        "inlineData": back[8]["inlineData"]
        | {"data": signature(signature_bytes(back[8]["inlineData"]["data"]))}
    }
    assert back == decoded(parts)


def test_thoughts_are_kept_apart(server, ask):
    server.add(reply({"text": "hm", "thought": True}, "yes", {"text": " so", "thought": True}, "!"))
    answer = ask()
    assert answer.message.text == "yes!"
    assert answer.message.thoughts == "hm so"


def test_parallel_calls_are_answered_in_one_user_turn(server, ask):
    server.add(
        reply(call_part("a", id="1", signed=b"s"), call_part("b", id="2"), call_part("a", id="3")),
        reply("done"),
    )
    first = ask(tools=["a", "b"])
    assert first.stop == "tool_calls"
    replies = [result(c) for c in first.message.tool_calls]
    replies[1] = result(
        first.message.tool_calls[1], status="error", error={"kind": "not_found", "message": "no", "hint": ""}
    )
    ask((Message.user("q"), first.message, Message.results(replies[::-1])), tools=["a", "b"])
    responses = [p["functionResponse"] for p in server.last.contents[2]["parts"]]
    assert [(r["id"], r["name"]) for r in responses] == [("1", "a"), ("2", "b"), ("3", "a")]
    assert responses[0]["response"] == {"output": {"status": "ok", "content": 1}}
    assert list(responses[1]["response"]) == ["error"]
    assert responses[1]["response"]["error"]["error"]["kind"] == "not_found"
    assert len(server.last.contents) == 3


def test_another_model_gets_the_turn_rebuilt_with_a_stand_in(server, ask):
    server.add(
        reply(
            {"text": "hm", "thought": True},
            "Looking.",
            call_part("a", {"x": 1}, id="1", signed=b"other"),
            call_part("a", id="2"),
        )
    )
    first = ask(tools=["a"], model="gemini-3.1-pro-preview")
    history = (
        Message.user("q"),
        first.message,
        Message.results([result(c) for c in first.message.tool_calls]),
    )
    server.add(reply("done"))
    ask(history, tools=["a"], model="gemini-3.8-flash")
    parts = decoded(server.last.contents[1]["parts"])
    assert parts == [
        {"text": "Looking."},
        {
            "functionCall": {"id": "1", "name": "a", "args": {"x": 1}},
            "thoughtSignature": b"skip_thought_signature_validator",
        },
        {"functionCall": {"id": "2", "name": "a", "args": {}}},
    ]


def test_another_provider_is_rebuilt_without_signature_where_none_is_needed(server, ask):
    call = ToolCall(id="toolu_1", name="a", arguments={"x": 1})
    foreign = Message(
        role="model", text="", tool_calls=(call,), provider="openai", state={"parts": "not ours"}
    )
    server.add(reply("done"))
    ask((Message.user("q"), foreign, Message.results([result(call)])), tools=["a"], model="gemini-2.5-pro")
    assert server.last.contents[1]["parts"] == [
        {"functionCall": {"id": "toolu_1", "name": "a", "args": {"x": 1}}}
    ]


def test_as_many_responses_as_calls_after_a_history_is_trimmed(server, ask):
    calls = tuple(ToolCall(id=f"c{n}", name="a") for n in range(3))
    model_turn = Message(role="model", tool_calls=calls)
    server.add(reply("done"))
    ask((Message.user("q"), model_turn, Message.results([result(calls[1])])), tools=["a"])
    responses = [p["functionResponse"] for p in server.last.contents[2]["parts"]]
    assert [r["id"] for r in responses] == ["c0", "c1", "c2"]
    assert [list(r["response"]) for r in responses] == [["error"], ["output"], ["error"]]


def test_calls_without_any_result_are_answered_too(server, ask):
    server.add(reply("done"))
    ask(
        (
            Message.user("q"),
            Message(role="model", tool_calls=(ToolCall(id="c", name="a"),)),
            Message.user("and?"),
        ),
        tools=["a"],
    )
    assert [list(p) for p in server.last.contents[2]["parts"]] == [["functionResponse"]]
    assert server.last.contents[3]["parts"] == [{"text": "and?"}]


def test_results_whose_call_was_trimmed_are_told_as_text(server, ask):
    orphan = Message.results([ToolReply(call_id="gone", name="a", output={"status": "ok", "content": 42})])
    server.add(reply("done"))
    ask((orphan, Message(role="model", text="So 42.")), tools=["a"])
    contents = server.last.contents
    assert "42" in contents[0]["parts"][0]["text"]
    assert contents[0]["role"] == contents[-1]["role"] == "user"


def test_history_that_starts_and_ends_with_the_model(server, ask):
    server.add(reply("done"))
    ask((Message(role="model", text="a"), Message.user("b"), Message(role="model", text="")))
    assert [c["role"] for c in server.last.contents] == ["user", "model", "user", "model", "user"]
    assert server.last.contents[3]["parts"] == [{"text": "(empty)"}]


def test_missing_and_repeated_ids_get_one_of_ours(server, ask):
    server.add(
        reply(
            call_part("a", signed=b"1"), call_part("a"), call_part("b", id="same"), call_part("b", id="same")
        ),
        reply("x"),
    )
    first = ask(tools=["a", "b"])
    ids = [c.id for c in first.message.tool_calls]
    assert len(set(ids)) == 4
    assert all(ids)
    history = (
        Message.user("q"),
        first.message,
        Message.results([result(c, content=n) for n, c in enumerate(first.message.tool_calls)]),
    )
    ask(history, tools=["a", "b"])
    responses = [p["functionResponse"] for p in server.last.contents[2]["parts"]]
    # On the wire each response has what its call had there, in the calls' order.
    assert [(r.get("id"), r["name"]) for r in responses] == [
        (None, "a"),
        (None, "a"),
        ("same", "b"),
        ("same", "b"),
    ]
    assert [r["response"]["output"]["content"] for r in responses] == [0, 1, 2, 3]


def test_ids_repeated_over_turns_are_told_apart(server, ask):
    server.add(
        reply(call_part("a", id="call_0", signed=b"1")), reply(call_part("a", id="call_0", signed=b"2"))
    )
    first = ask(tools=["a"])
    history = (
        Message.user("q"),
        first.message,
        Message.results([result(c) for c in first.message.tool_calls]),
    )
    second = ask(history, tools=["a"])
    assert first.message.tool_calls[0].id != second.message.tool_calls[0].id


@pytest.mark.parametrize(
    ("name", "meant"),
    [("default_api.find", "find"), ("default_api:find", "find"), ("functions.find", "find"), ("find", "find"),
     ("default_api.other", "other"), ("my.tool", "my.tool"), ("some.other", "some.other")],
)  # fmt: skip
def test_prefixed_names_mean_the_declared_tool(server, ask, name, meant):
    server.add(reply(call_part(name, id="1", signed=b"s")), reply("done"))
    first = ask(tools=["find", "my.tool"])
    assert first.message.tool_calls[0].name == meant
    ask(
        (Message.user("q"), first.message, Message.results([result(first.message.tool_calls[0])])),
        tools=["find"],
    )
    assert server.last.contents[1]["parts"][0]["functionCall"]["name"] == name


def test_null_arguments(server, ask):
    server.add(
        reply({"functionCall": {"name": "a", "args": None, "id": "1"}, "thoughtSignature": signature(b"s")})
    )
    assert ask(tools=["a"]).message.tool_calls[0].arguments == {}
