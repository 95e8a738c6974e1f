"""The plugin: ids, keys, light imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gra_core import TrialBrief, UnknownName, UsageError
from gra_core.plugins import PluginSelection
from gra_core.registry import Registry
from gra_core.testing import PluginConformance
from gra_model_gemini.plugin import gra_model_families, gra_models
from gra_model_gemini.testing import GeminiServer, reply


class TestConformance(PluginConformance):
    plugin = "gra_model_gemini.plugin"


@pytest.mark.parametrize("model_id", ["openai:gpt", "gemini", "oracle", "geminis:x"])
def test_other_ids_are_left_to_others(model_id):
    assert gra_models(model_id) is None


def test_an_id_without_a_model():
    with pytest.raises(UsageError, match="names no model"):
        gra_models("gemini:")


def test_without_a_key_open_says_what_to_set():
    model = gra_models("gemini:gemini-3.8-flash")
    with pytest.raises(UsageError) as raised:
        model.open(TrialBrief())
    for expected in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "https://aistudio.google.com/apikey"):
        assert expected in str(raised.value)
    assert "GEMINI_API_KEY" in gra_model_families()[0].missing()[0]


@pytest.mark.parametrize(
    ("keys", "used"),
    [
        ({"GOOGLE_API_KEY": "one", "GEMINI_API_KEY": "two"}, "one"),
        ({"GEMINI_API_KEY": "two"}, "two"),
        ({"GOOGLE_API_KEY": " ", "GEMINI_API_KEY": "two"}, "two"),
    ],
)
def test_which_key_is_used(monkeypatch, keys, used, ask):
    with GeminiServer(key=used) as server:
        monkeypatch.delenv("GEMINI_API_KEY")
        monkeypatch.setenv("GRA_BASE_URL_GEMINI", server.url)
        for name, value in keys.items():
            monkeypatch.setenv(name, value)
        assert gra_model_families()[0].missing() == []
        server.add(reply("ok"))
        assert ask().message.text == "ok"


def test_base_urls_with_a_path_and_their_order(server, ask, monkeypatch):
    monkeypatch.setenv("GRA_BASE_URL_GEMINI", "")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url + "/proxy/")
    server.add(reply("ok"), reply("ok"))
    ask()
    assert server.last.path.startswith("/proxy/v1/models/")
    monkeypatch.setenv("GRA_BASE_URL_GEMINI", server.url)
    ask(model="models/gemini-3.8-flash")
    assert server.last.path.startswith("/v1/models/gemini-3.8-flash:")


def test_an_environment_for_vertex_is_left_alone(server, ask, monkeypatch):
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "p")
    server.add(reply("ok"))
    assert ask().message.text == "ok"
    assert server.last.headers["x-goog-api-key"] == server.key


def test_the_key_is_in_no_repr(server, open_model):
    from gra_model_gemini.access import Access

    client = open_model()
    assert server.key not in repr(Access.from_environment()) + repr(client) + repr(vars(client).get("family"))


def test_installed_under_its_entry_point():
    registry = Registry.load(PluginSelection(only=("model-gemini",)))
    assert registry.model("gemini:gemini-3.8-flash").id == "gemini:gemini-3.8-flash"
    assert registry.model_families["gemini"].example == "gemini:gemini-3.8-flash"
    with pytest.raises(UnknownName, match="gemini:gemini"):
        registry.model("gemni:x")


def test_nothing_heavy_is_imported_before_a_model_is_opened():
    code = (
        "import sys; from gra_model_gemini import plugin; plugin.gra_model_families()[0].missing();"
        "plugin.gra_models('gemini:gemini-3.8-flash');"
        "print([m for m in sys.modules if m.startswith(('google.', 'pydantic', 'httpx'))])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
