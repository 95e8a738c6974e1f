"""What comes back, whole or not."""

from __future__ import annotations

import pytest

from gra_core import Message, ToolCall, ToolDeclaration, Usage

PLACE = ToolDeclaration(
    name="find_place", description="Find a place.", parameters={"type": "object", "properties": {}}
)


def test_a_plain_answer(wire, ask, make):
    wire.steps = [make.completion()]
    reply = ask()
    assert (reply.message.text, reply.stop, reply.model_version) == ("Nebraska", "stop", "test-model-2026")
    assert reply.message.provider == "openai:test-model" and reply.message.state["content"] == "Nebraska"
    assert reply.requests == (Usage(requests=1, input=20, output=5),)


@pytest.mark.parametrize(
    ("finish", "stop", "detail"),
    [
        ("stop", "stop", "stop"),
        ("length", "max_tokens", "length"),
        ("content_filter", "content_filter", "content_filter"),
        ("eos", "stop", "eos"),
        ("a_new_reason", "unknown", "a_new_reason"),
        (None, "unknown", "no finish reason"),
    ],
)
def test_finish_reasons(wire, ask, make, finish, stop, detail):
    wire.steps = [make.completion(finish=finish)]
    reply = ask()
    assert (reply.stop, reply.stop_detail) == (stop, detail)
    assert len(wire.bodies) == 1


@pytest.mark.parametrize("finish", ["tool_calls", "stop", "function_call", None])
def test_calls_stop_for_calls_whatever_the_server_says(wire, ask, make, finish):
    wire.steps = [make.completion(make.calling(make.call()), finish=finish)]
    assert ask(tools=(PLACE,)).stop == "tool_calls"


def test_null_content_is_empty_text(wire, ask, make):
    wire.steps = [make.completion({"role": "assistant", "content": None}, finish="length")]
    reply = ask()
    assert (reply.message.text, reply.stop) == ("", "max_tokens")


def test_content_parts_are_joined_and_thoughts_kept_apart(wire, ask, make):
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Which state?"}]},
        {"type": "text", "text": "Box Butte "},
        {"type": "image_url", "image_url": {"url": "data:,"}},
        {"type": "text", "text": "County"},
    ]
    wire.steps = [make.completion({"role": "assistant", "content": parts})]
    message = ask().message
    assert (message.text, message.thoughts) == ("Box Butte County", "Which state?")
    assert message.state["content"] == parts


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart(wire, ask, make, field):
    wire.steps = [make.completion({"role": "assistant", "content": "Nebraska", field: "Cars in a circle."})]
    message = ask().message
    assert (message.text, message.thoughts) == ("Nebraska", "Cars in a circle.")
    assert message.state[field] == "Cars in a circle."


def test_a_leading_think_block_is_no_answer_text(wire, ask, make):
    content = "<think>Cars.\nIn a circle.</think>\n\nNebraska"
    wire.steps = [make.completion({"role": "assistant", "content": content})]
    message = ask().message
    assert (message.text, message.thoughts, message.state["content"]) == (
        "Nebraska",
        "Cars.\nIn a circle.",
        content,
    )


def test_half_a_surrogate_pair_becomes_a_replacement_character(wire, ask, make):
    wire.steps = [
        make.completion(
            {"role": "assistant", "content": "Berlin \ud83d\ude00 \ud83d", "x": ["\udc00"]}, finish="length"
        )
    ]
    message = ask().message
    assert message.text == "Berlin \U0001f600 \ufffd" and message.state["x"] == ["\ufffd"]


def test_a_refusal_is_no_clean_stop(wire, ask, make):
    wire.steps = [
        make.completion({"role": "assistant", "content": None, "refusal": "I cannot help with that."})
    ]
    reply = ask()
    assert (reply.stop, reply.stop_detail, reply.message.text) == (
        "safety",
        "refusal",
        "I cannot help with that.",
    )


@pytest.mark.parametrize(
    "broken", [{"choices": []}, {"choices": None}, {"choices": [{"index": 0, "message": None}]}]
)
def test_a_reply_without_choice_or_message_is_asked_for_once_more(wire, ask, make, broken):
    wire.steps = [make.completion() | broken, make.completion()]
    reply = ask()
    assert reply.message.text == "Nebraska" and reply.usage == Usage(requests=2, input=40, output=10)
    assert wire.bodies[0] == wire.bodies[1]


def test_no_choices_twice_is_a_malformed_response(wire, ask, make):
    wire.steps = [make.completion() | {"choices": []}]
    reply = ask()
    assert (reply.stop, reply.stop_detail) == ("malformed_response", "the reply has no choices")
    assert len(wire.bodies) == 2 and reply.usage.requests == 2


def test_a_stop_for_calls_without_calls_is_a_malformed_response(wire, ask, make):
    wire.steps = [make.completion(finish="tool_calls")]
    assert ask(tools=(PLACE,)).stop == "malformed_response"


