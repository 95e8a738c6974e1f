"""A run whose disk is full stops and says so; once there is room it goes on, and no reply that was kept is asked for again.

Real processes; "full" is a limit of the size of files, which everybody may set, and a small file system, where the tests may
mount one.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define

sys.path.insert(0, str(Path(__file__).parent))
from steps.command import Ended, Process, environment, gra_bench, lines, others
from steps.server import MODEL, StepServer

TRIALS, CALLS = 8, 3
LOGS = ("events.jsonl", "results.jsonl", "queries.jsonl")


@pytest.fixture(scope="module")
def one_server() -> Iterator[StepServer]:
    with StepServer() as server:
        yield server


@define
class Disk:
    """A run on a disk that gets full. `room` is called in the process before it starts."""

    server: StepServer
    scratch: Path
    folder: Path

    def run(self, room: Callable[[], None] | None = None, *more: str) -> Ended:
        command = f"run -b steps -c steps -m {MODEL} --limit {TRIALS} --concurrency 3 --resume --json".split()
        env = environment(self.scratch, self.server.url)
        return Process([*command, "--run-dir", str(self.folder), *more, *others()], env, self.scratch, room).wait()  # fmt: skip

    def check_stopped(self, end: Ended, *reasons: str) -> None:
        """A message with file, reason and what to do; whole lines only; readable."""
        assert end.code == 1, end.err
        assert "Traceback" not in end.err, end.err
        assert str(self.folder) in end.err and "--resume" in end.err, end.err
        assert any(reason in end.err for reason in reasons), end.err
        for name in LOGS:
            path = self.folder / name
            assert not path.exists() or path.read_bytes()[-1:] in (b"", b"\n"), name
            lines(path)
        assert not list(self.folder.rglob(".new-*"))
        read = gra_bench("report", str(self.folder), "--format", "json")
        assert read.code == (0 if (self.folder / "manifest.json").exists() else 2), read.err

    def check_goes_on(self) -> None:
        """There is room again: the run comes to its end, and each reply on record was paid for once."""
        kept = {record["trial"]: record for record in lines(self.folder / "results.jsonl")}
        recorded = self.recorded()
        before = len(self.server.asked)
        end = self.run()
        assert end.code == 0, end.err
        again = {(a.number, a.step) for a in self.server.asked[before:]}
        assert not again & {(a.number, a.step) for a in recorded}
        now = {record["trial"]: record for record in lines(self.folder / "results.jsonl")}
        assert len(now) == len(lines(self.folder / "results.jsonl")) == TRIALS
        assert {trial: now[trial] for trial in kept} == kept
        assert {r["score"] for r in now.values()} == {1.0}
        counts = Counter((a.number, a.step) for a in self.recorded())
        assert counts == Counter({(n, s): 1 for n in range(1, TRIALS + 1) for s in range(CALLS)})
        (row,), rest = end.document["results"], end.document["unfinished"]
        usages = [a.usage for a in self.recorded()]
        assert row["usage"]["input"] + rest["usage"]["input"] == sum(prompt for prompt, _ in usages)
        assert row["usage"]["output"] + rest["usage"]["output"] == sum(output for _, output in usages)

    def recorded(self) -> list[Any]:
        """What was asked and has a reply on record that it was paid for."""
        asked = {a.reply: a for a in self.server.asked}
        events = [e["data"] for e in lines(self.folder / "events.jsonl") if e["kind"] == "model_replied"]
        return [asked[data["model_version"]] for data in events if "paid_by" not in data]


@pytest.fixture
def disk(one_server: StepServer, tmp_path: Path) -> Disk:
    one_server.forget()
    return Disk(one_server, tmp_path, tmp_path / "run")


@pytest.fixture(scope="module")
def sizes(one_server: StepServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """The sizes of the files of the same run where there is room."""
    scratch = tmp_path_factory.mktemp("room")
    one_server.forget()
    whole = Disk(one_server, scratch, scratch / "run")
    assert whole.run().code == 0
    return {path.name: path.stat().st_size for path in whole.folder.iterdir() if path.is_file()}


def at_most(size: int) -> Callable[[], None]:
    """No file may become larger; writing more is an error (Python ignores the signal that comes first)."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.4, 0.95])
def test_the_event_log_is_full(disk: Disk, sizes: dict[str, int], share: float) -> None:
    disk.check_stopped(disk.run(at_most(int(sizes["events.jsonl"] * share))), "File too large")
    assert lines(disk.folder / "events.jsonl")
    disk.check_goes_on()


@pytest.mark.slow
def test_there_is_no_room_for_the_manifest(disk: Disk, sizes: dict[str, int]) -> None:
    end = disk.run(at_most(sizes["manifest.json"] // 2))
    disk.check_stopped(end, "File too large")
    assert "manifest.json" in end.err and not disk.server.asked
    disk.check_goes_on()


@pytest.mark.slow
def test_there_is_no_room_for_a_dataset(disk: Disk) -> None:
    """The run stops: the model is not told of it, since it is no fault of the agent."""
    large = 400_000
    disk.server.play = lambda number, step: [("keep", {"size": large}), ("walk", {"to": 2}), f"{number} is there"][step]  # fmt: skip
    end = disk.run(at_most(large // 2))
    disk.check_stopped(end, "File too large")
    assert "workspaces" in end.err
    outputs = [e["data"]["output"] for e in lines(disk.folder / "events.jsonl") if e["kind"] == "tool_returned"]  # fmt: skip
    assert not outputs and not lines(disk.folder / "results.jsonl")
    disk.check_goes_on()


@pytest.fixture
def small_disk(disk: Disk) -> Iterator[Callable[[str], Disk]]:
    """The run's folder on a file system with so much room (options of tmpfs); called again it changes it."""
    folder = disk.scratch / "small"
    folder.mkdir()
    disk.folder = folder / "run"
    mounted = False

    def sized(room: str) -> Disk:
        nonlocal mounted
        options = f"remount,{room}" if mounted else room
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False)  # fmt: skip
        if done.returncode:
            pytest.skip("may not mount a file system here")
        mounted = True
        return disk

    yield sized
    if mounted:
        subprocess.run(["umount", str(folder)], check=True)


ENOUGH = "size=32m,nr_inodes=10000"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("room", "strikes"),
    [
        ("size=8m,nr_inodes=1", "run"),
        ("size=8m,nr_inodes=3", "manifest.json"),
        ("size=8m,nr_inodes=6", "queries.jsonl"),
        ("size=8m,nr_inodes=12", "workspaces"),
        ("size=4k", "queries.jsonl"),
        ("size=12k", "events.jsonl"),
        ("size=104k", ""),
    ],
)
def test_a_file_system_is_full(small_disk: Callable[[str], Disk], room: str, strikes: str) -> None:
    """Of files or of bytes, wherever it strikes: while the run is made, the logs, the datasets, the index."""
    disk = small_disk(room)
    end = disk.run()
    disk.check_stopped(end, "No space left")
    assert strikes in end.err, end.err
    small_disk(ENOUGH).check_goes_on()


@pytest.mark.slow
def test_a_disk_that_a_dataset_fills(small_disk: Callable[[str], Disk]) -> None:
    disk = small_disk("size=320k")
    disk.server.play = lambda number, step: [("keep", {"size": 400_000}), ("walk", {"to": 2}), f"{number} is there"][step]  # fmt: skip
    end = disk.run()
    disk.check_stopped(end, "No space left")
    assert "workspaces" in end.err and not lines(disk.folder / "results.jsonl")
    disk.check_stopped(disk.run(), "No space left")  # nothing has changed
    small_disk(ENOUGH).check_goes_on()
