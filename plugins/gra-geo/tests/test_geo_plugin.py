"""The conformance suite: formats are registered, nothing heavy is imported before first use."""

from gra_core.testing import PluginConformance


class TestConformance(PluginConformance):
    plugin = "gra_geo.plugin"
