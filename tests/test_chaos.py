"""What faults of a model's or a source's server lead to, through the command line and real HTTP: `chaos.cases` and
`chaos.sources` are the tables."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import re
import socket
import sys
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from chaos import gemini, openai, plugin
from chaos.cases import KEY, PRICES, Fault, Leads, cases
from chaos.plugin import QUERIES
from chaos.server import ModelServer, SourceServer
from chaos.sources import IMPATIENCE, PATIENCE, SOURCES, Asked

from gra_core import plugins

WIRES = {"gemini": gemini, "openai": openai}
PLUGINS = (
    "atlas", "geo", "model-gemini", "model-openai", "orchestration", "skill-admin-boundaries", "skill-data-commons", "skill-places",
    "skill-tropical-cyclones", "skill-web-search",
)  # fmt: skip
ENVIRONMENT = (
    "GEMINI_API_KEY", "GRA_BASE_URL_GEMINI", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GENAI_API_VERSION", "GOOGLE_GENAI_USE_VERTEXAI",
    "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy",
)  # fmt: skip
CASES = [pytest.param(*case, id=f"{case[0].name}-{case[1]}") for case in cases()]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The benchmark as if it were installed, beside the plugins it needs."""
    keep = [e for e in plugins.discover() if e.name in PLUGINS]
    mine = EntryPoint(name="chaos", value="chaos.plugin", group="gra.plugins")
    monkeypatch.setattr(plugins, "discover", lambda: sorted([*keep, mine], key=lambda e: e.name))
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    real = socket.getaddrinfo
    asked = set()
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *a, **k: asked.add(host) or real(host, *a, **k))
    plugin.OVER.clear()
    yield
    plugin.OVER.set()
    assert asked <= {"127.0.0.1"}


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer(QUERIES.values(), QUERIES["struck"]) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A run directory in which no key is left, whatever happens."""
    yield tmp_path / "run"
    found = [p for p in (tmp_path / "run").rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()]
    assert found == []


def gra_bench(*arguments: str) -> tuple[int, Any, str]:
    """The command line in this process: exit code, document on stdout, stderr."""
    from gra_bench.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as end:
        main(list(arguments))
    assert KEY not in out.getvalue() + err.getvalue()
    document = json.loads(out.getvalue()) if out.getvalue().startswith("{") else out.getvalue()
    return int(end.value.code or 0), document, err.getvalue()


def toml(value: Any) -> str:
    """A value in TOML, tables inline."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + " }"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, (list, tuple)) else json.dumps(value)


