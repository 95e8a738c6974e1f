"""Turns as a small model reads them."""

from __future__ import annotations

import json

from gra_core import Message, ModelRequest, ToolCall, ToolReply
from gra_model_local.prompt import constrained_messages, native_messages


def conversation(provider="", state=None) -> ModelRequest:
    calls = (
        ToolCall(id="c1", name="find_place", arguments={"name": "Zürich"}),
        ToolCall(id="c2", name="now"),
    )
    replies = [
        ToolReply(call_id="c1", name="find_place", output={"status": "empty"}),
        ToolReply(call_id="c2", name="now", output={"status": "ok"}),
    ]
    messages = (
        Message.user("Where is Zürich?"), Message(role="model", tool_calls=calls, provider=provider, state=state),
        Message.results(replies), Message.user("Go on."), Message(role="model", text="Nowhere."), Message.user(""),
    )  # fmt: skip
    return ModelRequest(messages=messages, system="Be brief.")


def test_constrained_turns_alternate_and_show_calls_as_the_json_they_were(tool):
    system, *turns = constrained_messages(conversation(), (tool(),), answer=True, window=8192)
    assert system["content"].startswith(
        "Be brief.\n\nTools:\nfind_place(name: string): Find a place by its name.\n\n"
    )
    assert '{"answer": "<text>"}' in system["content"]
    assert [t["role"] for t in turns] == ["user", "assistant", "user", "assistant", "user"]
    first, second = turns[1]["content"].splitlines()
    assert json.loads(first) == {"tool": "find_place", "arguments": {"name": "Zürich"}}
    assert json.loads(second) == {"tool": "now", "arguments": {}}
    assert (
        turns[2]["content"]
        == 'Result of find_place: {"status": "empty"}\n\nResult of now: {"status": "ok"}\n\nGo on.'
    )
    assert json.loads(turns[3]["content"]) == {"answer": "Nowhere."} and turns[4]["content"] == "(empty)"


def test_a_call_that_must_be_made_leaves_no_word_of_answers(tool):
    system = constrained_messages(conversation(), (tool(),), answer=False, window=8192)[0]
    assert '{"answer"' not in system["content"]


def test_without_tools_there_is_no_word_of_json():
    messages = constrained_messages(conversation(), (), answer=True, window=8192)
    assert messages[0]["content"] == "Be brief." and messages[4]["content"] == "Nowhere."


def test_native_turns_answer_each_call():
    messages = native_messages(conversation(), "local:x")
    assert [m["role"] for m in messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
        "assistant",
        "user",
    ]
    assert messages[2]["tool_calls"][0] == {
        "id": "c1", "type": "function", "function": {"name": "find_place", "arguments": '{"name": "Zürich"}'},
    }  # fmt: skip
    assert [m["tool_call_id"] for m in messages[3:5]] == ["c1", "c2"]


def test_a_native_turn_goes_back_unchanged_to_the_same_model_only():
    state = {"role": "assistant", "content": "", "reasoning_content": "Hm.", "tool_calls": []}
    assert native_messages(conversation("local:x", state), "local:x")[2] == state
    assert native_messages(conversation("local:y", state), "local:x")[2] != state
