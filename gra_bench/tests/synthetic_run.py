"""Synthetic runs in the documented format (docs/runs.md), for tests and benchmarks of what reads runs."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CONFIGURATIONS = ("llm", "llm-basic", "llm-tools", "gra")
TEMPLATES = tuple(f"template-{n:02d}" for n in range(12))
WORDS = [
    "county",
    "river",
    "population",
    "elevation",
    "storm",
    "coast",
    "border",
    "share",
    "median",
    "distance",
    "nearest",
    "largest",
    "total",
    "wind",
    "area",
]
TOOLS = ("find_regions", "get_stats", "compute_distances", "get_place_details", "load_skills", "submit_plan")
USAGE = {
    "requests": 1,
    "input": 900,
    "cached": 100,
    "output": 60,
    "thinking": 20,
    "tool_use": 0,
    "searches": 0,
    "maps": 0,
    "estimated": False,
}


def identity(*parts: Any) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:20]


def write_run(
    folder: Path,
    *,
    trials: int = 48,
    seed: int = 0,
    events: int = 6,
    padding: int = 0,
    model: str = "synthetic:one",
) -> Path:
    """A run of `trials` finished trials; `events` per trial, each with `padding` more characters of tool output."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    planned = list(_plan(trials, model))
    queries = {query["id"]: query for query, *_ in planned}
    (folder / "manifest.json").write_text(json.dumps(manifest(trials, model)))
    with (folder / "queries.jsonl").open("w") as file:
        for query in queries.values():
            file.write(json.dumps({"hash": identity("query", query["id"]), "query": query}) + "\n")
    with (folder / "results.jsonl").open("w") as results, (folder / "events.jsonl").open("w") as log:
        open_logs: list[Iterator[str]] = []
        for query, configuration, repeat in planned:
            result = a_result(query, configuration, model, repeat, chance)
            open_logs.append(iter([line(result, e) for e in some_events(query, result, events, padding)]))
            if len(open_logs) == 4:  # trials run side by side, so their events are mixed
                _interleave(open_logs, log, chance)
            results.write(compact(result))
        _interleave(open_logs, log, chance)
    return folder


def _plan(trials: int, model: str) -> Iterator[tuple[dict[str, Any], str, int]]:
    repeats = 2 if trials >= 16 else 1
    for number in range(trials):
        query, place = divmod(number, len(CONFIGURATIONS) * repeats)
        yield a_query(query), CONFIGURATIONS[place % len(CONFIGURATIONS)], place // len(CONFIGURATIONS)


def _interleave(logs: list[Iterator[str]], file: Any, chance: random.Random) -> None:
    while logs:
        log = chance.choice(logs)
        text = next(log, None)
        if text is None:
            logs.remove(log)
        else:
            file.write(text)


def compact(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=True, separators=(",", ":")) + "\n"


def line(result: dict[str, Any], event: dict[str, Any]) -> str:
    return compact({"trial": result["trial"], "attempt": result["attempt"], **event})


def manifest(trials: int, model: str) -> dict[str, Any]:
    return {
        "schema_version": 1, "trials": trials, "dataset_hash": "0" * 64, "datasets": {"synthetic": "0" * 64}, "notes": ["Synthetic data."],
        "options": {"benchmarks": ["synthetic"], "split": "dev", "seed": 0, "repeats": 2, "best_effort": True},
        "scorers": {"synthetic": ["blanks"]}, "autoraters": {"synthetic": []}, "models": {model: ""},
        "configurations": {name: {"configuration": {"name": name}, "plugins": [], "sources": {}} for name in CONFIGURATIONS},
    }  # fmt: skip


def a_query(number: int) -> dict[str, Any]:
    chance = random.Random(number)
    words = " ".join(chance.choice(WORDS) for _ in range(12))
    return {
        "id": f"synthetic-{number}", "benchmark": "synthetic", "text": f"Synthetic question {number}: {words}?", "split": "dev",
        "answer": ["Somewhere", number], "template": TEMPLATES[number % len(TEMPLATES)], "K": 1 + number % 5,
    }  # fmt: skip


