"""Fixtures for plugin authors, there as soon as gra-core is installed beside pytest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gra_core.registry import Registry
    from gra_core.result import ToolResult


@pytest.fixture(scope="session")
def gra_registry() -> Registry:
    """Everything the installed plugins provide."""
    from gra_core.registry import Registry

    return Registry.load()


@pytest.fixture
def gra_call(gra_registry: Registry, tmp_path: Path) -> Callable[..., ToolResult]:
    """Call an installed tool by name: ``gra_call("find_regions", name="Nebraska")``. Calls of one test share a
    workspace, so that references can be passed on; a `ToolError` comes back as a result with status ``error``."""
    from gra_core.testing.conformance import call_tool

    def call(name: str, /, **arguments: Any) -> ToolResult:
        return call_tool(gra_registry.tools[name], arguments, gra_registry, tmp_path)

    return call


@pytest.fixture
def gra_content(gra_call: Callable[..., ToolResult]) -> Callable[..., Any]:
    """Call an installed tool that must succeed and keep the contract of results; gives its content."""
    return lambda name, /, **arguments: _answered(gra_call(name, **arguments), "ok").content


@pytest.fixture
def gra_error(gra_call: Callable[..., ToolResult]) -> Callable[..., Any]:
    """Call an installed tool that must fail; gives the `ToolError`."""
    return lambda name, /, **arguments: _answered(gra_call(name, **arguments), "error").error


def _answered(result: ToolResult, status: str) -> ToolResult:
    from gra_core.testing.conformance import check_result

    check_result(result)
    assert result.status == status, result.for_model()
    return result
