"""Tables and progress on a terminal."""

from __future__ import annotations

import datetime as dt
import json
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

MIN_WIDTH, PIPED_WIDTH = 100, 160

COLUMNS = (
    "Benchmark",
    "Scorer",
    "Configuration",
    "Model",
    "Trials",
    "Score",
    "95 % interval",
    "Cost (USD)",
    "Judge cost (USD)",
    "Model calls",
    "Tool calls",
    "Tools used",
    "Not answered",
)
# Only shown when some row has a judge, and only when none has.
JUDGED, UNJUDGED = ("Scorer", "Judge cost (USD)"), ("Tools used",)


def percent(row: dict[str, Any]) -> str:
    """Mean ± standard deviation over repeats on the 0–100 scale."""
    if row["mean"] is None:
        return "unscored"
    text = f"{100 * row['mean']:.1f}"
    return text + (f" ± {100 * row['std']:.1f}" if row["std"] is not None else "")


def bounds(row: dict[str, Any]) -> str:
    """The 95 % interval of the mean on the 0–100 scale: 1.96 standard errors to both sides, queries of one template
    taken as dependent; none below two templates."""
    if row["mean"] is None or row["stderr"] is None:
        return "–"
    low, high = (min(1.0, max(0.0, row["mean"] + sign * 1.96 * row["stderr"])) for sign in (-1, 1))
    return f"{100 * low:.1f} to {100 * high:.1f}"


def dollars(value: float | None) -> str:
    """Cost with enough digits to see small ones; unknown prices are said to be so."""
    if value is None:
        return "price unknown"
    return f"{value:.2f}" if value >= 1 or value == 0 else f"{value:.4f}"


def columns(rows: list[dict[str, Any]]) -> list[str]:
    """The columns that say something about these rows."""
    hidden = UNJUDGED if any(row["judge"] for row in rows) else JUDGED
    return [name for name in COLUMNS if name not in hidden]


def scorer(row: dict[str, Any]) -> str:
    """The scorer and who judged."""
    judge = f", {row['judge']} × {row['judge_passes']}" if row["judge"] else ""
    return f"{row['scorer'] or 'none'}{judge}"


def cells(row: dict[str, Any], shown: list[str]) -> list[str]:
    """A summary row as text, in the order of the columns shown."""
    used = list(row["tools"].items())
    used_tools = ", ".join(f"{name} {count}" for name, count in used[:4]) + (
        f", +{len(used) - 4} more" if len(used) > 4 else ""
    )
    misses = [
        f"{row[k]} {label}"
        for k, label in (
            ("abstained", "abstained"),
            ("limit", "at a limit"),
            ("failed", "failed"),
            ("pending", "not judged yet"),
        )
        if row[k]
    ]
    if row["unscored"] > row["pending"]:
        misses.append(f"{row['unscored'] - row['pending']} unscored")
    texts = [
        row["benchmark"], scorer(row), row["configuration"], row["model"], str(row["n"]), percent(row), bounds(row),
        dollars(row["cost_usd"]),
        dollars(row["judge_cost_usd"]), str(row["model_calls"]), str(row["tool_calls"]), used_tools or "none",
        ", ".join(misses) or "0",
    ]  # fmt: skip
    return [text for name, text in zip(COLUMNS, texts, strict=True) if name in shown]


def print_summary(rows: list[dict[str, Any]]) -> None:
    """The summary table on stdout, as wide as the terminal allows."""
    from rich import box
    from rich.table import Table

    shown = columns(rows)
    table = Table(box=box.SIMPLE)
    for name in shown:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*cells(row, shown))
    console().print(table)


def print_unfinished(unfinished: dict[str, Any]) -> None:
    """A line on what attempts that were cut off have cost, when there are any."""
    if text := unfinished_line(unfinished):
        console().print(text, highlight=False)


def unfinished_line(unfinished: dict[str, Any]) -> str:
    """What the table's costs leave out, in words; empty when there is nothing."""
    if not unfinished["attempts"]:
        return ""
    cost, unanswered = unfinished["cost_usd"], unfinished["unanswered"]
    parts = [
        f"Beside the trials above, {unfinished['attempts']} attempts were cut off: {unfinished['model_calls']} model calls of theirs "
        f"are used by no trial and have cost {'an unknown amount' if cost is None else f'{cost:.6f} USD'}"
    ]
    if unanswered["model_calls"]:
        parts.append(
            f"{unanswered['model_calls']} calls were on their way then: whether they were billed is not known"
        )
    return "; ".join(parts) + "."


