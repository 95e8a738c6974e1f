"""Faults that evaluation harnesses are known for, each held against this one by public commands and a server that counts.

Held elsewhere in full: usage and finished trials survive a kill, a resume that is killed, and a third one
(`tests/test_crash.py`); a finished run makes no call (`test_resuming_a_finished_run_calls_nothing` in
`gra_bench/tests/test_bench_run.py`); failures of single HTTP exchanges (`tests/test_chaos.py`).
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from steps import plugin
from steps.command import KEY, Ended, Process, as_installed, environment, gra_bench, lines, others
from steps.server import MODEL, StepServer, usage_of

from gra_core import plugins


@pytest.fixture(scope="module")
def one_server() -> Iterator[StepServer]:
    with StepServer() as server:
        yield server


@pytest.fixture
def server(one_server: StepServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[StepServer]:
    """The server, and the plugin as if it were installed."""
    monkeypatch.setattr(plugins, "discover", as_installed)
    monkeypatch.setenv("GRA_BASE_URL_OPENAI", f"{one_server.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    plugin.OVER.clear()
    one_server.forget()
    yield one_server
    plugin.OVER.set()
    one_server.held.clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


def run(folder: Path, limit: int, *more: str, configuration: str = "steps") -> Ended:
    command = f"run -b steps -c {configuration} -m {MODEL} --limit {limit} --json".split()
    return gra_bench(*command, "--run-dir", str(folder), *more)


def resume(folder: Path, *more: str) -> Ended:
    return gra_bench("run", "--run-dir", str(folder), "--resume", "--json", *more)


def results(folder: Path) -> dict[str, Any]:
    """Result lines by query."""
    return {line["query"]: line for line in lines(folder / "results.jsonl")}


# -- 4: what was asked has changed under the same name ---------------------------------------------------------------------


def test_a_changed_reference_answer_keeps_no_old_score(
    server: StepServer, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(folder, 2).document["results"][0]["mean"] == 1.0
    server.forget()
    monkeypatch.setattr(plugin, "ANSWER", "{n} is elsewhere")
    end = resume(folder)
    assert end.code == 2 and "the queries changed" in end.err and not server.asked
    assert run(tmp_path / "new", 2).document["results"][0]["mean"] == 0.0
    assert len(server.asked) == 6
    old, new = ({line["trial"] for line in lines(f / "results.jsonl")} for f in (folder, tmp_path / "new"))
    assert not old & new


@pytest.mark.slow
def test_files_of_a_plugin_that_change_under_the_same_version_are_noticed(
    server: StepServer, tmp_path: Path
) -> None:
    """Guidance, code, and data, in real processes, since a process reads a plugin once."""
    package, folder = tmp_path / "package", tmp_path / "run"
    shutil.copytree(
        Path(plugin.__file__).parent, package / "steps", ignore=shutil.ignore_patterns("__pycache__")
    )
    env = environment(tmp_path, server.url, package)

    def go(*arguments: str) -> Ended:
        return Process([*arguments, "--run-dir", str(folder), "--resume", *others()], env, tmp_path).wait()

    command = f"run -b steps -c steps -m {MODEL} --limit 1".split()
    assert go(*command).code == 0
    server.forget()
    for name in ("steps-tools/SKILL.md", "plugin.py", "prompt.txt"):
        path = package / "steps" / name
        before = path.read_bytes() if path.exists() else None
        path.write_bytes((before or b"") + b"\n# Walk faster.\n")
        end = go("run")
        assert end.code == 2 and "plugins" in end.err and "changed" in end.err, (name, end.err)
        path.unlink() if before is None else path.write_bytes(before)
    assert go("run").code == 0 and not server.asked


# -- 5: failures leave the denominator -------------------------------------------------------------------------------------


def test_failed_trials_stay_in_the_denominator_and_are_shown_apart(server: StepServer, folder: Path) -> None:
    """100 trials, 10 of them errors, 80 right: 0.8, not 80/90."""

    def play(number: int, step: int) -> Any:
        if number % 10 == 0:
            return 400, {}, {"error": {"message": "synthetic", "code": "bad"}}
        return f"{number} is there" if number % 10 != 1 else "nowhere"

    server.play = play
    end = run(folder, 100)
    (row,) = end.document["results"]
    assert end.code == 1
    assert row["mean"] == pytest.approx(0.8, abs=1e-12)
    assert (row["n"], row["scored"], row["failed"], row["answered"]) == (100, 100, 10, 90)
    report = gra_bench("report", str(folder), "--format", "json").document["results"][0]
    assert (report["mean"], report["n"], report["failed"]) == (row["mean"], 100, 10)
    markdown = gra_bench("report", str(folder), "--format", "markdown").out
    assert "88.9" not in markdown and "0.889" not in markdown


# -- 9: repeats share one entry of a cache -----------------------------------------------------------------------------------


def test_repeats_are_asked_each_and_kept_each(server: StepServer, folder: Path) -> None:
    server.play = lambda number, step: f"answer {len(server.asked)}"
    first = run(folder, 1, "-r", "3", "--concurrency", "1")
    assert first.code == 0 and len(server.asked) == 3
    kept = lines(folder / "results.jsonl")
    assert len({line["trial"] for line in kept}) == len({line["outcome"]["answer"] for line in kept}) == 3
    assert {line["repeat"] for line in kept} == {0, 1, 2}
    again = resume(folder)
    assert again.code == 0 and len(server.asked) == 3
    assert again.document["results"] == first.document["results"]
    assert lines(folder / "results.jsonl") == kept


def test_a_reply_of_one_repeat_is_not_used_for_another(server: StepServer, folder: Path) -> None:
    """Their requests are the same; one is cut off in the middle, and goes on with what it had."""
    spent = False

    def play(number: int, step: int) -> Any:
        if spent and len(server.asked) == 5:
            return 429, {}, {"error": {"message": "daily limit", "code": "insufficient_quota"}}
        return ("walk", {"to": len(server.asked)}) if step < 2 else f"answer {len(server.asked)}"

    spent, server.play = True, play
    first = run(folder, 1, "-r", "3", "--concurrency", "1")
    assert first.code == 1 and len(server.asked) == 5 and len(lines(folder / "results.jsonl")) == 1
    spent = False
    end = resume(folder)
    assert end.code == 0 and len(server.asked) == 5 + 5
    kept = lines(folder / "results.jsonl")
    assert len({line["outcome"]["answer"] for line in kept}) == 3
    used = [
        e["data"]["model_version"]
        for e in lines(folder / "events.jsonl")
        if e["kind"] == "model_replied" and e["attempt"] in {line["attempt"] for line in kept}
    ]
    assert len(used) == len(set(used)) == 9


# -- 10: a daily quota is retried ---------------------------------------------------------------------------------------------


def test_a_spent_quota_ends_the_run_at_once_with_trials_in_flight(server: StepServer, folder: Path) -> None:
    quota = 10
    server.play = lambda number, step: (
        f"{number} is there"
        if len(server.asked) <= quota
        else (429, {"Retry-After": "3600"}, {"error": {"message": "no credit", "code": "insufficient_quota"}})
    )
    end = run(folder, 40, "--concurrency", "4")
    assert end.code == 1
    assert "no credit" in end.document["stopped"] and "--resume" in end.err
    assert len(server.asked) <= quota + 4
    finished = set(results(folder))
    assert len(finished) <= quota
    server.forget()
    server.play = lambda number, step: f"{number} is there"
    end = resume(folder)
    assert end.code == 0 and end.document["results"][0]["mean"] == 1.0
    assert len(server.asked) == 40 - len(finished)
    assert not {f"steps-{a.number}" for a in server.asked} & finished


# -- 11: price tiers and thoughts -----------------------------------------------------------------------------------------------

PRICED = """
name = "priced"
extends = "steps"
[[prices]]
model = "openai:loopback"
tiers = [{ up_to = 200000, input = "2", cached = "0.5", output = "12" }, { input = "4", cached = "1", output = "18" }]
"""


def test_prices_follow_each_request_and_thoughts_are_output(
    server: StepServer, folder: Path, tmp_path: Path
) -> None:
    """By hand. Query 1: 10 in, 5 out, 7 thought: (10 × 2 + 12 × 12) / 10⁶. Query 2: 200,001 in, 1 out: (200,001 × 4 + 18) / 10⁶.
    Query 3, two requests of 150,000 in and 10 out: each in the lower tier. Query 4: 200,000 in, of which 50,000 cached."""
    usages: dict[int, dict[str, Any]] = {
        1: {
            "prompt_tokens": 10,
            "completion_tokens": 12,
            "completion_tokens_details": {"reasoning_tokens": 7},
        },
        2: {"prompt_tokens": 200_001, "completion_tokens": 1},
        3: {"prompt_tokens": 150_000, "completion_tokens": 10},
        4: {
            "prompt_tokens": 200_000,
            "completion_tokens": 0,
            "prompt_tokens_details": {"cached_tokens": 50_000},
        },
    }
    server.usage = lambda number, step, count: usages[number]
    server.play = lambda number, step: (
        ("keep", {"size": 1}) if (number, step) == (3, 0) else f"{number} is there"
    )
    (tmp_path / "priced.toml").write_text(PRICED)
    end = run(folder, 4, configuration=str(tmp_path / "priced.toml"))
    assert end.code == 0, end.err
    outcomes = {name: line["outcome"] for name, line in results(folder).items()}
    usage = outcomes["steps-1"]["usage"]
    assert (usage["input"], usage["output"], usage["thinking"]) == (10, 5, 7)
    assert usage["input"] + usage["output"] + usage["thinking"] == 22
    cost = {name: Decimal(outcome["cost_usd"]) for name, outcome in outcomes.items()}
    assert cost == {
        "steps-1": Decimal("0.000164"),
        "steps-2": Decimal("0.800022"),
        "steps-3": Decimal("0.60024"),
        "steps-4": Decimal("0.325"),
    }
    assert end.document["results"][0]["cost_usd"] == pytest.approx(float(sum(cost.values())))


# -- 12: the limit that is named is the one that struck ---------------------------------------------------------------------------

LIMITED = """
name = "limited"
extends = "steps"
[limits]
wall_clock_s = {wall_clock_s}
[model.extra]
timeout_s = {timeout_s}
retries = 0
"""


def limited(tmp_path: Path, **limits: float) -> str:
    path = tmp_path / "limited.toml"
    path.write_text(LIMITED.format(**({"wall_clock_s": 1800.0, "timeout_s": 600.0} | limits)))
    return str(path)


def hangs(number: int, step: int) -> Any:
    return ("hang", {}) if step == 0 else f"{number} is there"


def test_the_limit_of_a_tool_is_named(server: StepServer, folder: Path, tmp_path: Path) -> None:
    server.play = hangs
    assert run(folder, 1, configuration=limited(tmp_path)).code == 0
    (returned,) = (
        e["data"]["output"] for e in lines(folder / "events.jsonl") if e["kind"] == "tool_returned"
    )
    assert returned["error"]["kind"] == "timeout"
    assert "0.3 s" in returned["error"]["message"] and "1800" not in json.dumps(returned)


def test_the_wall_clock_is_named_when_it_strikes_in_a_tool(
    server: StepServer, folder: Path, tmp_path: Path
) -> None:
    """Its limit is shorter than that of the tool, which has begun last."""
    server.play = hangs
    plugin.hang.__gra_timeout__, before = 30.0, plugin.hang.__gra_timeout__  # type: ignore[attr-defined]
    try:
        run(folder, 1, configuration=limited(tmp_path, wall_clock_s=1.5))
    finally:
        plugin.hang.__gra_timeout__ = before  # type: ignore[attr-defined]
    outcome = results(folder)["steps-1"]["outcome"]
    assert (outcome["status"], outcome["reason"]) == ("limit", "wall_clock_s")
    assert "1.5" in outcome["message"] and "30" not in outcome["message"]


def test_the_wall_clock_is_named_when_the_model_is_slow(
    server: StepServer, folder: Path, tmp_path: Path
) -> None:
    server.held.set()
    run(folder, 1, configuration=limited(tmp_path, wall_clock_s=0.7, timeout_s=600))
    outcome = results(folder)["steps-1"]["outcome"]
    assert (outcome["status"], outcome["reason"]) == ("limit", "wall_clock_s")
    assert "0.7" in outcome["message"] and "600" not in outcome["message"]


def test_the_client_s_limit_is_named_when_the_model_is_slow(
    server: StepServer, folder: Path, tmp_path: Path
) -> None:
    server.held.set()
    assert run(folder, 1, configuration=limited(tmp_path, timeout_s=0.4)).code == 1
    outcome = results(folder)["steps-1"]["outcome"]
    assert (outcome["status"], outcome["reason"]) == ("failed", "timeout")
    assert "0.4" in outcome["message"] and "1800" not in outcome["message"]


# -- what is hard to keep ------------------------------------------------------------------------------------------------------------


def readable(folder: Path) -> None:
    """Every command and document that shows a run; whoever reads JSON strictly can."""
    from gra_bench.viewer.documents import Documents
    from gra_bench.viewer.page import self_contained

    for shown in (("show", str(folder)), ("report", str(folder))):
        assert gra_bench(*shown).code == 0
    trials = gra_bench("show", str(folder), "--json").document["trials"]
    for trial in (t["trial"] for t in trials):
        assert gra_bench("show", str(folder), trial).code == 0
        strict(gra_bench("show", str(folder), trial, "--json").out)
    for form in ("json", "markdown", "html"):
        end = gra_bench("report", str(folder), "--format", form)
        assert end.code == 0 and end.out
        end.out.encode("utf-8", "strict" if form == "html" else "backslashreplace")
    documents = Documents([folder])
    paths = ["summary", "trials", "tables/0", *(f"trial/0/{t['trial']}" for t in trials)]
    for trial in (t["trial"] for t in trials):
        names = [
            d["ref"].removeprefix("ds://") for d in json.loads(documents.get(f"trial/0/{trial}"))["datasets"]
        ]
        paths += [f"dataset/0/{trial}/{name}" for name in names]
    for path in paths:
        strict(documents.get(path))
    assert "".join(self_contained([folder]))


def strict(text: str) -> Any:
    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_text_and_numbers_that_are_hard_to_keep(server: StepServer, folder: Path) -> None:
    kinds = dict(enumerate(plugin.KINDS, 1))

    def play(number: int, step: int) -> Any:
        return ("noise", {"kind": kinds[number]}) if step == 0 else f"\x00 \ud83d {number} is there"

    server.play = play
    end = run(folder, len(kinds))
    assert end.code == 0, end.err
    outcomes = {kinds[int(q.split("-")[1])]: line["outcome"] for q, line in results(folder).items()}
    assert {kind: outcome["status"] for kind, outcome in outcomes.items()} == dict.fromkeys(kinds.values(), "answered")  # fmt: skip
    assert max(len(request.body) for request in server.received) < 500_000
    for line in (folder / "events.jsonl").read_text("utf-8").splitlines():
        strict(line)
    readable(folder)


def test_a_key_is_nowhere_on_disk_whoever_says_it(server: StepServer, folder: Path) -> None:
    calls = [("noise", {"kind": "key"}), ("keep_key", {}), ("walk", {"to": KEY}), (KEY, {KEY: [KEY]})]

    def play(number: int, step: int) -> Any:
        if number == 2:
            return 400, {}, {"error": {"message": f"bad key {KEY}", "code": KEY}}
        return calls[step] if step < len(calls) else f"The key is {KEY}."

    server.play = play
    end = run(folder, 2)
    shown = [gra_bench("show", str(folder)), gra_bench("report", str(folder), "--format", "html"), end]
    shown += [gra_bench("show", str(folder), line["trial"]) for line in results(folder).values()]
    readable(folder)
    forms = {KEY.encode(), json.dumps(KEY)[1:-1].encode(), json.dumps(json.dumps(KEY)[1:-1])[1:-1].encode()}
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any("workspaces" in str(path) for path in files)
    assert [path for path in files for form in forms if form in path.read_bytes()] == []
    assert [path for path in files if "0123456789" in str(path.relative_to(folder))] == []
    assert [
        form for one in shown for form in forms if form in (one.out + one.err).encode("utf-8", "replace")
    ] == []
    assert results(folder)["steps-1"]["outcome"]["status"] == "answered"


def test_usages_are_one_of_a_kind() -> None:
    """What the tests of kills and full disks rest on."""
    made = [tuple(usage_of(n, s, c).values()) for n in range(20) for s in range(3) for c in range(5)]
    assert len(set(made)) == len(made)
