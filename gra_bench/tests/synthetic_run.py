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


def add_rich_trial(
    folder: Path, text: str = "Scotts Bluff", *, configuration: str = "gra", query: int = 0
) -> dict[str, Any]:
    """Append a trial with everything in it: plan, skills, calls, an error, a substitute, datasets, traced numbers. `text`
    stands wherever a model, a tool or a source could have put text. Returns its result."""
    asked = a_query(query) | {"text": f"Where? {text}"}
    result = a_result(asked, configuration, "synthetic:one", 7, random.Random(1))
    answer = f"{text} is 639.7 km away, about 12 % more; see ds://counties-1."
    plan = {
        "steps": [
            {
                "goal": f"Find {text}",
                "skills": ["places"],
                "data": text,
                "fallback": text,
                "status": "done",
                "note": text,
            }
        ],
        "gaps": [text],
    }
    result |= {
        "trial": identity("rich", text, configuration),
        "attempt": "rich0001",
        "score": 0.5,
        "query_hash": identity("rich", query, text),
    }
    result["scoring"] = {
        "value": 0.5,
        "parts": [1.0, 0.0],
        "explanation": text,
        "extra": {"values": [text, 1], "remarks": ["", text]},
    }
    result["outcome"] |= {
        "status": "answered",
        "reason": "",
        "answer": answer,
        "plan": plan,
        "skills": ["places", text],
        "tools": {"find_regions": 1, "measure": 1, text: 1},
        "proxies": [{"wanted": text, "used": text, "effect": text}],
    }
    with (folder / "queries.jsonl").open("a") as queries:
        blanks = [
            {"label": text, "type": "entity", "unit": ""},
            {"label": "Distance", "type": "number", "unit": "km"},
        ]
        queries.write(
            compact(
                {"hash": result["query_hash"], "query": asked | {"blanks": blanks, "answer": [text, 639.7]}}
            )
        )
    with (folder / "results.jsonl").open("a") as results:
        results.write(compact(result))
    with (folder / "events.jsonl").open("a") as log:
        log.writelines(
            line(result, event) for event in rich_events(asked["text"], answer, plan, text, result)
        )
    a_dataset(folder, result["trial"], "counties-1", text, call="c1", inputs=[])
    a_dataset(folder, result["trial"], "distances-1", text, call="c2", inputs=["ds://counties-1"])
    return result


def rich_events(
    question: str, answer: str, plan: dict[str, Any], text: str, result: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    counties = {"name": "find_regions", "id": "c1", "arguments": {"parent": "geoId/31", "name": text}}
    measure = {"name": "measure", "id": "c2", "arguments": {"features": "ds://counties-1"}}
    broken = {"name": text, "id": "c3", "arguments": {text: text}}
    rows = [{"name": text, "km": 639.7 - n} for n in range(20)]
    outputs = {
        "c1": {"status": "ok", "content": {"regions": rows[:3], "note": text}, "datasets": [{"ref": "ds://counties-1", "summary": {"rows": 93}}]},
        "c2": {"status": "ok", "content": {"rows": rows, "text": text * 400}, "datasets": [{"ref": "ds://distances-1", "summary": {}}], "notes": [text]},
        "c3": {"status": "error", "error": {"kind": "not_found", "message": text, "hint": text}},
    }  # fmt: skip
    usage = [USAGE]
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("trial_started", {"query": question, "prompt": question, "configuration": result["configuration"], "model": result["model"], "best_effort": True, "rules": [], "skills": []}),
        ("stage_started", {"stage": "planning", "strategy": "upfront"}),
        ("plan_submitted", {"plan": plan}),
        ("stage_started", {"stage": "execution", "strategy": "guided"}),
        ("skills_loaded", {"names": ["places", text]}),
    ]  # fmt: skip
    for number, call in enumerate((counties, measure, broken), 1):
        kinds += [
            ("model_called", {"call": number, "declared_tools": 4, "declared_tokens": 300, "history_tokens": 900}),
            ("model_replied", {"text": text, "thoughts": text, "stop": "tool_calls", "stop_detail": "", "tool_calls": [call], "requests": usage, "waited_s": 0.0, "state": {"signature": "c2lnbmF0dXJl"}}),
            ("tool_called", call),
            ("tool_returned", {"id": call["id"], "name": call["name"], "status": outputs[call["id"]]["status"], "output": outputs[call["id"]], "seconds": 0.1}),
        ]  # fmt: skip
    kinds += [
        ("plan_updated", {"step": 1, "status": "done", "note": text}),
        ("proxy_recorded", {"wanted": text, "used": text, "effect": text}),
        ("guidance_applied", {"rule": "dead-end", "tool": text, "detail": text}),
        ("model_called", {"call": 4, "declared_tools": 4, "declared_tokens": 300, "history_tokens": 900}),
        ("model_failed", {"error": "quota", "message": text, "requests": usage, "waited_s": 1.5}),
        ("model_called", {"call": 5, "declared_tools": 4, "declared_tokens": 300, "history_tokens": 900}),
        ("model_replied", {"text": answer, "thoughts": "", "stop": "stop", "stop_detail": "", "tool_calls": [], "requests": usage, "waited_s": 0.0}),
        ("answered", {"text": answer, "numbers": [{"number": "639.7", "calls": ["c2"]}, {"number": "12", "calls": []}]}),
        ("trial_finished", {"outcome": result["outcome"]}),
    ]  # fmt: skip
    for seq, (kind, data) in enumerate(kinds):
        yield {
            "seq": seq,
            "kind": kind,
            "at": "2026-12-01T09:00:00.000+00:00",
            "elapsed_s": seq * 0.5,
            "data": data,
        }


def a_dataset(folder: Path, trial: str, name: str, text: str, *, call: str, inputs: list[str]) -> Path:
    """A dataset of plain JSON with manifest and lineage."""
    place = folder / "workspaces" / trial / "datasets" / name
    place.mkdir(parents=True)
    use = {"kind": "boundaries", "source": "atlas", "operation": "children", "request": {"name": text}, "licence": text, "attribution": text, "storable": True, "retrieved_at": "2026-12-01T09:00:00+00:00", "snapshot": "4e9f"}  # fmt: skip
    manifest = {
        "ref": f"ds://{name}", "name": text, "format": "json", "file": "data.json", "created": "2026-12-01T09:00:00+00:00",
        "summary": {"rows": 1, "columns": {text: "text"}, "head": [{text: text}]}, "columns": {}, "notes": [text], "schema_version": 1,
        "lineage": {"call_id": call, "tool": "find_regions", "arguments": {"name": text}, "inputs": inputs, "sources": [use]},
    }  # fmt: skip
    (place / "manifest.json").write_text(json.dumps(manifest))
    (place / "data.json").write_text(json.dumps([{text: text}]))
    return place