def a_result(
    query: dict[str, Any], configuration: str, model: str, repeat: int, chance: random.Random
) -> dict[str, Any]:
    layer = CONFIGURATIONS.index(configuration)
    status = chance.choices(("answered", "abstained", "limit", "failed"), (90, 4, 3, 3))[0]
    score = chance.choices((0.0, 0.5, 1.0), (4 - layer, 1, 1 + 2 * layer))[0] if status == "answered" else 0.0
    calls = {tool: chance.randint(1, 4) for tool in chance.sample(TOOLS, layer + 1)} if layer else {}
    answer = (
        " ".join(chance.choice(WORDS) for _ in range(90)) + f': ["Somewhere", {chance.randint(1, 999)}]'
        if status == "answered"
        else ""
    )
    return {
        "schema_version": 1, "trial": identity(query["id"], configuration, model, repeat), "attempt": identity("a", query["id"], repeat)[:8],
        "benchmark": "synthetic", "configuration": configuration, "model": model, "query": query["id"], "repeat": repeat, "split": "dev",
        "cluster": query["template"], "template": query["template"], "K": query["K"], "domain": "", "tier": "", "scorer": "blanks",
        "score": score, "scoring": {"value": score, "parts": [score], "explanation": "synthetic score", "extra": {}},
        "outcome": {
            "status": status, "answer": answer, "reason": {"limit": "wall_clock_s", "failed": "quota", "abstained": "no data"}.get(status, ""),
            "message": "", "usage": USAGE, "tool_usage": USAGE | {"input": 0, "requests": 0}, "cost_usd": f"{0.001 + 0.01 * layer * chance.random():.6f}",
            "model_calls": 1 + 2 * layer, "tools": calls, "tool_errors": chance.choice((0, 0, 0, 1)), "skills": ["places"][:layer],
            "plan": {"steps": [{"goal": " ".join(WORDS), "skills": ["places"], "data": "", "fallback": "", "status": "done", "note": ""}], "gaps": []},
            "proxies": [], "disclosure": {"declared_tokens_sum": 4000}, "seconds": round(5 * layer + chance.random(), 3), "waited_s": 0.0, "ends_run": False,
        },
        "query_hash": identity("query", query["id"]),
    }  # fmt: skip


def some_events(
    query: dict[str, Any], result: dict[str, Any], count: int, padding: int
) -> Iterator[dict[str, Any]]:
    """Start, model and tool in turns, end."""
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("trial_started", {"query": query["text"], "prompt": query["text"], "configuration": result["configuration"], "model": result["model"], "best_effort": True, "rules": [], "skills": []})
    ]  # fmt: skip
    for number in range(max(0, count - 2) // 4):
        call = {"id": f"c{number}", "name": "get_stats", "arguments": {"regions": ["geoId/31"]}}
        kinds += [
            ("model_called", {"call": number + 1, "declared_tools": 4, "declared_tokens": 300, "history_tokens": 900}),
            ("model_replied", {"text": "", "thoughts": "", "stop": "tool_calls", "stop_detail": "", "tool_calls": [call], "requests": [USAGE], "waited_s": 0.0}),
            ("tool_called", call),
            ("tool_returned", {"id": call["id"], "name": call["name"], "status": "ok", "output": {"status": "ok", "content": {"value": 42, "padding": "x" * padding}}, "seconds": 0.1}),
        ]  # fmt: skip
    kinds.append(("trial_finished", {"outcome": result["outcome"]}))
    for seq, (kind, data) in enumerate(kinds):
        yield {
            "seq": seq,
            "kind": kind,
            "at": "2026-12-01T09:00:00.000+00:00",
            "elapsed_s": seq * 0.5,
            "data": data,
        }