@pytest.fixture
def begin(
    model: ModelServer, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Start a run of the three queries against the server; `more` goes into the configuration."""

    def run(wire: Any, leads: Leads, **more: Any) -> tuple[int, Any, str]:
        monkeypatch.setenv(wire.ENVIRONMENT["url"], model.url)
        monkeypatch.setenv(wire.ENVIRONMENT["key"], KEY)
        model.play(leads.script, always=leads.always, fine=wire.fine)
        settings = {
            "name": "chaos", "executor": "reactive", "tools": ["hang"], "limits": leads.limits,
            "model": {"extra": wire.PATIENCE | leads.model.get("extra", {})}, "prices": [{"model": wire.MODEL, **PRICES}],
        }  # fmt: skip
        file = tmp_path / "chaos.toml"
        file.write_text("".join(f"{k} = {toml(v)}\n" for k, v in (settings | more).items()), encoding="utf-8")
        return gra_bench("run", "-b", "chaos", "-c", str(file), "-m", wire.MODEL, "--concurrency", "1", "--run-dir", str(folder), "--json")  # fmt: skip

    return run


def results(folder: Path) -> dict[str, Any]:
    """Result lines by query."""
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    return {line["query"]: line for line in map(json.loads, lines)}


def asked(model: ModelServer) -> dict[str, int]:
    """Requests by query since the last count."""
    return {name: len(model.asked[text]) for name, text in QUERIES.items()}


@pytest.mark.parametrize(("fault", "name", "leads"), CASES)
def test_a_fault_of_the_model_leads_to(
    fault: Fault, name: str, leads: Leads, begin: Callable[..., Any], model: ModelServer, folder: Path
) -> None:
    started = time.monotonic()
    code, document, err = begin(WIRES[name], leads)
    took = time.monotonic() - started
    stopped = leads.status == "stopped"
    assert code == leads.exit_code, err
    counts = asked(model)
    assert counts == {"before": 1, "struck": leads.requests or counts["struck"], "after": 0 if stopped else 1}
    assert_says(" ".join(request.body.decode() for request in model.received), leads.hears)
    lines = results(folder)
    if stopped:
        check_stop(document, err, leads, lines)
    else:
        check_outcome(lines["struck"], leads, took, folder)
        assert document["results"][0]["n"] == 3
    check_gaps(model.asked[QUERIES["struck"]], leads)
    check_readable(folder, set(lines))
    check_resume(folder, model, set(lines), leads.requests is not None)


def events(folder: Path) -> list[dict[str, Any]]:
    """The trajectory of the trial that was struck."""
    return gra_bench("show", str(folder), "struck", "--json")[1]["events"]


def limits_waited(folder: Path) -> float:
    """Seconds that its model calls waited for limits."""
    return sum(
        e["data"]["waited_s"] for e in events(folder) if e["kind"] in ("model_replied", "model_failed")
    )


def check_outcome(line: dict[str, Any], leads: Leads, took: float, folder: Path) -> None:
    outcome = line["outcome"]
    assert (outcome["status"], outcome["reason"]) == (leads.status, leads.reason), outcome["message"]
    assert_says(outcome["message"], leads.says)
    answered = leads.status == "answered"
    assert line["score"] == (float(answered) if leads.score is None else leads.score)
    if leads.requests is not None:
        check_usage(outcome["usage"], Decimal(outcome["cost_usd"]), leads)
    # What is waited for a limit is waiting; whatever else passes is work, but for the wait for one's turn.
    assert (waited := limits_waited(folder)) >= sum(leads.waits) and (leads.waits or waited == 0)
    assert outcome["waited_s"] >= round(sum(leads.waits), 3)
    assert outcome["seconds"] + outcome["waited_s"] <= took
    if leads.limits:
        assert outcome["seconds"] >= leads.limits["wall_clock_s"]


def check_usage(usage: dict[str, Any], usd: Decimal, leads: Leads) -> None:
    counts = {k: v for k, v in usage.items() if v and k not in ("requests", "estimated")}
    assert usage["requests"] == leads.requests
    assert usage["estimated"] == leads.estimated
    if leads.estimated:  # at least what is certain
        assert all(counts.get(k, 0) >= v for k, v in leads.usage.items())
        assert usd >= Decimal(leads.usd) and counts["input"] > 0
    else:
        assert (counts, usd) == (leads.usage, Decimal(leads.usd))


def check_stop(document: dict[str, Any], err: str, leads: Leads, lines: dict[str, Any]) -> None:
    assert set(lines) == {"before"}
    assert_says(document["stopped"], leads.says)
    assert_says(err, leads.says)
    assert "--resume" in err
    assert document["unfinished"]["model_calls"] == 1
    assert document["unfinished"]["usage"]["requests"] == leads.requests


def assert_says(message: str, pattern: str) -> None:
    assert re.search(pattern, message), message[-2000:]


def check_gaps(times: list[float], leads: Leads) -> None:
    """Never asked again sooner than the server wants."""
    gaps = [after - before for before, after in itertools.pairwise(times)]
    assert len(gaps) >= len(leads.waits)
    assert all(gap >= least for gap, least in zip(gaps, leads.waits, strict=False)), gaps


def check_readable(folder: Path, finished: set[str]) -> None:
    code, text, err = gra_bench("show", str(folder))
    assert code == 0 and all(name in text for name in finished), err
    code, document, err = gra_bench("report", str(folder), "--format", "json")
    assert code == 0 and document["results"][0]["n"] == len(finished), err


def check_resume(folder: Path, model: ModelServer, finished: set[str], counted: bool = True) -> None:
    """What is finished is not repeated, and what is not is done once the server has recovered. Every request is in the
    usage of the whole, those of unfinished attempts included."""
    seen = sum(asked(model).values())
    model.recover()
    model.forget()
    code, document, err = gra_bench("run", "--run-dir", str(folder), "--resume", "--json")
    assert asked(model) == {name: int(name not in finished) for name in QUERIES}, err
    assert set(results(folder)) == set(QUERIES) and document["results"][0]["n"] == 3
    spent = document["results"][0]["usage"]["requests"] + document["unfinished"]["usage"].get("requests", 0)
    assert spent == seen + sum(asked(model).values()) or not counted
    failed = any(r["outcome"]["status"] == "failed" for r in results(folder).values())
    assert code == int(failed) and "stopped" not in document


@pytest.fixture(scope="module")
def source(model: ModelServer) -> Iterator[SourceServer]:
    with SourceServer(lambda: len(model.asked[QUERIES["struck"]]) - 1) as server:
        yield server


@pytest.mark.parametrize("slow", [False, True], ids=["", "slow"])
@pytest.mark.parametrize("one", SOURCES, ids=lambda one: one.name)
def test_a_faulty_source_is_an_error_of_its_tool_and_the_agent_goes_on(
    one: Asked, slow: bool, begin: Callable[..., Any], model: ModelServer, source: SourceServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    faults = [fault for fault in one.faults() if bool(fault.sent.drip_s) == slow]
    if one.address:
        monkeypatch.setenv(one.address, source.url)
    if one.key:
        monkeypatch.setenv(one.key, KEY)
    source.play(fault.sent for fault in faults)
    arguments = {k: v.format(url=source.url) if isinstance(v, str) else v for k, v in one.arguments.items()}
    calls = tuple(openai.called(one.tool, arguments) for _ in faults)
    code, _, err = begin(
        openai, Leads(script=calls), tools=[one.tool], source_choice={one.kind: one.name},
        sources={one.name: (IMPATIENCE if slow else PATIENCE) | one.settings} | one.beside,
    )  # fmt: skip
    assert code == 0, err
    outputs = [e["data"]["output"] for e in events(folder) if e["kind"] == "tool_returned"]
    found = {
        fault.name: (output.get("error", {}).get("kind", ""), source.asked[turn])
        for turn, (fault, output) in enumerate(zip(faults, outputs, strict=True))
    }
    assert found == {fault.name: (fault.kind, fault.requests) for fault in faults}, outputs
    check_readable(folder, set(QUERIES))
    check_resume(folder, model, set(QUERIES))
