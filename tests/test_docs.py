"""The docs say what the code does: hooks documented and tested, examples run, generated pages current, links whole."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gra_core import hookspecs, mapping_with
from gra_core.plugins import PluginSet
from gra_core.registry import Registry
from gra_core.testing import ThreadMapper
from gra_core.trajectory import KINDS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
HOOKS = {name: function for name, function in vars(hookspecs).items() if name.startswith("gra_")}
SECTIONS = dict(re.findall(r"^## (gra_\w+)\n(.*?)(?=^## |\Z)", (DOCS / "hooks.md").read_text(), re.M | re.S))


def test_every_hook_has_its_section() -> None:
    assert set(SECTIONS) == set(HOOKS)
    assert all(inspect.getdoc(function) for function in HOOKS.values())


@pytest.mark.parametrize("name", HOOKS)
def test_a_section_states_the_signature_and_its_example_is_accepted(name: str) -> None:
    arguments = list(inspect.signature(HOOKS[name]).parameters)
    signature = re.search(rf"`{name}\((.*?)\)", SECTIONS[name])
    assert signature and [a.split(":")[0] for a in signature[1].split(", ") if a] == arguments
    code = re.search(r"```python\n(.*?)```", SECTIONS[name], re.S)
    assert code
    module: dict[str, Any] = {"__name__": f"example_{name}"}
    exec(compile(code[1], f"docs/hooks.md {name}", "exec"), module)
    plugin = type("Example", (), {name: staticmethod(module[name])})
    plugins = PluginSet()
    plugins.add(plugin, name)
    assert not plugins.failures
    Registry(plugins)


def test_the_example_of_work_in_parts_runs(tmp_path: Path) -> None:
    section = (DOCS / "first-skill.md").read_text().split("### Heavy work in parts")[1]
    code = re.search(r"```python\n(.*?)```", section, re.S)
    assert code
    module: dict[str, Any] = {"__name__": "example_parts"}
    exec(compile(code[1], "docs/first-skill.md", "exec"), module)
    paths = [tmp_path / f"{n}.txt" for n in range(5)]
    for n, path in enumerate(paths):
        path.write_text("line\n" * n)
    assert module["count_lines"](paths) == 10
    with mapping_with(ThreadMapper(2)):
        assert module["count_lines"](paths) == 10


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_is_implemented_in_some_test(name: str) -> None:
    tests = [
        p
        for pattern in ("gra_*/tests", "plugins/gra-*/tests")
        for d in ROOT.glob(pattern)
        for p in d.rglob("*.py")
    ]
    plugins = list(ROOT.glob("plugins/gra-*/src/*/plugin.py")) + list(ROOT.glob("gra_*/src/*/plugin.py"))
    assert any(re.search(rf"def {name}\(", p.read_text()) for p in [*tests, *plugins]), (
        f"no implementation of {name} anywhere"
    )


def test_every_event_kind_is_in_the_table() -> None:
    table = (DOCS / "trajectory.md").read_text()
    assert [k for k in KINDS if f"`{k}`" not in table] == []


def test_the_command_line_page_is_current() -> None:
    done = subprocess.run(
        [sys.executable, str(DOCS / "generate.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_links_lead_somewhere() -> None:
    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *DOCS.glob("*.md"),
        *ROOT.glob("plugins/gra-*/README.md"),
        *ROOT.glob("gra_*/README.md"),
    ]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith(("http://", "https://", "mailto:")):
                assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"


def test_every_configuration_key_is_explained() -> None:
    import attrs

    from gra_core import Configuration

    text = (DOCS / "configurations.md").read_text()
    assert [f.name for f in attrs.fields(Configuration) if f"`{f.name}`" not in text] == []
