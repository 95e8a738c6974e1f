"""A third party's skill: written by `new-skill`, built to a wheel, installed into a clean environment, used in a run."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = "gra_bench.cli"


def run(
    *command: str, cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=env)


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A skill package, and the Python of a new environment that has its wheel beside the workspace's packages.

    The workspace's packages are linked in rather than downloaded again; the skill comes from its wheel alone.
    """
    folder = tmp_path_factory.mktemp("new-skill")
    made = run(sys.executable, "-m", MODULE, "new-skill", "outline-shape", "--into", str(folder), "--json")
    assert made.returncode == 0, made.stderr
    package = Path(json.loads(made.stdout)["path"])
    built = run(
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(folder / "dist"),
        str(package),
    )
    assert built.returncode == 0, built.stdout + built.stderr
    run(sys.executable, "-m", "venv", "--without-pip", str(folder / "venv"))
    python = folder / "venv" / "bin" / "python"
    where = run(str(python), "-c", "import site; print(site.getsitepackages()[0])").stdout.strip()
    linked = "; ".join(f"site.addsitedir({path!r})" for path in site.getsitepackages())
    (Path(where) / "workspace.pth").write_text(f"import site; {linked}\n")
    wheel = next((folder / "dist").glob("*.whl"))
    installed = run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        str(wheel),
    )
    assert installed.returncode == 0, installed.stderr
    return package, python


def test_it_is_not_known_before() -> None:
    listed = run(sys.executable, "-m", MODULE, "list", "skills", "--json")
    assert "outline-shape" not in {s["name"] for s in json.loads(listed.stdout)["skills"]}


def test_its_skill_is_listed_with_its_distribution(clean: tuple[Path, Path]) -> None:
    listed = run(str(clean[1]), "-m", MODULE, "list", "skills", "--json")
    assert listed.returncode == 0, listed.stderr
    mine = next(s for s in json.loads(listed.stdout)["skills"] if s["name"] == "outline-shape")
    assert (mine["distribution"], mine["version"], mine["plugin"]) == (
        "gra-skill-outline-shape",
        "0.1.0",
        "skill-outline-shape",
    )


def test_it_passes_the_conformance_suite_untouched(clean: tuple[Path, Path]) -> None:
    done = run(
        str(clean[1]), "-m", "pytest", "-q", "-p", "no:cacheprovider", str(clean[0] / "tests"), cwd=clean[0]
    )
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout


def test_its_tool_is_used_in_a_run(clean: tuple[Path, Path], tmp_path: Path) -> None:
    """A recorded model loads the skill and calls its tool."""
    listed = run(sys.executable, "-m", MODULE, "queries", "geoktools", "--limit", "1", "--json")
    query = json.loads(listed.stdout)["queries"][0]

    def reply(text: str, *calls: tuple[str, dict[str, object]]) -> dict[str, object]:
        tool_calls = [{"id": f"c-{name}", "name": name, "arguments": arguments} for name, arguments in calls]
        data = {
            "text": text, "thoughts": "", "stop": "stop", "stop_detail": "", "provider": "test", "state": None,
            "tool_calls": tool_calls, "requests": [],
        }  # fmt: skip
        return {"trial": "t", "kind": "model_replied", "data": data}

    lines = [
        {"trial": "t", "kind": "trial_started", "data": {"query": query["text"]}},
        reply("", ("load_skills", {"names": ["outline-shape"]})),
        reply("", ("measure_compactness", {"regions": ["geoId/08", "geoId/24"]})),
        reply("[]"),
    ]
    (tmp_path / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run(
        str(clean[1]), "-m", MODULE, "run", "-c", "llm-tools", "-m", f"replay:{tmp_path / 'events.jsonl'}", "--query", query["id"],
        "--run-dir", str(tmp_path / "run"), "--json", env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"][0]["tools"] == {"load_skills": 1, "measure_compactness": 1}
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    plugins = {p["name"]: p for p in manifest["configurations"]["llm-tools"]["plugins"]}
    assert plugins["skill-outline-shape"]["distribution"] == "gra-skill-outline-shape"
    events = [json.loads(line) for line in (tmp_path / "run" / "events.jsonl").read_text().splitlines()]
    output = next(
        e["data"]["output"]
        for e in events
        if e["kind"] == "tool_returned" and e["data"]["name"] == "measure_compactness"
    )
    assert output["status"] == "ok" and output["datasets"][0]["ref"].startswith("ds://")


@pytest.mark.parametrize(
    "name", ["Soil", "a--b", "-a", "a/b", "../up", "example-skill", "1st", "a" * 65, "soil\n"]
)
def test_bad_names_are_refused_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    done = run(sys.executable, "-m", MODULE, "new-skill", "--into", str(tmp_path), "--", name)
    assert done.returncode == 2 and list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "gra-skill-soil").mkdir()
    done = run(sys.executable, "-m", MODULE, "new-skill", "soil", "--into", str(tmp_path))
    assert (
        done.returncode == 2
        and "exists already" in done.stderr
        and list((tmp_path / "gra-skill-soil").iterdir()) == []
    )
