"""What goes over the wire."""

from __future__ import annotations

import json

import pytest

from gra_core import (
    Message,
    ModelRequest,
    ModelSettings,
    ToolCall,
    ToolChoice,
    ToolDeclaration,
    ToolReply,
    UsageError,
)
from gra_model_openai.request import request_body
from gra_model_openai.settings import Endpoint

PLACE = ToolDeclaration(
    name="find_place", description="Find a place.",
    parameters={"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
)  # fmt: skip
COUNTY = ToolDeclaration(
    name="list_counties", description="Counties.", parameters={"type": "object", "properties": {}}
)


def test_only_what_is_set_is_sent(wire, ask, make):
    wire.steps = [make.completion()]
    ask()
    assert wire.paths == ["/v1/chat/completions"]
    assert wire.bodies == [
        {"model": "test-model", "messages": [{"role": "user", "content": "Where is Carhenge?"}]}
    ]


def test_settings_system_and_tools_have_their_wire_form(wire, ask, make):
    wire.steps = [make.completion()]
    settings = ModelSettings(
        temperature=0.0, top_p=0.9, seed=7, max_output_tokens=100, thinking="low", extra={"top_k": 40}
    )
    ask(system="Be brief.", tools=(PLACE,), settings=settings)
    body = wire.bodies[0]
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert body["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "find_place",
                "description": "Find a place.",
                "parameters": PLACE.parameters,
            },
        }
    ]
    sampling = {
        k: body[k] for k in ("temperature", "top_p", "seed", "max_tokens", "reasoning_effort", "top_k")
    }
    assert sampling == {
        "temperature": 0.0,
        "top_p": 0.9,
        "seed": 7,
        "max_tokens": 100,
        "reasoning_effort": "low",
        "top_k": 40,
    }
    assert "tool_choice" not in body


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (ToolChoice(mode="none"), "none"),
        (ToolChoice(mode="any"), "required"),
        (
            ToolChoice(mode="any", names=("find_place",)),
            {"type": "function", "function": {"name": "find_place"}},
        ),
    ],
)
def test_tool_choice(wire, ask, make, choice, expected):
    wire.steps = [make.completion()]
    ask(tools=(PLACE, COUNTY), choice=choice)
    assert wire.bodies[0]["tool_choice"] == expected


def test_a_choice_among_several_names_declares_just_these(wire, ask, make):
    wire.steps = [make.completion()]
    other = ToolDeclaration(name="other", description="", parameters={"type": "object", "properties": {}})
    ask(tools=(PLACE, other, COUNTY), choice=ToolChoice(mode="any", names=("find_place", "list_counties")))
    assert [t["function"]["name"] for t in wire.bodies[0]["tools"]] == ["find_place", "list_counties"]
    assert wire.bodies[0]["tool_choice"] == "required"


def body_of(extra: dict, url: str, **settings) -> dict:
    request = ModelRequest(
        messages=(Message.user("q"),), settings=ModelSettings(max_output_tokens=9, extra=extra, **settings)
    )
    return request_body(request, model_id="openai:m", name="m", endpoint=Endpoint(base_url=url))


def test_the_name_of_the_output_limit_follows_the_server_or_the_setting():
    official, own = "https://api.openai.com/v1", "http://localhost:8000/v1"
    assert "max_completion_tokens" in body_of({}, official) and "max_tokens" not in body_of({}, official)
    assert "max_tokens" in body_of({}, own)
    chosen = body_of({"max_tokens_field": "max_completion_tokens", "retries": 1}, own)
    assert (
        chosen["max_completion_tokens"] == 9 and "max_tokens_field" not in chosen and "retries" not in chosen
    )
    with pytest.raises(UsageError, match="max_tokens_field"):
        body_of({"max_tokens_field": "limit"}, own)


def test_a_setting_that_is_no_number_is_named():
    with pytest.raises(UsageError, match=r"'retries': 'many'"):
        body_of({"retries": "many"}, "http://localhost/v1")


