"""For plugin and benchmark authors: the conformance suite, fixtures, strategies and the solver check.

Importing this needs pytest; `gra_core.testing.strategies` and `.solvers` need hypothesis as well.
"""

from gra_core.testing.conformance import PluginConformance, call_tool, check_result

__all__ = ["PluginConformance", "call_tool", "check_result"]
