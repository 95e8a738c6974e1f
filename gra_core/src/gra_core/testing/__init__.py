"""For plugin and benchmark authors: the conformance suite, fixtures, scripted models, strategies and the solver check.

Importing this needs pytest; `gra_core.testing.strategies` and `.solvers` need hypothesis as well.
"""

from gra_core.testing.conformance import PluginConformance, call_tool, check_result
from gra_core.testing.harness import ScriptedModel, calls, registry_of, scripted_trial

__all__ = [
    "PluginConformance",
    "ScriptedModel",
    "call_tool",
    "calls",
    "check_result",
    "registry_of",
    "scripted_trial",
]
