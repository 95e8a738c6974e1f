"""For plugin and benchmark authors: the conformance suite, fixtures, scripted models, a loopback server, a mapper of
parts, strategies and the solver check.

Importing this needs pytest; `gra_core.testing.strategies` and `.solvers` need hypothesis as well.
"""

from gra_core.testing.conformance import PluginConformance, call_tool, check_result
from gra_core.testing.harness import ScriptedModel, calls, found_at, registry_of, scripted_trial, tool_context
from gra_core.testing.loopback import LoopbackRequest, LoopbackServer
from gra_core.testing.threads import ThreadMapper

__all__ = [
    "LoopbackRequest",
    "LoopbackServer",
    "PluginConformance",
    "ScriptedModel",
    "ThreadMapper",
    "call_tool",
    "calls",
    "check_result",
    "found_at",
    "registry_of",
    "scripted_trial",
    "tool_context",
]
