"""The benchmarks together: what they are made of is said, nothing is fetched before it is asked for, and they run end to end
on the embedded data without a network."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

OTHERS = ("geoexpert", "cbgb", "univearth", "geobenchx")
# No connection leaves the process: whoever tries gets an error that the test sees.
OFFLINE = """
import socket, sys
def refuse(self, address, connect=socket.socket.connect):
    if self.family in (socket.AF_INET, socket.AF_INET6):
        raise OSError(f"the network was used: {address}")
    return connect(self, address)
socket.socket.connect = refuse
socket.getaddrinfo = lambda *a, **k: (_ for _ in ()).throw(OSError(f"the network was used: {a}"))
from gra_bench.cli import main
main(sys.argv[1:])
"""
VERDICT = "The counties, the storms and the people come from tools.\n\nEFFECT: slight\nZERO: none\nSCORE: 2"


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("GRA_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("GEOEXPERT", "CBGB", "UNIVEARTH", "GEOBENCHX"):
        monkeypatch.delenv(f"GRA_{name}_FILE", raising=False)
        monkeypatch.delenv(f"GRA_BASE_URL_{name}", raising=False)

    def run(*arguments: str) -> tuple[int, Any, str]:
        done = subprocess.run(
            [sys.executable, "-c", OFFLINE, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        out = json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout
        return done.returncode, out, done.stderr

    return run


def test_licence_and_attribution_are_listed_and_nothing_is_fetched(offline: Any, tmp_path: Path) -> None:
    code, document, err = offline("list", "benchmarks", "--json")
    assert code == 0, err
    rows = {row["name"]: row for row in document["benchmarks"]}
    assert {"geoktools", *OTHERS} <= set(rows)
    for row in rows.values():
        assert row["licence"] and row["attribution"] and row["title"]
    assert all(rows[name]["url"].startswith("https://") for name in OTHERS)
    assert "CC BY 4.0" in rows["cbgb"]["licence"] and "MIT" in rows["univearth"]["licence"]
    assert not (tmp_path / "cache").exists()


def test_open_ended_queries_and_the_sample_run_end_to_end(offline: Any, tmp_path: Path) -> None:
    (tmp_path / "judge.jsonl").write_text(json.dumps({"replies": [VERDICT]}))
    code, document, err = offline(
        "run", "-b", "geoexpert", "-b", "univearth", "-c", "gra", "-m", "oracle", "--judge",
        f"judge-script:{tmp_path / 'judge.jsonl'}", "--run-dir", str(tmp_path / "run"), "--json",
    )  # fmt: skip
    assert "the network was used" not in err
    rows = {(row["benchmark"], row["scorer"]): row for row in document["results"]}
    sample, expert = rows["univearth", "label"], rows["geoexpert", "workflow-autorater"]
    assert code == 0, err
    assert (sample["n"], sample["mean"], sample["failed"]) == (6, 1.0, 0)
    # Four of the six have a reference trajectory; the oracle has nothing to say on the other two, which needs no judge.
    assert (expert["n"], expert["scored"], expert["failed"]) == (6, 6, 0)
    assert expert["mean"] == pytest.approx(4 / 6) and expert["tool_errors"] == 0
    assert "not the published GeoExpertQueries" in err and "not UnivEARTH" in err


@pytest.mark.parametrize(
    ("name", "scorer"), [("cbgb", "two-significant-figures"), ("geobenchx", "abstention-decision")]
)
def test_the_other_samples_run_end_to_end(offline: Any, tmp_path: Path, name: str, scorer: str) -> None:
    code, document, err = offline(
        "run",
        "-b",
        name,
        "-c",
        "gra",
        "-m",
        "oracle",
        "--strict",
        "--run-dir",
        str(tmp_path / "run"),
        "--json",
    )
    (row,) = document["results"]
    assert code == 0 and "the network was used" not in err, err
    assert (row["scorer"], row["mean"], row["tool_errors"]) == (scorer, 1.0, 0)


@pytest.mark.parametrize("name", ["cbgb", "univearth", "geobenchx"])
def test_without_a_network_the_published_split_says_where_to_put_the_file(
    offline: Any, tmp_path: Path, name: str
) -> None:
    code, out, err = offline("queries", name, "--split", "test", "--json")
    assert code == 2 and not out
    assert "cannot be reached" in err and "Hint: get it from https://" in err
    assert str(tmp_path / "cache" / name) in err and f"GRA_{name.upper()}_FILE" in err