def markdown(rows: list[dict[str, Any]]) -> str:
    """The summary as a Markdown table."""
    shown = columns(rows)
    lines = ["| " + " | ".join(shown) + " |", "|" + "---|" * len(shown)]
    lines += ["| " + " | ".join(c.replace("|", "\\|") for c in cells(row, shown)) + " |" for row in rows]
    return "\n".join(lines)


def markdown_rows(rows: list[dict[str, Any]], names: list[str]) -> str:
    """Any rows as a Markdown table."""
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(cell(row.get(n)).replace("|", "\\|") for n in names) + " |" for row in rows]
    return "\n".join(lines)


def detail_rows(table: dict[str, Any], *, published: bool = False) -> list[dict[str, Any]]:
    """A table's rows with numbers as text: one digit, ± the spread where there is one, four digits for dollars."""
    rows = table["published" if published else "rows"]
    names = table["published_columns" if published else "columns"]
    spread = table["published_spread" if published else "spread"]
    shown = []
    for number, row in enumerate(rows):
        spreads = spread[number] if number < len(spread) else {}
        cells = {n: _number(row.get(n), spreads.get(n), table["unit"]) for n in names}
        shown.append({"label": row["label"], "n": str(row.get("n", "")), **cells})
    return shown


def comparison_rows(comparisons: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Paired comparisons with their numbers as text."""
    return [{k: f"{v:.1f}" if isinstance(v, float) else v for k, v in c.items()} for c in comparisons]


def print_comparisons(comparisons: list[dict[str, Any]], title: str) -> None:
    """Paired comparisons under a title; nothing when there are none."""
    if comparisons:
        console().print(f"\n{title} (second less first)")
        print_rows(comparison_rows(comparisons), list(comparisons[0]))


def _number(value: float | None, spread: float | None, unit: str) -> str:
    if value is None:
        return "–"
    if unit == "USD":
        return f"{value:.4f}"
    return f"{value:.1f}" + (f" ± {spread:.1f}" if spread is not None else "")


class ProgressLines:
    """For logs: a line on stderr now and then, at most one in `every_s` seconds."""

    def __init__(self, progress: Any, every_s: float = 300.0) -> None:
        self._progress, self._every_s = progress, every_s
        self._last = time.monotonic()
        self._cost = 0.0

    def __enter__(self) -> ProgressLines:
        self._progress.tell = self._tell
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def _tell(self, result: dict[str, Any]) -> None:
        self._cost += float(result["outcome"]["cost_usd"] or 0)
        if time.monotonic() - self._last < self._every_s:
            return
        self._last = time.monotonic()
        p, now = self._progress, dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        text = f"{now} {p.finished} of {p.total} trials, {p.failed} failed, {self._cost:.2f} USD since this command began"
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


class ProgressBar:
    """A live line on stderr: trials done, failed, last score and cost so far."""

    def __init__(self, progress: Any) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._progress = progress
        self._bar = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._cost = 0.0

    def __enter__(self) -> ProgressBar:
        self._bar.start()
        task = self._bar.add_task("", total=self._progress.total, completed=self._progress.finished)

        def tell(result: dict[str, Any]) -> None:
            self._cost += float(result["outcome"]["cost_usd"] or 0)
            score = "unscored" if result["score"] is None else f"{100 * result['score']:.0f}"
            text = f"{result['configuration']} {result['query']}: {score}; ${self._cost:.2f}; {self._progress.failed} failed"
            self._bar.update(task, completed=self._progress.finished, description=text)

        self._progress.tell = tell
        return self

    def __exit__(self, *exc: object) -> None:
        self._bar.stop()


class ScoreCount:
    """A live line on stderr: scores made and the last one."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.status import Status

        self._status = Status("Scoring", console=Console(stderr=True))
        self._count = 0

    def __enter__(self) -> Callable[[dict[str, Any]], None]:
        self._status.start()
        return self._tell

    def _tell(self, record: dict[str, Any]) -> None:
        self._count += 1
        value = "unscored" if record["score"] is None else f"{100 * record['score']:.0f}"
        self._status.update(f"{record['scorer']}: {self._count} scored; {record['query']}: {value}")

    def __exit__(self, *exc: object) -> None:
        self._status.stop()


def print_rows(rows: list[dict[str, Any]], columns: list[str]) -> None:
    """Plain rows under headings."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE)
    for column in columns:
        table.add_column(column.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*(cell(row.get(c)) for c in columns))
    console().print(table)


def cell(value: Any) -> str:
    """A value as a table shows it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return "; ".join(map(cell, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def console() -> Console:
    """Stdout as wide as the terminal; text is shown as it is, never read as markup."""
    from rich.console import Console

    found = Console()
    width = found.width if found.is_terminal else PIPED_WIDTH
    return Console(width=max(MIN_WIDTH, width), markup=False, highlight=False)
