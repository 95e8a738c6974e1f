"""The plugin: ids, what is missing, and what is not imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gra_core import TrialBrief, UsageError, load_plugins
from gra_core.plugins import PluginSelection
from gra_core.testing import PluginConformance
from gra_model_openai.plugin import gra_model_families, gra_models
from gra_model_openai.settings import Endpoint


class TestConformance(PluginConformance):
    plugin = "gra_model_openai.plugin"


VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GRA_BASE_URL_OPENAI")


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def test_only_its_own_ids():
    assert gra_models("gemini:x") is None and gra_models("oracle") is None
    assert gra_models("openai:org/model:tag").id == "openai:org/model:tag"
    with pytest.raises(UsageError, match="names no model"):
        gra_models("openai:")


def test_without_key_or_address_it_says_what_to_set():
    (family,) = gra_model_families()
    assert "OPENAI_API_KEY" in family.missing()[0] and "GRA_BASE_URL_OPENAI" in family.missing()[0]
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        gra_models("openai:m").open(TrialBrief())


def test_a_server_of_ones_own_needs_no_key_and_gets_no_made_up_one(wire, ask, make):
    assert gra_model_families()[0].missing() == []
    wire.steps = [make.completion()]
    ask()
    assert "authorization" not in wire.headers[0]


def test_our_variable_goes_before_openais(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://one/v1")
    assert Endpoint.of_environment().base_url == "http://one/v1"
    monkeypatch.setenv("GRA_BASE_URL_OPENAI", "http://two/v1/")
    assert Endpoint.of_environment().base_url == "http://two/v1"


def test_an_address_without_scheme_is_refused(monkeypatch):
    monkeypatch.setenv("GRA_BASE_URL_OPENAI", "localhost:11434/v1")
    with pytest.raises(UsageError, match="http"):
        gra_models("openai:m").open(TrialBrief())


def test_the_server_is_part_of_the_identity_but_no_secret_is(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-value")
    assert gra_models("openai:m").snapshot == ""
    monkeypatch.setenv("GRA_BASE_URL_OPENAI", "https://user:pass@gateway.example:8443/v1?token=t")
    assert gra_models("openai:m").snapshot == "https://gateway.example:8443/v1"
    assert "secret" not in repr(Endpoint.of_environment())


def test_it_is_found_by_its_entry_point():
    plugins = load_plugins(PluginSelection(only=("model-openai",)))
    assert plugins.manager.hook.gra_models(model_id="openai:m").id == "openai:m"


def test_the_sdk_is_imported_only_when_a_client_is_opened():
    code = (
        "import sys; from gra_model_openai.plugin import *; gra_models('openai:m'); gra_model_families()[0].missing();"
        "print([m for m in ('openai', 'httpx', 'httpx2', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
