"""The judge from end to end: an open-ended query, the real configurations on the embedded data, judges without a key."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gra_core import (
    Benchmark,
    BenchmarkProtocol,
    Clock,
    Message,
    Model,
    ModelReply,
    ModelRequest,
    Query,
    QueryRequest,
    QuerySet,
    TrialBrief,
    Usage,
    Workflow,
    WorkflowStep,
    content_hash,
    hookimpl,
    plugins,
)

DOCS = Path(__file__).resolve().parent.parent / "docs"
FULL = "Every step rests on retrieved data.\n\nEFFECT: slight\nZERO: none\nSCORE: 2"
PROMPTS: list[tuple[str, str]] = []


class Open(BenchmarkProtocol):
    """One synthetic open-ended query that the atlas can answer."""

    def queries(self, request: QueryRequest, sources: Any) -> QuerySet:
        flow = Workflow(
            datasets=("county boundaries",),
            steps=(
                WorkflowStep(text="Get Nebraska's counties."),
                WorkflowStep(text="Draw a map.", optional=True),
            ),
        )
        made = [
            Query(
                id="open-1",
                benchmark="open",
                text="Which counties has Nebraska?",
                split="dev",
                golden_workflows=(flow,),
            )
        ]
        chosen = request.select(made)
        return QuerySet(queries=chosen, dataset_hash=content_hash(chosen))

    def reference(self, query: Query) -> Iterator[Any]:
        found = yield "find_regions", {"name": "Nebraska", "level": "state"}
        region = found["content"]["candidates"][0]["region_id"]
        yield "list_subregions", {"parent_id": region, "level": "county"}
        return "Nebraska has 93 counties, among them Adams and York."

    def skills(self, query: Query) -> tuple[str, ...]:
        return ("admin-boundaries",)


class Witness:
    """A judge that keeps what it is shown."""

    model_id, context_window = "witness", None

    def __init__(self, brief: TrialBrief) -> None:
        pass

    def generate(self, request: ModelRequest, clock: Clock) -> ModelReply:
        PROMPTS.append((request.system, request.messages[0].text))
        return ModelReply(message=Message(role="model", text=FULL), requests=(Usage(requests=1),))

    def close(self) -> None:
        pass


@pytest.fixture
def gra_bench(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """The command line in this process, with the synthetic benchmark beside everything that is installed."""
    from gra_bench.cli import main

    module = ModuleType("synthetic_open_benchmark")

    @hookimpl
    def gra_benchmarks() -> list[Benchmark]:
        return [
            Benchmark(
                name="open",
                title="Open",
                factory="synthetic_open_benchmark:Open",
                autoraters=("workflow-autorater",),
            )
        ]

    @hookimpl
    def gra_models(model_id: str) -> Model | None:
        return Model(id=model_id, open=Witness) if model_id == "witness" else None

    vars(module).update(gra_benchmarks=gra_benchmarks, gra_models=gra_models, Open=Open)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    mine = EntryPoint(name="open", value=module.__name__, group="gra.plugins")
    installed = plugins.discover()
    monkeypatch.setattr(plugins, "discover", lambda: sorted([*installed, mine], key=lambda e: e.name))
    PROMPTS.clear()

    def run(*arguments: str) -> Any:
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main([*arguments, "--json"])
        captured = capsys.readouterr()
        assert end.value.code == 0, captured.err
        return json.loads(captured.out)

    return run


def rows(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["configuration"]: row for row in document["results"]}


CONFIGURATIONS = ("-c", "llm", "-c", "llm-tools", "-c", "gra")


def test_the_configurations_are_judged_and_cannot_be_told_apart(
    gra_bench: Callable[..., Any], tmp_path: Path
) -> None:
    folder = str(tmp_path / "run")
    document = gra_bench(
        "run", "-b", "open", *CONFIGURATIONS, "-m", "oracle", "--run-dir", folder, "--judge", "witness"
    )
    found = rows(document)
    assert {name: row["mean"] for name, row in found.items()} == {"llm": 0.0, "llm-tools": 1.0, "gra": 1.0}
    # Nothing was retrieved by the model alone, so that nobody had to be asked.
    assert {name: row["judge_calls"] for name, row in found.items()} == {"llm": 0, "llm-tools": 3, "gra": 3}
    # Three passes over two trials: one and the same prompt, though only one of them planned and tracked a plan.
    assert len(PROMPTS) == 6 and len(set(PROMPTS)) == 1
    system, material = PROMPTS[0]
    steps = [json.loads(line) for line in material.splitlines() if line.startswith('{"step"')]
    assert [step["tool"] for step in steps] == ["find_regions", "list_subregions"]
    assert "93" in json.dumps(steps[1]["result"])
    for word in ("load_skills", "submit_plan", "oracle", "llm-tools", "best-effort", "admin-boundaries"):
        assert word not in material
    assert "2. (optional) Draw a map." in material and "[plan-only]" in system


def test_a_scripted_judge_of_the_docs(gra_bench: Callable[..., Any], tmp_path: Path) -> None:
    blocks = re.findall(r"```json\n(.*?)```", (DOCS / "judge.md").read_text(encoding="utf-8"), re.S)
    script = tmp_path / "judge.jsonl"
    script.write_text(blocks[0], encoding="utf-8")
    folder = str(tmp_path / "run")
    document = gra_bench("run", "-b", "open", "-c", "gra", "-m", "oracle", "--run-dir", folder)
    assert rows(document)["gra"]["mean"] is None
    scored = gra_bench("score", folder, "--scorer", "workflow-autorater", "--judge", f"judge-script:{script}")
    assert rows(scored)["gra"]["mean"] == 1.0 and scored["new_judge_calls"] == 3
    again = gra_bench("score", folder, "--scorer", "workflow-autorater", "--judge", f"judge-script:{script}")
    assert again["new_judge_calls"] == 0
    report = gra_bench("report", folder, "--scorer", "workflow-autorater")
    assert rows(report)["gra"]["mean"] == 1.0
