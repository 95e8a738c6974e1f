"""Runs model-written code in a sandbox: inputs in, report and outputs back."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from pathlib import Path
from typing import Any

from attrs import frozen

from gra_core import Dataset, SandboxJob, SandboxOutcome, ToolContext, ToolError, ToolResult, pick_sandbox
from gra_skill_scratch_datasets import collection, safely, settings
from gra_skill_scratch_datasets.sandboxes.layout import GUEST

PROGRAM = "import sys; sys.path.insert(0, {guest!r}); from scratch.running import main; main({folder!r})"
MAX_CODE, MAX_REPORT, MAX_PRINTED_WITH_ERROR = 200_000, 1 << 20, 1500
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,79}")


@frozen(kw_only=True)
class Run:
    """One request: the code, its inputs by name, the outputs that it must save."""

    code: str
    inputs: dict[str, Dataset]
    outputs: tuple[str, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of the code, part of the lineage of what it saves."""
        return hashlib.sha256(self.code.encode()).hexdigest()


def run_code(
    ctx: ToolContext,
    code: str,
    inputs: dict[str, str] | list[str] | None,
    outputs: list[str] | None,
    timeout_s: float,
) -> ToolResult:
    """Run code in the sandbox that the settings name, or the best that works; see the tool `run_python`."""
    if not code.strip() or len(code) > MAX_CODE:
        raise ToolError("bad_argument", f"code has {len(code)} characters; expected 1 to {MAX_CODE}")
    run = Run(code=code, inputs=named_inputs(ctx, inputs), outputs=tuple(outputs or ()))
    sandbox = pick_sandbox(settings.sandboxes(ctx), str(ctx.settings.get("sandbox") or ""))
    limits, notes = settings.limits(ctx, timeout_s)
    place = Path(tempfile.mkdtemp(prefix=".sandbox-", dir=ctx.workspace.root.resolve()))
    try:
        folder = prepare(place, run)
        job = SandboxJob(
            code=PROGRAM.format(guest=str(GUEST), folder=str(folder)), folder=folder, limits=limits,
            inputs=(GUEST, *(d.path.resolve() for d in run.inputs.values())),
        )  # fmt: skip
        outcome = sandbox.open().run(job)
        report = read_report(folder)
        content = answer(run, outcome, report)
        found = collection.collect(folder, place / "collected", limits.disk_bytes)
        missing = [name for name in run.outputs if name not in {o.name for o in found}]
        if missing:
            raise ToolError(
                "bad_argument", f"the code ended without saving {', '.join(missing)}{printed(outcome)}",
                hint='save each output with save_dataset("name", obj)',
            )  # fmt: skip
        replies = [collection.store(ctx, output, run.digest) for output in found]
    finally:
        safely.remove(place)
    if not sandbox.isolating:
        notes.append("this code ran without protection, as the user asked")
    content |= {"seconds": round(outcome.seconds, 2), "sandbox": sandbox.name, "code_sha256": run.digest[:16]}
    return ToolResult.ok(content, datasets=replies, notes=notes + notes_of(outcome, report))


def named_inputs(ctx: ToolContext, inputs: dict[str, str] | list[str] | None) -> dict[str, Dataset]:
    """Inputs by the name they are loaded by; a list names each by the last part of its reference."""
    pairs = (
        [(ref.removeprefix("ds://"), ref) for ref in inputs]
        if isinstance(inputs, list)
        else (inputs or {}).items()
    )
    found = {name: ctx.dataset(ref) for name, ref in pairs}
    for name in found:
        if not NAME.fullmatch(name):
            raise ToolError(
                "bad_argument", f"input name {name!r}", hint="expected letters, digits, _ and -, at most 80"
            )
    return found


def prepare(place: Path, run: Run) -> Path:
    """The run's own folder, with the request in it."""
    folder = place / "run"
    (folder / "outputs").mkdir(parents=True)
    inputs = {
        name: {"ref": d.ref, "path": str(d.path.resolve()), "format": d.manifest.format}
        for name, d in run.inputs.items()
    }
    (folder / "request.json").write_text(json.dumps({"code": run.code, "inputs": inputs}), encoding="utf-8")
    return folder


def read_report(folder: Path) -> dict[str, Any]:
    """What the runner reports; an empty report when the code ended the process or spoiled the file."""
    try:
        with safely.opened(folder, "report.json", MAX_REPORT) as file:
            report = safely.parsed(file.read())
    except (OSError, ValueError, RecursionError):
        return {}
    return report if isinstance(report, dict) and report.get("status") in ("ok", "exit", "exception") else {}


def answer(run: Run, outcome: SandboxOutcome, report: dict[str, Any]) -> dict[str, Any]:
    """The content of a good run; `ToolError` of the fitting kind for any other."""
    if outcome.end == "timeout":
        raise ToolError(
            "timeout",
            f"the code was {outcome.error}{printed(outcome)}",
            hint="do less, or give a longer timeout_s",
        )
    limit = outcome.end if outcome.end in ("memory", "processes", "disk") else report.get("limit")
    if limit:
        raise ToolError("quota", over(str(limit), outcome, report), hint=ADVICE.get(str(limit), ""))
    if report.get("status") == "exception":
        text = str(report.get("traceback", ""))[:4000]
        raise ToolError("bad_argument", f"the code failed.\n{text}{printed(outcome)}", hint=advice(report))
    if report.get("status") == "exit" and report.get("code"):
        raise ToolError(
            "bad_argument",
            f"the code left with sys.exit({report['code']}){printed(outcome)}",
            hint="let it run to its end",
        )
    if not report:
        cause = outcome.error or "the process ended before the code did (os._exit?)"
        raise ToolError(
            "bad_argument", f"the code did not run to its end: {cause}{printed(outcome)}", hint=CRASH
        )
    content: dict[str, Any] = {"printed": outcome.output}
    return content | {key: report[key] for key in ("value", "value_text") if key in report}


ADVICE = {
    "memory": "work in parts, read fewer columns, drop what is not needed",
    "processes": "use threads, or vectorised numpy, pandas and shapely",
    "disk": "write less; save results with save_dataset only",
}
CRASH = "a crash of native code or a signal: try smaller data or another way"


def over(limit: str, outcome: SandboxOutcome, report: dict[str, Any]) -> str:
    """Which limit struck, where in the code when that is known, and what was printed."""
    detail = outcome.error if outcome.end == limit else str(report.get("traceback", ""))[:4000]
    return f"the code exceeded its limit of {limit}.\n{detail}{printed(outcome)}"


def advice(report: dict[str, Any]) -> str:
    if report.get("type") in ("PermissionError", "gaierror", "ConnectionError"):
        return (
            "there is no network and no file but the inputs and the working folder; get data with other tools"
        )
    if report.get("type") in ("ModuleNotFoundError", "ImportError"):
        return "only installed packages: numpy, pandas, geopandas, shapely, pyproj, scipy, rasterio, xarray; nothing can be installed"
    return "mend the code and run it again"


def printed(outcome: SandboxOutcome) -> str:
    """The end of what was printed, for a message."""
    text = outcome.output.strip()
    return f"\nPrinted: {text[-MAX_PRINTED_WITH_ERROR:]}" if text else ""


def notes_of(outcome: SandboxOutcome, report: dict[str, Any]) -> list[str]:
    notes = ["the output was cut in the middle; print less"] if outcome.cut else []
    if report.get("status") == "exit":
        notes.append("the code left early with sys.exit")
    return notes
