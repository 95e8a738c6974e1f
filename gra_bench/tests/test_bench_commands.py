"""The command line as other programs use it: JSON shapes, exit codes, messages, progress."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

KINDS = (
    "benchmarks",
    "configurations",
    "models",
    "skills",
    "tools",
    "sources",
    "planners",
    "executors",
    "guidance",
    "scorers",
    "plugins",
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_list_has_the_same_frame(gra_bench: Callable[..., Any], kind: str) -> None:
    code, document, _ = gra_bench("list", kind, "--json")
    assert code == 0 and list(document) == [kind] and document[kind]
    for row in document[kind]:
        assert row["name"] and row["plugin"] and row["distribution"] and row["version"]
    code, text, _ = gra_bench("list", kind)
    assert code == 0 and document[kind][0]["name"] in text


def test_a_tool_is_listed_with_schema_and_card(gra_bench: Callable[..., Any]) -> None:
    _, document, _ = gra_bench("list", "tools", "--json")
    for row in document["tools"]:
        assert row["skill"] and row["description"] and row["parameters"]["type"] == "object"
        assert set(row["card"]) == {"coverage", "resolution", "period", "sources", "cost", "limits"}


def test_benchmarks_show_licence_and_attribution(gra_bench: Callable[..., Any]) -> None:
    _, document, _ = gra_bench("list", "benchmarks", "--json")
    assert all(row["licence"] and row["attribution"] for row in document["benchmarks"])


def test_queries_have_the_documented_shape(gra_bench: Callable[..., Any]) -> None:
    code, document, _ = gra_bench("queries", "geoktools", "--limit", "3", "--json")
    assert (
        code == 0
        and set(document) == {"benchmark", "dataset_hash", "queries"}
        and len(document["queries"]) == 3
    )
    for query in document["queries"]:
        assert {"id", "template", "K", "tool_types", "split", "text", "answer"} <= set(query)
        assert query["K"] == len(set(query["tool_types"]))
    again = gra_bench("queries", "geoktools", "--limit", "3", "--json")[1]
    assert again == document
    other = gra_bench("queries", "geoktools", "--limit", "3", "--seed", "1", "--json")[1]
    assert other["dataset_hash"] != document["dataset_hash"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tool", "buffer_feature", "--args", "{}"), ["unknown tool", "'buffer_features'"]),
        (("tool", "find_regions", "--args", "{name: x}"), ["--args is not JSON"]),
        (("tool", "find_regions", "--args", "[]"), ["JSON object", "list"]),
        (("tool", "find_regions", "--args", "@/no/such/file.json"), ["/no/such/file.json"]),
        (("tool", "find_regions", "--args", '{"nam": "x"}'), ["unknown parameter 'nam'", "'name'"]),
        (("tool", "find_regions", "--args", '{"name": 3}'), ["name", "string", "int 3"]),
        (("tool", "get_boundaries", "--args", "{}"), ["missing parameter 'region_ids'"]),
        (("tool", "inspect_dataset", "--args", '{"ref": "ds://../../etc/passwd"}'), ["ds://"]),
        (("tool", "inspect_dataset", "--args", '{"ref": "ds://not-mine-1"}'), ["no dataset ds://not-mine-1"]),
        (
            ("tool", "find_regions", "--args", '{"name": "x"}', "--source", "boundaries=atlass"),
            ["unknown source", "'atlas'"],
        ),
        (
            (
                "tool",
                "get_stat_table",
                "--args",
                '{"variables": ["Count_Person"], "parent": "geoId/31"}',
                "--source",
                "statistics=data-commons",
            ),
            ["DC_API_KEY"],
        ),
        (("queries", "geoktool"), ["unknown benchmark", "'geoktools'"]),
        (("list", "everything"), ["everything", "benchmarks"]),
        (("rum",), ["No such command 'rum'", "'run'"]),
        (("show", "/no/such/run"), ["not a run directory"]),
        (("report", "/no/such/run"), ["not a run directory"]),
        (("fetch-model", "smollm9"), ["smollm9", "smollm2"]),
        (("ask", "  ", "-m", "nop"), ["empty"]),
        (("run", "--no-such-option"), ["--no-such-option"]),
        (("run", "-m", "local:no-such-file.gguf"), ["no-such-file.gguf"]),
        (("run", "--resume"), ["--run-dir"]),
        (("run", "-m", "openai"), ["openai"]),
    ],
)
def test_wrong_use_exits_with_2_and_says_what_to_do(
    gra_bench: Callable[..., Any],
    arguments: tuple[str, ...],
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("DC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    more = ("--workspace", str(tmp_path / "w")) if arguments[0] == "tool" else ()
    code, out, err = gra_bench(*arguments, *more)
    assert code == 2, (out, err)
    for word in words:
        assert word in err, err
    assert "Traceback" not in err
    assert not list(tmp_path.glob("w/datasets/*")) and not (tmp_path / "runs").exists()


@pytest.mark.parametrize("model", ["gemini:gemini-3.8-flash", "openai:some-model"])
def test_a_model_without_its_key_is_told_before_anything_is_written(
    gra_bench: Callable[..., Any], model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    code, _, err = gra_bench("run", "-m", model, "--limit", "1", "--run-dir", str(tmp_path / "run"))
    assert code == 2 and "_API_KEY" in err and "http" in err and not (tmp_path / "run").exists()


def test_a_tool_answers_in_json_with_the_datasets_path(gra_bench: Callable[..., Any], tmp_path: Path) -> None:
    arguments = json.dumps({"parent_id": "geoId/31", "level": "county"})
    code, document, _ = gra_bench(
        "tool", "list_subregions", "--args", arguments, "--workspace", str(tmp_path), "--json"
    )
    assert code == 0 and document["status"] == "ok"
    dataset = document["datasets"][0]
    assert set(dataset) == {"ref", "path", "summary"} and Path(dataset["path"]).is_file()
    (tmp_path / "args.json").write_text(json.dumps({"ref": dataset["ref"]}))
    code, document, _ = gra_bench(
        "tool", "inspect_dataset", "--args", f"@{tmp_path}/args.json", "--workspace", str(tmp_path), "--json"
    )
    assert code == 0 and "93" in json.dumps(document["content"])


def test_an_error_is_json_too(gra_bench: Callable[..., Any], tmp_path: Path) -> None:
    code, document, _ = gra_bench(
        "tool", "inspect_dataset", "--args", '{"ref": "ds://x-1"}', "--workspace", str(tmp_path), "--json"
    )
    assert (
        code == 2
        and document["status"] == "error"
        and document["error"]["kind"] == "not_found"
        and document["error"]["hint"]
    )


def test_asking_reports_the_answer_and_what_it_rests_on(
    gra_bench: Callable[..., Any], tmp_path: Path
) -> None:
    code, document, _ = gra_bench(
        "ask", "Where is Carhenge?", "-m", "nop", "-c", "llm-tools", "--workspace", str(tmp_path), "--json"
    )
    assert (
        code == 0
        and document["outcome"]["answer"] == "[]"
        and document["events"][0]["kind"] == "trial_started"
    )
    assert document["events"][0]["data"]["best_effort"] is False
    code, out, err = gra_bench("ask", "Where is Carhenge?", "-m", "nop")
    assert code == 0 and out == "[]\n" and "Model calls:" in err


def test_doctor_tells_what_works(gra_bench: Callable[..., Any]) -> None:
    code, document, _ = gra_bench("doctor", "--json")
    assert code == 0
    assert {"skills", "sources", "models", "sandboxes", "plugins"} <= set(document)
    assert {"name": "boundaries=atlas", "status": "ready"} in document["sources"]


def test_the_bench_is_quiet_when_piped_and_lively_on_a_terminal(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gra_bench.cli", "run", "-c", "llm", "--limit", "2", "--run-dir"]
    piped = subprocess.run([*command, str(tmp_path / "a")], capture_output=True, text=True, check=True)
    assert piped.stderr == "" and "geoktools" in piped.stdout and str(tmp_path / "a") in piped.stdout
    mine, theirs = pty.openpty()
    process = subprocess.Popen(
        [*command, str(tmp_path / "b")],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    )
    process.communicate(timeout=120)
    os.close(theirs)
    shown = os.read(mine, 65536).decode()
    assert "2/2" in shown


def test_plugins_can_be_left_out_of_a_list(sums: ModuleType, gra_bench: Callable[..., Any]) -> None:
    _, document, _ = gra_bench("list", "benchmarks", "--json", "--no-plugin", "sums")
    assert document == {"benchmarks": []}