def test_thinking_off_is_the_effort_none():
    assert body_of({}, "http://localhost/v1", thinking="off")["reasoning_effort"] == "none"


def test_the_own_turn_goes_back_unchanged_and_each_call_gets_one_tool_message_in_order(wire, ask, make):
    raw = make.calling(
        make.call(id="a", unknown={"signature": "c2ln"}), make.call("list_counties", "", id="b"),
        reasoning_content="First the place.", annotations=[], vendor_field=[1, {"x": None}],
    )  # fmt: skip
    wire.steps = [make.completion(raw, finish="tool_calls"), make.completion()]
    first = ask(tools=(PLACE, COUNTY))
    assert [(c.id, c.name, c.arguments) for c in first.message.tool_calls] == [
        ("a", "find_place", {"name": "Carhenge"}), ("b", "list_counties", {}),
    ]  # fmt: skip
    replies = [
        ToolReply(call_id="b", name="list_counties", output={"status": "ok", "content": ["Box Butte"]}),
        ToolReply(call_id="a", name="find_place", output={"status": "ok", "content": {"lat": 42.14}}),
    ]
    ask(messages=(Message.user("q"), first.message, Message.results(replies)), tools=(PLACE, COUNTY))
    sent = wire.bodies[1]["messages"]
    assert sent[1] == raw
    assert [(m["role"], m["tool_call_id"]) for m in sent[2:]] == [("tool", "a"), ("tool", "b")]
    assert json.loads(sent[2]["content"]) == {"status": "ok", "content": {"lat": 42.14}}


def test_a_turn_of_another_model_is_written_anew(wire, ask, make):
    wire.steps = [make.completion()]
    turn = Message(
        role="model", text="Looking.", tool_calls=(ToolCall(id="x1", name="find_place", arguments={"name": "Zürich"}),),
        provider="gemini:other", state={"parts": ["opaque"]},
    )  # fmt: skip
    reply = ToolReply(call_id="x1", name="find_place", output={"status": "empty"})
    ask(messages=(Message.user("q"), turn, Message.results([reply])))
    assert wire.bodies[0]["messages"][1:] == [
        {
            "role": "assistant", "content": "Looking.",
            "tool_calls": [{"id": "x1", "type": "function", "function": {"name": "find_place", "arguments": '{"name": "Zürich"}'}}],
        },
        {"role": "tool", "tool_call_id": "x1", "content": '{"status": "empty"}'},
    ]  # fmt: skip


def test_a_turn_of_the_same_server_but_another_model_is_written_anew(wire, ask, make):
    wire.steps = [make.completion()]
    turn = Message(
        role="model",
        text="Hm.",
        provider="openai:older-model",
        state={"role": "assistant", "content": "Hm.", "secret": 1},
    )
    ask(messages=(Message.user("q"), turn, Message.user("go on")))
    assert wire.bodies[0]["messages"][1] == {"role": "assistant", "content": "Hm."}


def test_empty_turns_get_a_visible_placeholder(wire, ask, make):
    wire.steps = [make.completion()]
    ask(messages=(Message.user(""), Message(role="model"), Message.user("q")))
    assert [m["content"] for m in wire.bodies[0]["messages"]] == ["(empty)", "(empty)", "q"]


def test_the_old_function_call_form_is_read_and_answered(wire, ask, make):
    raw = {
        "role": "assistant",
        "content": None,
        "function_call": {"name": "find_place", "arguments": '{"name": "A"}'},
    }
    wire.steps = [make.completion(raw, finish="function_call"), make.completion()]
    first = ask(tools=(PLACE,))
    assert first.stop == "tool_calls"
    (made,) = first.message.tool_calls
    assert made.name == "find_place" and made.arguments == {"name": "A"} and made.id
    reply = ToolReply(call_id=made.id, name="find_place", output={"status": "ok"})
    ask(messages=(Message.user("q"), first.message, Message.results([reply])), tools=(PLACE,))
    assert wire.bodies[1]["messages"][1:] == [
        raw,
        {"role": "function", "name": "find_place", "content": '{"status": "ok"}'},
    ]
