"""Runs as JSON documents: what the page asks for, by path. Both the server and the self-contained file use them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from gra_bench.index import RunIndex
from gra_bench.log import read_lines
from gra_bench.row import COLUMNS
from gra_bench.store import read_results
from gra_bench.viewer.datasets import Datasets

SCHEMA_VERSION = 1
# Two-sided 95 % of the normal distribution.
QUANTILE = 1.959964


class Missing(Exception):
    """There is no such document."""


class Documents:
    """The documents of some runs, made when they are asked for."""

    def __init__(self, folders: list[Path]) -> None:
        self.indexes = [RunIndex(folder) for folder in folders]
        self.datasets = Datasets()
        self._names = _names(folders)

    def get(self, path: str) -> str:
        """The JSON text of a document; `Missing` for an unknown path.

        ``summary``, ``trials``, ``base``, ``tables/RUN``, ``trial/RUN/TRIAL``, ``dataset/RUN/TRIAL/NAME``; RUN counts from 0.
        """
        match path.split("/"):
            case ["summary"]:
                return as_json(self.summary())
            case ["trials"]:
                return self.trials()
            case ["tables", run]:
                return as_json(self.tables(self._index(run)))
            case ["base"]:
                return as_json(self.datasets.base())
            case ["trial", run, trial]:
                return as_json(self.trial(self._index(run), trial))
            case ["dataset", run, trial, name]:
                index = self._index(run)
                if index.result(trial) is None:
                    raise Missing(path)
                found = self.datasets.preview(index.folder / "workspaces", trial, name)
                if found is not None:
                    return as_json(found)
        raise Missing(path)

    def summary(self) -> dict[str, Any]:
        """The runs, and the rows of their summaries with intervals."""
        rows = [
            {"run": number, **row, "interval": interval(row)}
            for number, index in enumerate(self.indexes)
            for row in index.summary()
        ]
        runs = [
            about(name, index) | {"views": index.views()}
            for name, index in zip(self._names, self.indexes, strict=True)
        ]
        return {"schema_version": SCHEMA_VERSION, "runs": runs, "rows": rows, "differ": self._differ()}

    def _differ(self) -> list[str]:
        """Benchmarks whose query sets are not the same in all runs."""
        sets: dict[str, set[str]] = {}
        for index in self.indexes:
            for name, digest in index.manifest.get("datasets", {}).items():
                sets.setdefault(name, set()).add(digest)
        return sorted(name for name, found in sets.items() if len(found) > 1)

    def tables(self, index: RunIndex) -> dict[str, Any]:
        """The further tables of `gra-bench report`, from all results of a run."""
        import attrs

        from gra_bench.ablation import effects
        from gra_bench.breakdown import tables
        from gra_bench.tables import comparison_rows

        results = list(read_results(index.folder).values())
        names = list(index.manifest.get("configurations", ()))
        made = [attrs.asdict(table) for table in tables(results, names)]
        changes = [attrs.asdict(effect) for effect in effects(results, names)]
        return {"tables": made, "ablation": comparison_rows(changes) if changes else []}

    def trials(self) -> str:
        """A short row for each trial of each run, and the queries' texts by hash."""
        queries: dict[str, str] = {}
        for index in self.indexes:
            for record in read_lines(index.folder / "queries.jsonl"):
                queries[record["hash"]] = record["query"]["text"]
        runs = ",\n".join("[" + ",\n".join(index.rows()) + "]" for index in self.indexes)
        return f'{{"columns":{as_json(COLUMNS)},"queries":{as_json(queries)},"runs":[{runs}]}}'

    def trial(self, index: RunIndex, trial: str) -> dict[str, Any]:
        """One trial: result, query, scores by other scorers, events, datasets."""
        result = index.result(trial)
        if result is None:
            raise Missing(trial)
        events = index.events(trial, result["attempt"])
        for event in events:
            event["data"].pop("state", None)  # the provider's opaque form of a turn, signatures and all
        return {
            "result": result,
            "query": _query(index.folder, result),
            "scores": _scores(index.folder, result),
            "events": events,
            "datasets": self.datasets.manifests(index.folder / "workspaces", trial),
        }

    def _index(self, run: str) -> RunIndex:
        if run.isascii() and run.isdigit() and len(run) < 4 and int(run) < len(self.indexes):
            return self.indexes[int(run)]
        raise Missing(run)


def _names(folders: list[Path]) -> list[str]:
    """The folders' names, with as much of their parents as tells them apart."""
    paths = [folder.resolve() for folder in folders]
    for depth in range(1, 1 + max(len(path.parts) for path in paths)):
        names = ["/".join(path.parts[-depth:]) for path in paths]
        if len(set(names)) == len(set(paths)):
            return names
    return [str(path) for path in paths]


def about(name: str, index: RunIndex) -> dict[str, Any]:
    """What the page says of a run: from its manifest, without instructions and settings."""
    manifest = index.manifest
    options = manifest.get("options", {})
    return {
        "name": name,
        "trials": manifest.get("trials"),
        "notes": manifest.get("notes", []),
        "dataset_hash": manifest.get("dataset_hash", ""),
        "options": {
            k: options.get(k)
            for k in ("benchmarks", "split", "seed", "repeats", "limit", "best_effort", "judge")
        },
        "configurations": {
            key: {
                "title": value.get("configuration", {}).get("title", ""),
                "plugins": [[p.get("name"), p.get("version")] for p in value.get("plugins", ())],
                "sources": value.get("sources", {}),
            }
            for key, value in manifest.get("configurations", {}).items()
        },
    }


def interval(row: dict[str, Any]) -> list[float] | None:
    """95 % interval of a mean score: 1.96 clustered standard errors to both sides, within 0 to 1."""
    if row["mean"] is None or row["stderr"] is None:
        return None
    reach = QUANTILE * row["stderr"]
    return [max(0.0, row["mean"] - reach), min(1.0, row["mean"] + reach)]


def _query(folder: Path, result: dict[str, Any]) -> dict[str, Any] | None:
    """The query with its reference answer, when the run has kept it."""
    for record in read_lines(folder / "queries.jsonl"):
        if record["hash"] == result.get("query_hash"):
            return record["query"]
    return None


def _scores(folder: Path, result: dict[str, Any]) -> list[dict[str, Any]]:
    """Scores that were added later, the last one of each scorer, judge and number of passes."""
    wanted = json.dumps(result["trial"]).encode()
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    path = folder / "scores.jsonl"
    if not path.exists():
        return []
    with path.open("rb") as file:
        for line in file:
            if wanted not in line or not line.endswith(b"\n"):
                continue
            record = json.loads(line)
            if record["trial"] == result["trial"] and record["attempt"] == result["attempt"]:
                found[record["scorer"], record["judge"], record["passes"]] = record
    return list(found.values())


def as_json(value: Any) -> str:
    """JSON that every browser reads: ASCII only, and null for NaN and infinities."""
    try:
        return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=str)
    except ValueError:
        return json.dumps(
            _finite(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=str
        )


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
