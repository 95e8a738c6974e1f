"""Ablations from the command line: variants, their names, and the table of their effects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import gra_orchestration.plugin
from gra_bench.ablation import variants
from gra_core import UnknownName
from gra_core.testing import registry_of


def test_each_part_is_taken_out_alone() -> None:
    registry = registry_of(gra_orchestration.plugin)
    gra, llm = registry.configurations["gra"], registry.configurations["llm"]
    made = variants([gra, llm], ["planning", "dead-end"], registry)
    assert [(c.name, c.planner, c.guidance_off) for c in made] == [
        ("gra-without-planning", "", ()),
        ("gra-without-dead-end", "upfront", ("dead-end",)),
    ]
    every = variants([gra], ["all"], registry)
    assert len(every) == 1 + len(registry.guidance)
    with pytest.raises(UnknownName, match="dead-ends"):
        variants([gra], ["dead-ends"], registry)
    with pytest.raises(UnknownName):
        variants([llm], ["planning"], registry)


def test_a_run_shows_what_taking_a_part_out_does(
    sums: ModuleType, gra_bench: Callable[..., Any], tmp_path: Path
) -> None:
    command = (
        "run",
        "-b",
        "sums",
        "-c",
        "gra",
        "-m",
        "adder:1",
        "--ablate",
        "planning",
        "--run-dir",
        str(tmp_path / "run"),
    )
    code, document, _ = gra_bench(*command, "--json")
    assert code == 0
    assert [row["configuration"] for row in document["results"]] == ["gra", "gra-without-planning"]
    effect = document["ablation"][0]
    assert (effect["first"], effect["second"], effect["queries"]) == ("gra", "gra-without-planning", 6)
    code, report, _ = gra_bench("report", str(tmp_path / "run"), "--json")
    assert report["ablation"] == document["ablation"]
    code, text, _ = gra_bench("report", str(tmp_path / "run"))
    assert code == 0 and "Effect of taking a part out" in text
    code, _, err = gra_bench(*command[:-2], "--ablate", "nothing", "--run-dir", str(tmp_path / "other"))
    assert code == 2 and "nothing" in err and not (tmp_path / "other").exists()
