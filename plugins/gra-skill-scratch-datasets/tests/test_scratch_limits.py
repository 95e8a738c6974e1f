"""Limits of a run: time, memory, processes, disk, output. The agent lives on and no process is left."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from gra_core import SandboxJob, SandboxLimits, ToolError, pick_sandbox
from gra_skill_scratch_datasets import safely
from gra_skill_scratch_datasets.sandboxes.output import Capture

BACKENDS = "gra_skill_scratch_datasets.sandboxes.backends"


def test_endless_loop_ends_at_the_timeout(isolating, run):
    started = time.monotonic()
    outcome = run(isolating, "print('begun', flush=True)\nwhile True: pass", timeout_s=1.0)
    assert outcome.end == "timeout"
    assert outcome.output == "begun\n"
    assert time.monotonic() - started < 15.0


def test_allocation_without_end_is_a_memory_error_first(isolating, run):
    code = "blocks = []\ntry:\n    while True: blocks.append(bytearray(20 << 20))\nexcept MemoryError:\n    n = len(blocks); blocks.clear(); print(n)"
    outcome = run(isolating, code, memory_bytes=300 << 20)
    assert outcome.end == "ok", outcome
    assert 5 <= int(outcome.output) <= 15


def test_shared_memory_counts_too(isolating, run):
    code = "import mmap\nkept = []\nwhile True:\n    m = mmap.mmap(-1, 20 << 20); m.write(bytes(20 << 20)); kept.append(m)"
    outcome = run(isolating, code, memory_bytes=300 << 20, timeout_s=60.0)
    assert outcome.end == "memory"
    assert outcome.peak_memory_bytes > 300 << 20


def test_memory_of_all_processes_counts_together(any_isolating, run):
    if any_isolating.name != "sandlock":
        pytest.skip("only sandlock lets new processes be made")
    code = "import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        b = bytearray(os.urandom(1)) * (120 << 20); time.sleep(60)\ntime.sleep(60)"
    outcome = run(any_isolating, code, memory_bytes=300 << 20, timeout_s=60.0)
    assert outcome.end == "memory"


def test_fork_bomb_is_stopped_and_cleaned_up(isolating, run):
    outcome = run(
        isolating,
        "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
        timeout_s=2.0,
        processes=8,
    )
    assert outcome.end in ("timeout", "processes")
    assert outcome.peak_processes <= 8


def test_daemons_do_not_survive(isolating, run, tmp_path):
    code = "import os, time\ntry:\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0:\n            time.sleep(300)\nexcept BlockingIOError:\n    pass\nprint('gone', flush=True); os._exit(0)"
    outcome = run(isolating, code)
    assert outcome.end == "ok"
    assert "gone" in outcome.output


@pytest.mark.parametrize(
    "code",
    [
        "with open('big', 'wb') as f:\n    while True: f.write(bytes(1 << 20))",
        "n = 0\nwhile True:\n    n += 1\n    open(f'f{n}', 'wb').write(bytes(1 << 20))",
        "import os\nfor n in range(60):\n    f = open(f'f{n}', 'wb'); os.unlink(f'f{n}'); globals()[f'k{n}'] = f; f.write(bytes(1 << 20)); f.flush()\nimport time; time.sleep(30)",
        "import os\nfor n in range(60):\n    fd = os.memfd_create('m'); os.write(fd, bytes(1 << 20))\nimport time; time.sleep(30)",
    ],
    ids=["one file", "many files", "unlinked files", "memory files"],
)
def test_disk_is_bounded(isolating, run, code):
    assert run(isolating, code, disk_bytes=30 << 20).end == "disk"


def test_deep_and_unreadable_folders_do_not_blind_the_watch(isolating, run, tmp_path):
    code = "import os\nfor _ in range(3000):\n    os.mkdir('d'); os.chdir('d')\nopen('f', 'wb').write(bytes(1 << 20))\nimport time; time.sleep(30)"
    try:
        assert run(isolating, code, disk_bytes=64 << 20).end == "disk"
    finally:
        safely.remove(tmp_path / "run")


def test_huge_output_is_cut_in_the_middle(isolating, run):
    outcome = run(isolating, "print('start'); print('x' * 3_000_000); print('end')", output_bytes=2000)
    assert outcome.end == "ok"
    assert outcome.cut
    assert outcome.output.startswith("start\n")
    assert outcome.output.endswith("end\n")
    assert "bytes left out" in outcome.output
    assert len(outcome.output) < 2200


@pytest.mark.parametrize(
    ("code", "end", "word"),
    [
        ("import sys; sys.exit(3)", "exception", "exit code 3"),
        ("1 / 0", "exception", "exit code 1"),
        ("import ctypes; ctypes.string_at(0)", "killed", "SIGSEGV"),
        ("import os; os.abort()", "killed", "SIGABRT"),
        ("import os; os.kill(os.getpid(), 15)", "killed", "SIGTERM"),
        ("import os; os._exit(0)", "ok", ""),
    ],
)
def test_how_a_process_ends_is_told(isolating, run, code, end, word):
    outcome = run(isolating, code)
    assert outcome.end == end, outcome
    assert word in outcome.error


def test_a_dying_agent_leaves_no_worker(any_isolating, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    program = textwrap.dedent(f"""
        import sys
        from pathlib import Path
        from gra_core import SandboxJob, SandboxLimits
        from {BACKENDS} import {any_isolating.name} as make
        make().run(SandboxJob(code="print('up', flush=True)\\nopen('up', 'w')\\nwhile True: pass", folder=Path({str(folder)!r}), limits=SandboxLimits(timeout_s=300)))
    """)
    agent = subprocess.Popen([sys.executable, "-c", program])
    wait_for(lambda: (folder / "up").exists())
    agent.kill()
    agent.wait()
    wait_for(lambda: not processes_of(folder))


def wait_for(condition, within_s=60.0):
    ends = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.05)


def processes_of(folder: Path) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            text = (entry / "cmdline").read_bytes().decode()
        except OSError:
            continue
        if str(folder) in text:
            found.append(text)
    return found


def test_unprotected_runs_keep_limits_and_survive_an_attack_on_the_launcher(tmp_path):
    from gra_skill_scratch_datasets.plugin import gra_sandboxes

    none = next(s for s in gra_sandboxes() if s.name == "none")
    assert not none.isolating
    job = SandboxJob(
        code="import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nwhile True: pass",
        folder=tmp_path,
        limits=SandboxLimits(timeout_s=30.0),
    )
    outcome = none.open().run(job)
    assert outcome.end == "killed"
    wait_for(lambda: not processes_of(tmp_path), 10.0)
    slow = SandboxJob(
        code="import time; time.sleep(60)", folder=tmp_path, limits=SandboxLimits(timeout_s=0.5)
    )
    assert none.open().run(slow).end == "timeout"


def test_nothing_unprotected_is_picked_when_nothing_works(monkeypatch):
    from gra_skill_scratch_datasets.plugin import gra_sandboxes
    from gra_skill_scratch_datasets.sandboxes import backends

    monkeypatch.setattr(backends, "probe_sandlock", lambda: "no Landlock in this kernel")
    monkeypatch.setattr(backends, "probe_bubblewrap", lambda: "no bwrap")
    known = {s.name: s for s in gra_sandboxes()}
    with pytest.raises(ToolError) as caught:
        pick_sandbox(known)
    assert caught.value.kind == "not_available"
    assert "no Landlock in this kernel" in caught.value.message
    assert "no bwrap" in caught.value.message
    with pytest.raises(ToolError, match="no Landlock"):
        pick_sandbox(known, "sandlock")
    assert pick_sandbox(known, "none").name == "none"
    with pytest.raises(ToolError, match="no plugin provides sandbox 'docker'"):
        pick_sandbox(known, "docker")
    monkeypatch.setattr(backends, "probe_bubblewrap", lambda: "")
    assert pick_sandbox(known).name == "bubblewrap"


def test_probes_say_why(monkeypatch):
    from gra_skill_scratch_datasets.sandboxes import backends

    monkeypatch.setattr(backends.sys, "platform", "darwin")
    assert "needs Linux" in backends.probe_sandlock.__wrapped__()
    assert "needs Linux" in backends.probe_bubblewrap.__wrapped__()
    monkeypatch.undo()
    monkeypatch.setattr(backends.seal, "supported", lambda: False)
    assert "no system call filter" in backends.probe_bubblewrap.__wrapped__()
    monkeypatch.undo()
    monkeypatch.setattr(backends, "_bwrap", lambda: None)
    assert "bwrap is not installed" in backends.probe_bubblewrap.__wrapped__()


@pytest.mark.parametrize("chunks", [[b"abc"], [b"a" * 10, b"b" * 10, b"c" * 10], [b"x" * 100_000]])
@pytest.mark.parametrize("limit", [4, 9, 30, 200])
def test_capture_keeps_both_ends(chunks, limit):
    import os

    whole = b"".join(chunks)
    read, write = os.pipe()
    capture = Capture(os.fdopen(read, "rb"), limit)
    with os.fdopen(write, "wb", buffering=0) as pipe:
        for chunk in chunks:
            pipe.write(chunk)
    text, cut = capture.finish()
    assert cut == (len(whole) > limit)
    if not cut:
        assert text.encode() == whole
    else:
        head, _, rest = text.partition("\n…")
        tail = rest.partition("…\n")[2]
        assert whole.startswith(head.encode())
        assert whole.endswith(tail.encode())
        assert len(head) + len(tail) == limit
        assert f" {len(whole) - limit} bytes left out" in rest
