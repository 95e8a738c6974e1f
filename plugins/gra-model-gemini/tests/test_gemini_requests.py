"""What is sent: addresses, system text, tools, tool choice, thinking, safety."""

from __future__ import annotations

import threading

import pytest

from gra_core import Message, ModelError, ToolChoice, ToolDeclaration
from gra_model_gemini.testing import reply

NOTHING = ToolDeclaration(
    name="list_datasets",
    description="lists",
    parameters={"type": "object", "properties": {}, "additionalProperties": False},
)
FIND = ToolDeclaration(
    name="find_regions",
    description="finds",
    parameters={
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "snake_key": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        },
        "required": ["name"],
        "additionalProperties": False,
    },
)


def test_plain_question(server, ask):
    server.add(reply("93"))
    answer = ask(
        "How many?",
        system="Be brief.",
        settings={"temperature": 0.0, "top_p": 0.5, "seed": 7, "max_output_tokens": 99},
    )
    assert answer.message.text == "93"
    assert answer.stop == "stop"
    assert answer.model_version == "test-version"
    sent = server.last.body
    assert sent["contents"] == [{"role": "user", "parts": [{"text": "How many?"}]}]
    assert sent["systemInstruction"]["parts"] == [{"text": "Be brief."}]
    config = sent["generationConfig"]
    assert (config["temperature"], config["topP"], config["seed"], config["maxOutputTokens"]) == (
        0.0,
        0.5,
        7,
        99,
    )
    assert "tools" not in sent
    assert "toolConfig" not in sent


@pytest.mark.parametrize("system", ["", "  \n"])
def test_no_system_instruction_when_empty(server, ask, system):
    server.add(reply("ok"))
    ask(system=system)
    assert "systemInstruction" not in server.last.body


@pytest.mark.parametrize(
    ("model", "version"),
    [
        ("gemini-3.8-flash", "v1"),
        ("gemini-2.5-pro", "v1"),
        ("gemini-3.1-pro-preview", "v1beta"),
        ("gemini-flash-latest", "v1beta"),
        ("gemini-2.5-flash-preview-09-2025", "v1beta"),
    ],
)
def test_api_version_by_model(server, ask, model, version):
    server.add(reply("ok"))
    ask(model=model)
    assert (server.last.version, server.last.model) == (version, model)


def test_api_version_by_setting_and_environment(server, ask, monkeypatch):
    server.add(reply("ok"), reply("ok"))
    ask(api_version="v1alpha")
    assert server.last.version == "v1alpha"
    monkeypatch.setenv("GOOGLE_GENAI_API_VERSION", "v1beta")
    ask()
    assert server.last.version == "v1beta"


def test_transport_timeout_is_explicit_and_within_the_trial(server, ask, open_model):
    from gra_core import Clock

    server.add(reply("ok"), reply("ok"))
    client = open_model()
    ask(client=client, timeout_s=120.0)
    assert server.last.headers["x-server-timeout"] == "120"
    ask(client=client, clock=Clock(30))
    assert 28 <= int(server.last.headers["x-server-timeout"]) <= 30


def test_tools_with_json_schema_and_none_for_no_parameters(server, ask):
    server.add(reply("ok"))
    ask(tools=(NOTHING, FIND), choice=ToolChoice(mode="any"))
    declarations = server.last.body["tools"][0]["functionDeclarations"]
    assert declarations[0] == {"name": "list_datasets", "description": "lists"}
    assert declarations[1]["parametersJsonSchema"] == FIND.parameters


@pytest.mark.parametrize("name", ["9lives", "has space", "x" * 65, ""])
def test_illegal_tool_names_are_refused_before_sending(server, ask, name):
    with pytest.raises(ModelError, match="tool name") as raised:
        ask(tools=(ToolDeclaration(name=name, description="", parameters={"properties": {}}),))
    assert raised.value.kind == "bad_request"
    assert not server.received


@pytest.mark.parametrize(
    ("choice", "calling"),
    [
        (ToolChoice(), {"mode": "AUTO"}),
        (ToolChoice(mode="any"), {"mode": "ANY"}),
        (
            ToolChoice(mode="any", names=("find_regions",)),
            {"mode": "ANY", "allowedFunctionNames": ["find_regions"]},
        ),
        (ToolChoice(mode="none"), {"mode": "NONE"}),
    ],
)
def test_tool_choice(server, ask, choice, calling):
    server.add(reply("ok"))
    ask(tools=(FIND, NOTHING), choice=choice)
    assert server.last.body["toolConfig"]["functionCallingConfig"] == calling


def test_tool_choice_of_undeclared_tool(ask):
    with pytest.raises(ModelError, match="'buffer', which is not declared"):
        ask(tools=(FIND,), choice=ToolChoice(mode="any", names=("buffer",)))
    with pytest.raises(ModelError, match="no tool is declared"):
        ask(choice=ToolChoice(mode="any"))


def test_built_in_tools_mixed_with_functions_are_validated(server, ask):
    server.add(reply("ok"))
    ask(tools=(FIND,), built_in=["google_search", "code_execution"])
    sent = server.last.body
    assert [sorted(tool) for tool in sent["tools"]] == [
        ["googleSearch"],
        ["codeExecution"],
        ["functionDeclarations"],
    ]
    assert sent["toolConfig"] == {
        "functionCallingConfig": {"mode": "VALIDATED"},
        "includeServerSideToolInvocations": True,
    }


