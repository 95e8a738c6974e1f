"""The repository itself: its lists agree with its folders, its members are complete, its checks pass."""

from __future__ import annotations

import ast
import configparser
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from members import ROOT, Member, members

MEMBERS = members()
NAMES = {m.name for m in MEMBERS}
# Import names that differ from the distribution's and are not installed as such everywhere.
PROVIDED_BY = {"google": {"google-genai"}, "yaml": {"pyyaml"}, "sklearn": {"scikit-learn"}}


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_every_list_of_members_is_the_list_of_folders() -> None:
    root = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {d.split(" @ ")[0] for d in root} == NAMES
    development = (ROOT / "requirements-dev.txt").read_text()
    folders = {m.folder.relative_to(ROOT).as_posix() for m in MEMBERS}
    assert set(re.findall(r"^-e \./([^\s\[]+)(?:\[\S+\])?$", development, re.M)) == folders
    linter = configparser.ConfigParser()
    linter.read(ROOT / ".importlinter")
    packages = {m.package for m in MEMBERS}
    assert set(linter["importlinter"]["root_packages"].split()) == packages
    plugins = packages - {"gra_core", "gra_judge", "gra_bench", "gra_geo"}
    assert set(linter["importlinter:contract:plugins"]["modules"].split()) == plugins
    assert set(linter["importlinter:contract:no-app"]["source_modules"].split()) == plugins | {"gra_geo"}


@pytest.mark.parametrize("member", MEMBERS, ids=lambda m: m.name)
def test_a_member_is_complete(member: Member) -> None:
    assert member.folder.name in (member.name, member.package)
    assert (member.folder / "README.md").read_text().startswith("# ")
    assert (member.source / "__init__.py").exists()
    assert list((member.folder / "tests").glob("test_*.py")), "no tests"
    assert (
        member.project["license"].startswith("Apache-2.0") and member.project["requires-python"] == ">=3.11"
    )
    assert member.project["version"] == "0.1.0" and member.project["description"]
    if "plugins" in member.folder.parts:
        assert "gra.plugins" in member.project["entry-points"]
        assert any(d.startswith("gra-core>=0.1,<0.2") for d in member.project["dependencies"])


@pytest.mark.parametrize("member", MEMBERS, ids=lambda m: m.name)
def test_what_a_member_imports_it_declares(member: Member) -> None:
    known = packages_distributions()
    extras = member.project.get("optional-dependencies", {})
    wanted = [*member.project["dependencies"], *(d for group in extras.values() for d in group)]
    declared = {re.split(r"[\[<>=!~; ]", d)[0].lower().replace("_", "-") for d in wanted} | {member.name}
    for path in member.source.rglob("*.py"):
        if "template" in path.relative_to(member.source).parts:
            continue
        for name in imported(path):
            if name in sys.stdlib_module_names:
                continue
            providers = PROVIDED_BY.get(name) or {
                d.lower().replace("_", "-") for d in known.get(name, [name])
            }
            assert providers & declared, (
                f"{path.relative_to(ROOT)} imports {name}, which {member.name} does not declare"
            )


def imported(path: Path) -> set[str]:
    """Top-level names that a module imports anywhere."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.partition(".")[0])
    return names


def test_test_modules_have_names_of_their_own() -> None:
    names = [
        p.name
        for pattern in ("gra_*/tests", "plugins/gra-*/tests", "tests")
        for d in ROOT.glob(pattern)
        for p in d.rglob("test_*.py")
    ]
    assert len(names) == len(set(names)), sorted(n for n in names if names.count(n) > 1)


def test_the_packages_are_installed_and_not_the_folders() -> None:
    for member in MEMBERS:
        done = run(
            sys.executable, "-c", f"import {member.package} as p; assert p.__file__, 'namespace package'"
        )
        assert done.returncode == 0, done.stderr


def test_style() -> None:
    done = run(sys.executable, "-m", "ruff", "check", ".")
    assert done.returncode == 0, done.stdout
    done = run(sys.executable, "-m", "ruff", "format", "--check", ".")
    assert done.returncode == 0, done.stdout


def test_types() -> None:
    done = run(sys.executable, "-m", "mypy", *(str(m.folder / "src") for m in MEMBERS))
    assert done.returncode == 0, done.stdout


def test_import_rules() -> None:
    done = run(str(Path(sys.executable).parent / "lint-imports"))
    assert done.returncode == 0, done.stdout


def test_no_committed_file_names_a_machine_or_a_key() -> None:
    words = re.compile(r"(/work/|/root/|AIza[0-9A-Za-z_-]{30}|BEGIN (RSA |EC )?PRIVATE KEY)")
    listed = run("git", "ls-files")
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if (
            path.suffix in (".py", ".md", ".toml", ".txt", ".cfg", ".sh", "")
            and path.is_file()
            and path.name != Path(__file__).name
        ):
            assert not (found := words.search(path.read_text(encoding="utf-8", errors="replace"))), (
                f"{name}: {found[0]}"
            )


def test_data_stays_small() -> None:
    size = sum(p.stat().st_size for p in (ROOT / "plugins/gra-atlas").rglob("*") if p.is_file())
    assert size < 40e6
