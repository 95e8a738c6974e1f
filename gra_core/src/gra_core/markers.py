"""The markers that connect hook specifications with their implementations."""

import pluggy

PROJECT = "gra"
ENTRY_POINT_GROUP = "gra.plugins"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
