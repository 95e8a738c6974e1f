"""The synthetic benchmark as if it were installed, and the command line in-process."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gra_core import plugins


@pytest.fixture
def sums(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The plugin module, registered beside the installed orchestration plugin."""
    spec = importlib.util.spec_from_file_location("bench_plugin", Path(__file__).with_name("bench_plugin.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "bench_plugin", module)
    spec.loader.exec_module(module)
    keep = [e for e in plugins.discover() if e.name in ("orchestration", "model-scripted")]
    mine = EntryPoint(name="sums", value="bench_plugin", group="gra.plugins")
    monkeypatch.setattr(plugins, "discover", lambda: sorted([*keep, mine], key=lambda e: e.name))
    return module


@pytest.fixture
def gra_bench(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run the command line in this process: returns (exit code, JSON or text of stdout, stderr)."""
    from gra_bench.cli import main

    def run(*arguments: str) -> tuple[int, Any, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        captured = capsys.readouterr()
        out: Any = captured.out
        if "--json" in arguments and out.strip():
            out = json.loads(out)
        return int(end.value.code or 0), out, captured.err

    return run


@pytest.fixture
def priced(tmp_path: Path) -> Callable[..., str]:
    """Writes a configuration with a price in USD per million tokens (100 for output), and returns its file."""

    def write(input: int = 10, more: str = "") -> str:
        price = f'[[prices]]\nmodel = "adder:*"\nsource = "synthetic"\ntiers = [{{ input = "{input}", output = "100" }}]\n'
        file = tmp_path / "priced.toml"
        file.write_text(f'name = "priced"\nexecutor = "reactive"\n{more}\n{price}')
        return str(file)

    return write