def test_built_in_tools_alone_need_no_flag(server, ask):
    server.add(reply("ok"))
    ask(built_in=["google_maps"], model="gemini-2.5-flash")
    assert "toolConfig" not in server.last.body


def test_older_models_do_not_mix_tools(ask):
    with pytest.raises(ModelError, match="cannot mix"):
        ask(tools=(FIND,), built_in=["google_search"], model="gemini-2.5-pro")


@pytest.mark.parametrize(
    ("model", "thinking", "sent"),
    [
        ("gemini-3.8-flash", None, {"includeThoughts": True}),
        ("gemini-3.8-flash", "low", {"includeThoughts": True, "thinkingLevel": "LOW"}),
        ("gemini-3.1-pro-preview", "medium", {"includeThoughts": True, "thinkingLevel": "MEDIUM"}),
        ("gemini-3-flash-preview", "minimal", {"includeThoughts": True, "thinkingLevel": "MINIMAL"}),
        ("gemini-2.5-pro", "2048", {"includeThoughts": True, "thinkingBudget": 2048}),
        ("gemini-2.5-pro", "dynamic", {"includeThoughts": True, "thinkingBudget": -1}),
        ("gemini-2.5-flash", "high", {"includeThoughts": True, "thinkingBudget": 24576}),
        ("gemini-2.5-flash", "off", {"includeThoughts": False, "thinkingBudget": 0}),
        ("gemini-2.0-flash", None, None),
        ("gemini-2.0-flash", "off", None),
    ],
)
def test_thinking_by_family(server, ask, model, thinking, sent):
    server.add(reply("ok"))
    ask(model=model, thinking=thinking)
    assert server.last.body.get("generationConfig", {}).get("thinkingConfig") == sent


@pytest.mark.parametrize(
    ("model", "thinking", "hint"),
    [
        ("gemini-3.8-flash", "minimal", "low or medium or high"),
        ("gemini-3.8-flash", "off", "low or medium or high"),
        ("gemini-3.1-pro-preview", "off", "low or medium or high"),
        ("gemini-2.5-pro", "off", "128 to 32768 tokens"),
        ("gemini-2.5-pro", "50000", "128 to 32768 tokens"),
        ("gemini-2.0-flash", "low", "nothing"),
    ],
)
def test_thinking_that_a_model_cannot(server, ask, model, thinking, hint):
    with pytest.raises(ModelError) as raised:
        ask(model=model, thinking=thinking)
    assert raised.value.kind == "bad_request"
    assert hint in raised.value.hint
    assert not server.received


def test_context_windows(open_model):
    assert open_model("gemini-3.8-flash").context_window == 1_048_576
    assert open_model("gemini-3.1-pro-preview").context_window == 1_048_576
    assert open_model("gemini-99-nova").context_window is None


def test_safety_settings_belong_to_one_request(server, ask, open_model):
    safety = {"HARM_CATEGORY_HARASSMENT": "BLOCK_NONE"}
    client = open_model()
    server.add(*(reply("ok") for _ in range(9)))
    ask(client=client, safety=safety)
    assert server.last.body["safetySettings"] == [
        {"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}
    ]
    ask(client=client)
    assert "safetySettings" not in server.last.body
    assert safety == {"HARM_CATEGORY_HARASSMENT": "BLOCK_NONE"}

    levels = ["BLOCK_NONE", "BLOCK_ONLY_HIGH", "BLOCK_LOW_AND_ABOVE", "BLOCK_MEDIUM_AND_ABOVE", "OFF"]
    threads = [
        threading.Thread(
            target=ask,
            args=(level,),
            kwargs={"client": client, "safety": {"HARM_CATEGORY_HARASSMENT": level}},
        )
        for level in levels
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sent = {
        r.contents[0]["parts"][0]["text"]: r.body["safetySettings"][0]["threshold"]
        for r in server.received[2:]
    }
    assert sent == {level: level for level in levels}


def test_further_settings_of_the_sdk(server, ask):
    server.add(reply("{}"))
    ask(config={"top_k": 3, "response_mime_type": "application/json"})
    config = server.last.body["generationConfig"]
    assert (config["topK"], config["responseMimeType"]) == (3, "application/json")


@pytest.mark.parametrize(
    "extra", [{"strem": True}, {"built_in": ["google_serch"]}, {"config": {"top_kk": 1}}]
)
def test_unknown_settings_are_named(server, ask, extra):
    with pytest.raises(ModelError, match=r"strem|google_serch|top_kk") as raised:
        ask(**extra)
    assert raised.value.kind == "bad_request"
    assert not server.received


@pytest.mark.parametrize("text", ["", "   "])
def test_empty_text_becomes_a_visible_placeholder(server, ask, text):
    server.add(reply("ok"))
    ask((Message.user(text),))
    assert server.last.contents[0]["parts"] == [{"text": "(empty)"}]


def test_client_stays_open_over_calls_in_flight(server, ask, open_model):
    client = open_model()
    server.add(*(reply("ok", finish="STOP") for _ in range(8)))
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(ask(client=client).message.text)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == ["ok"] * 8
