"""The viewer on a synthetic run of 10,000 trials: time to the summary (goal: under 0.3 s) and to first paint (under 2 s).

`--trials N` for another size, `--padding N` for more text in each event. The browser is left out when there is none.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gra_bench.index import FILE, RunIndex
from gra_bench.store import read_results
from gra_bench.viewer.documents import Documents
from gra_bench.viewer.server import ViewerServer

ROUNDS = 5
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--window-size=1300,950",
)  # fmt: skip


def synthetic() -> Any:
    """The writer of synthetic runs that the tests use."""
    path = Path(__file__).parents[1] / "gra_bench" / "tests" / "synthetic_run.py"
    spec = importlib.util.spec_from_file_location("synthetic_run", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seconds(action: Callable[[], Any]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def fresh(run: Path) -> None:
    (run / FILE).unlink(missing_ok=True)


def tell(name: str, rounds: list[float], goal: str = "") -> None:
    print(f"{name:44} median {statistics.median(rounds):7.3f} s   best {min(rounds):7.3f} s   {goal}")


def measure_reading(run: Path) -> None:
    results = list(read_results(run).values())
    trial = results[len(results) // 2]
    cold, warm, first, later, everything = [], [], [], [], []
    for _ in range(ROUNDS):
        fresh(run)
        cold.append(seconds(lambda: RunIndex(run).summary()))
        warm.append(seconds(lambda: RunIndex(run).summary()))
        index = RunIndex(run)
        first.append(seconds(lambda index=index: index.events(trial["trial"], trial["attempt"])))
        later.append(seconds(lambda: RunIndex(run).events(trial["trial"], trial["attempt"])))
        everything.append(seconds(lambda: read_results(run)))
    tell("summary, index there (a run leaves it)", warm, "goal: under 0.3 s")
    tell("summary, index made now", cold)
    tell("one trial's events, index there", later)
    tell("one trial's events, index made now", first)
    tell("for comparison: reading all results", everything)


def measure_browser(run: Path) -> None:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None or importlib.util.find_spec("selenium") is None:
        print("first paint: not measured, needs chromium, chromedriver and selenium")
        return
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    server = ViewerServer(Documents([run]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    paints, tables, lists = [], [], []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        browser = webdriver.Chrome(options=options, service=Service(driver))
        for _ in range(ROUNDS):
            browser.get("about:blank")
            browser.get(server.url)
            marks = wait(browser, "gra-breakdown")
            paints.append(marks["first-contentful-paint"] / 1000)
            tables.append(marks["gra-shown"] / 1000)
            lists.append(marks["gra-breakdown"] / 1000)
        browser.quit()
    server.shutdown()
    tell("first contentful paint", paints, "goal: under 2 s")
    tell("results table and chart shown", tables, "goal: under 2 s")
    tell("all trials at hand (breakdown shown)", lists)


def wait(browser: Any, name: str) -> dict[str, float]:
    script = "return Object.fromEntries(performance.getEntries().filter((e) => ['mark', 'paint'].includes(e.entryType)).map((e) => [e.name, e.startTime]))"
    for _ in range(600):
        if name in (marks := browser.execute_script(script)):
            return marks
        time.sleep(0.05)
    raise SystemExit(f"the page never came to {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--padding", type=int, default=2000)
    given = parser.parse_args(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        run = synthetic().write_run(
            Path(folder) / "run", trials=given.trials, events=14, padding=given.padding
        )
        sizes = {name: (run / f"{name}.jsonl").stat().st_size / 1e6 for name in ("results", "events")}
        print(f"{given.trials} trials; results {sizes['results']:.0f} MB, events {sizes['events']:.0f} MB")
        measure_reading(run)
        measure_browser(run)


if __name__ == "__main__":
    main()
