"""The plugin: conformance, light imports, what is ready."""

from __future__ import annotations

import subprocess
import sys

from gra_core import Registry, Sources
from gra_core.testing import PluginConformance


class TestConformance(PluginConformance):
    plugin = "gra_skill_web_search.plugin"
    skip_examples = "its sources are live; the other tests call every tool over loopback servers"


def test_nothing_heavy_before_the_first_call():
    code = (
        "import sys; from gra_skill_web_search import plugin; from gra_core.plugins import PluginSet;"
        "from gra_core.registry import Registry; plugins = PluginSet(); plugins.add(plugin, 'x');"
        "registry = Registry(plugins); [t.parameters for t in registry.tools.values()]; list(registry.sources);"
        "heavy = ('google.genai', 'httpx', 'pydantic', 'trafilatura', 'lxml', 'pandas', 'numpy', 'geopandas', 'rasterio');"
        "print([m for m in heavy if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_what_each_source_needs(registry: Registry, monkeypatch):
    sources = Sources(registry)
    missing = {s.name: sources.missing(s) for s in registry.sources}
    assert missing["http-pages"] == []
    assert "GEMINI_API_KEY" in missing["gemini-search"][0]
    assert "GEMINI_API_KEY" in missing["gemini-maps"][0]
    assert "GRA_BASE_URL_SEARXNG" in missing["searxng"][0]
    monkeypatch.setenv("GRA_BASE_URL_SEARXNG", "http://127.0.0.1:8888")
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    assert not any(sources.missing(s) for s in registry.sources)


def test_what_may_not_be_stored_is_not_recorded(registry: Registry):
    assert {s.name: s.storable for s in registry.sources} == {
        "gemini-search": False, "gemini-maps": False, "http-pages": False, "searxng": True,
    }  # fmt: skip