@pytest.mark.parametrize("arguments", ['{"name": "Carhenge"', "[1, 2]", '"text"', "name=Carhenge"])
def test_broken_arguments_get_one_corrective_turn(wire, ask, make, arguments):
    broken = make.calling(make.call(arguments=arguments))
    wire.steps = [
        make.completion(broken, finish="tool_calls"),
        make.completion(make.calling(make.call()), finish="tool_calls"),
    ]
    reply = ask(tools=(PLACE,))
    assert reply.stop == "tool_calls" and reply.message.tool_calls[0].arguments == {"name": "Carhenge"}
    assert reply.requests == (Usage(requests=1, input=20, output=5),) * 2
    correction = wire.bodies[1]["messages"][-1]
    assert correction["role"] == "user" and "find_place" in correction["content"]
    assert wire.bodies[1]["messages"][:-1] == wire.bodies[0]["messages"], "the broken turn is not sent back"


def test_broken_arguments_twice_stop_as_malformed_call(wire, ask, make):
    wire.steps = [make.completion(make.calling(make.call(arguments="{")), finish="tool_calls")]
    reply = ask(tools=(PLACE,))
    assert reply.stop == "malformed_call" and "find_place" in reply.stop_detail
    assert reply.message.tool_calls == () and reply.message.state is None
    assert len(wire.bodies) == 2 and reply.usage.requests == 2


def test_arguments_cut_off_by_the_output_limit_are_no_malformed_call(wire, ask, make):
    wire.steps = [make.completion(make.calling(make.call(arguments='{"name": "Car')), finish="length")]
    reply = ask(tools=(PLACE,))
    assert reply.stop == "max_tokens" and reply.message.tool_calls == () and len(wire.bodies) == 1


@pytest.mark.parametrize("arguments", ["", None, "  ", {}])
def test_absent_arguments_are_none(wire, ask, make, arguments):
    wire.steps = [make.completion(make.calling(make.call(arguments=arguments)), finish="tool_calls")]
    assert ask(tools=(PLACE,)).message.tool_calls[0].arguments == {}


def test_arguments_may_be_an_object_already(wire, ask, make):
    wire.steps = [make.completion(make.calling(make.call(arguments={"name": "A"})), finish="tool_calls")]
    assert ask(tools=(PLACE,)).message.tool_calls[0].arguments == {"name": "A"}


def test_missing_and_repeated_ids_get_ours_and_the_state_agrees(wire, ask, make):
    calls = [make.call(id=None), make.call(id="call_0"), make.call(id="call_0"), make.call(id="")]
    wire.steps = [make.completion(make.calling(*calls), finish="tool_calls")]
    earlier = Message(role="model", tool_calls=(ToolCall(id="call_0", name="find_place"),))
    message = ask(messages=(Message.user("q"), earlier, Message.user("r")), tools=(PLACE,)).message
    ids = [c.id for c in message.tool_calls]
    assert len(set(ids)) == 4 and "call_0" not in ids and all(len(i) == 9 and i.isalnum() for i in ids)
    assert [c["id"] for c in message.state["tool_calls"]] == ids


def test_a_namespace_before_a_declared_name_is_dropped(wire, ask, make):
    names = [make.call("functions.find_place", id="a"), make.call("functions.other", id="b")]
    wire.steps = [make.completion(make.calling(*names), finish="tool_calls")]
    assert [c.name for c in ask(tools=(PLACE,)).message.tool_calls] == ["find_place", "functions.other"]


def test_a_call_without_a_name_is_malformed(wire, ask, make):
    wire.steps = [
        make.completion(
            make.calling({"id": "a", "type": "custom", "custom": {"name": "x", "input": ""}}),
            finish="tool_calls",
        )
    ]
    assert ask(tools=(PLACE,)).stop == "malformed_call"


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (
            {
                "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150,
                "prompt_tokens_details": {"cached_tokens": 64}, "completion_tokens_details": {"reasoning_tokens": 30},
            },
            Usage(requests=1, input=36, cached=64, output=20, thinking=30),
        ),
        (
            {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": None, "completion_tokens_details": None},
            Usage(requests=1, input=9, output=4),
        ),
        (
            {
                "prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": None},
                "completion_tokens_details": {"reasoning_tokens": None},
            },
            Usage(requests=1, input=9, output=4),
        ),
        ({"prompt_tokens": 9, "total_tokens": 13, "completion_tokens": None}, Usage(requests=1, input=9, output=4)),
        ({"prompt_tokens": 9, "completion_tokens": 0}, Usage(requests=1, input=9)),
        ({"prompt_tokens": 10, "completion_tokens": 1, "prompt_cache_hit_tokens": 8}, Usage(requests=1, input=2, cached=8, output=1)),
    ],
)  # fmt: skip
def test_usage_with_any_part_absent_or_null(wire, ask, make, usage, expected):
    wire.steps = [make.completion(usage=usage)]
    assert ask().requests == (expected,)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None, "completion_tokens": None}])
def test_missing_usage_is_a_marked_estimate(wire, ask, make, usage):
    wire.steps = [make.completion(usage=usage)]
    (used,) = ask(system="word " * 100).requests
    assert used.estimated and used.requests == 1
    assert 100 < used.input < 200, "about a token for four characters"
    assert used.output == 2


def test_an_estimate_of_the_one_missing_count_marks_the_whole(wire, ask, make):
    wire.steps = [make.completion(usage={"prompt_tokens": 7})]
    (used,) = ask().requests
    assert used.estimated and used.input == 7 and used.output == 2
