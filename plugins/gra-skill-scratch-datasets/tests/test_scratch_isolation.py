"""What confined code must not reach, in every isolating sandbox: files, network, environment, other processes."""

from __future__ import annotations

import os
import resource
import socket
import threading
from pathlib import Path

import pytest

# Runs an action and prints what came of it, so that one run can try many things.
TRY = """
import os, socket, resource, ctypes
def attempt(name, action):
    try:
        print(name, "DONE", repr(action())[:80])
    except BaseException as error:
        print(name, "refused", type(error).__name__)
"""


def verdicts(output: str) -> dict[str, str]:
    return {line.split()[0]: line.split()[1] for line in output.splitlines() if len(line.split()) > 1}


def test_files_outside_cannot_be_read(isolating, run, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("top secret")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "link").symlink_to(secret)
    places = [
        str(secret),
        "/etc/passwd",
        "/etc/shadow",
        "/proc/1/environ",
        f"/proc/{os.getpid()}/environ",
        "/var/log",
    ]
    code = TRY + "attempt('link', lambda: open('link').read())\n"
    for number, place in enumerate(places):
        code += f"attempt('file{number}', lambda: open({place!r}).read())\n"
        code += f"attempt('folder{number}', lambda: os.listdir({place!r}))\n"
    outcome = run(isolating, code)
    assert outcome.end == "ok", outcome
    assert set(verdicts(outcome.output).values()) == {"refused"}, outcome.output
    assert "top secret" not in outcome.output


def test_home_is_private_and_its_contents_are_not_visible(isolating, run):
    home = str(Path.home())
    code = f"""
import os
print("HOME", os.path.expanduser("~"))
try:
    print("SEES", sorted(os.listdir({home!r})))
except OSError as error:
    print("SEES", [])
"""
    output = run(isolating, code).output
    assert f"HOME {home}\n" not in output
    # Python itself may be installed below the home folder; nothing else of it may show.
    seen = set(eval(output.partition("SEES ")[2]))
    python = (
        {Path(os.path.realpath(os.sys.executable)).relative_to(home).parts[0]}
        if os.path.realpath(os.sys.executable).startswith(home + "/")
        else set()
    )
    venv = {Path(os.sys.prefix).relative_to(home).parts[0]} if os.sys.prefix.startswith(home + "/") else set()
    assert seen <= python | venv


def test_environment_of_the_agent_is_not_passed_on(isolating, run, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "key-of-the-user")
    outcome = run(isolating, "import os\nfor k, v in os.environ.items(): print(k, v)")
    assert outcome.end == "ok"
    assert "key-of-the-user" not in outcome.output
    allowed = {"HOME", "TMPDIR", "PATH", "USER", "LANG", "LC_ALL", "TZ", "MPLBACKEND", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "GDAL_PAM_ENABLED", "PWD"}  # fmt: skip
    assert {line.split()[0] for line in outcome.output.splitlines()} <= allowed


def test_nothing_outside_its_folder_can_be_changed(isolating, run, tmp_path):
    victim = tmp_path / "victim.txt"
    victim.write_text("as it was")
    victim.chmod(0o644)
    before = victim.stat()
    code = (
        TRY
        + f"""
victim, beside = {str(victim)!r}, {str(tmp_path / "beside")!r}
attempt("write", lambda: open(victim, "w").write("x"))
attempt("create", lambda: open(beside, "w").write("x"))
attempt("mkdir", lambda: os.mkdir(beside))
attempt("unlink", lambda: os.unlink(victim))
attempt("rename", lambda: os.rename(victim, beside))
attempt("truncate", lambda: os.truncate(victim, 0))
attempt("link", lambda: os.link(victim, "own"))
attempt("symlink", lambda: os.symlink(victim, beside))
attempt("chmod", lambda: os.chmod(victim, 0o600))
attempt("chown", lambda: os.chown(victim, 1000, 1000))
attempt("utime", lambda: os.utime(victim, (1, 1)))
attempt("setxattr", lambda: os.setxattr(victim, "user.x", b"1"))
attempt("tmp", lambda: open("/tmp/gra-escape", "w").write("x"))
attempt("library", lambda: open(os.__file__, "a"))
attempt("mode-of-library", lambda: os.fchmod(os.open(os.__file__, os.O_RDONLY), 0o600))
"""
    )
    outcome = run(isolating, code)
    assert set(verdicts(outcome.output).values()) == {"refused"}, outcome.output
    after = victim.stat()
    assert victim.read_text() == "as it was"
    assert (after.st_mode, after.st_uid, after.st_mtime_ns) == (
        before.st_mode,
        before.st_uid,
        before.st_mtime_ns,
    )
    assert not (tmp_path / "beside").exists()
    assert not Path("/tmp/gra-escape").exists()


@pytest.fixture
def listener():
    """A TCP and a Unix server that count who comes."""
    tcp = socket.socket()
    tcp.bind(("127.0.0.1", 0))
    tcp.listen()
    visitors: list[object] = []

    def accept() -> None:
        while True:
            try:
                visitors.append(tcp.accept())
            except OSError:
                return

    threading.Thread(target=accept, daemon=True).start()
    yield tcp.getsockname()[1], visitors
    tcp.close()


def test_network_is_denied_by_every_way_there_is(isolating, run, listener, tmp_path):
    port, visitors = listener
    unix = socket.socket(socket.AF_UNIX)
    unix.bind(str(tmp_path / "s"))
    unix.listen()
    code = (
        TRY
        + f"""
attempt("connect", lambda: socket.socket().connect(("127.0.0.1", {port})))
attempt("create_connection", lambda: socket.create_connection(("127.0.0.1", {port}), timeout=2))
attempt("fastopen", lambda: socket.socket().sendto(b"x", 0x20000000, ("127.0.0.1", {port})))
attempt("mptcp", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).connect(("127.0.0.1", {port})))
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", {port})))
attempt("ipv6", lambda: socket.socket(socket.AF_INET6))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))
attempt("unix", lambda: socket.socket(socket.AF_UNIX).connect({str(tmp_path / "s")!r}))
attempt("listen", lambda: socket.create_server(("127.0.0.1", 0)))
attempt("dns", lambda: socket.getaddrinfo("example.com", 80))
import urllib.request
attempt("urllib", lambda: urllib.request.urlopen("http://127.0.0.1:{port}", timeout=2))
"""
    )
    outcome = run(isolating, code)
    assert outcome.end == "ok", outcome
    assert len(verdicts(outcome.output)) == 12
    assert set(verdicts(outcome.output).values()) == {"refused"}, outcome.output
    assert visitors == []
    unix.close()


def test_other_processes_are_out_of_reach(isolating, run):
    limits, nice = resource.getrlimit(resource.RLIMIT_CORE), os.getpriority(os.PRIO_PROCESS, 0)
    code = (
        TRY
        + f"""
agent = {os.getpid()}
attempt("kill", lambda: os.kill(agent, 15))
attempt("kill-group", lambda: os.killpg({os.getpgrp()}, 15))
attempt("prlimit", lambda: resource.prlimit(agent, resource.RLIMIT_CORE, (0, 0)))
attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, agent, 19))
attempt("affinity", lambda: os.sched_setaffinity(agent, {{0}}))
attempt("memory", lambda: open(f"/proc/{{agent}}/mem", "rb").read(1))
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "no")
attempt("ptrace", lambda: call(101, 16, agent, 0, 0))
attempt("unshare", lambda: call(272, 0x10000000))
"""
    )
    if os.uname().machine != "x86_64":
        code = code.replace('attempt("ptrace"', "# ").replace('attempt("unshare"', "# ")
    outcome = run(isolating, code)
    assert outcome.end == "ok", outcome
    assert set(verdicts(outcome.output).values()) == {"refused"}, outcome.output
    assert resource.getrlimit(resource.RLIMIT_CORE) == limits
    assert os.getpriority(os.PRIO_PROCESS, 0) == nice


def test_killing_everything_it_can_see_harms_nobody(isolating, run):
    outcome = run(isolating, "import os, signal\nos.kill(-1, signal.SIGKILL)\nprint('alive')")
    assert outcome.end in ("ok", "exception", "killed")
    os.kill(os.getppid(), 0)  # whoever started the tests lives too


def test_limits_cannot_be_raised_again(isolating, run):
    code = (
        TRY
        + """
for kind in ("RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_NOFILE"):
    number = getattr(resource, kind)
    attempt(kind, lambda: resource.setrlimit(number, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
"""
    )
    assert set(verdicts(run(isolating, code).output).values()) == {"refused"}


def test_scientific_packages_work_inside(isolating, run):
    code = """
import geopandas, numpy as np, pandas as pd, pyproj, scipy.stats, shapely, rasterio
points = geopandas.GeoDataFrame({"a": [1, 2]}, geometry=shapely.points([[0, 0], [0, 1]]), crs=4326)
points.to_parquet("points.parquet")
print(len(geopandas.read_parquet("points.parquet")))
print(round(pyproj.Geod(ellps="WGS84").inv(0, 0, 0, 1)[2] / 1000, 3))
print(round(float(np.linalg.inv(np.eye(200) * 2).sum()), 6), scipy.stats.norm.cdf(0))
"""
    outcome = run(isolating, code, memory_bytes=2 << 30, timeout_s=120.0)
    assert outcome.end == "ok", outcome
    # 110.574 km is the published length of the first degree of latitude on WGS 84.
    assert outcome.output.split() == ["2", "110.574", "100.0", "0.5"]


def test_threads_and_its_own_folder_work(isolating, run, tmp_path):
    code = """
import tempfile, threading, pathlib
t = threading.Thread(target=lambda: pathlib.Path("made").write_text("yes")); t.start(); t.join()
with tempfile.TemporaryFile() as f: f.write(b"x")
pathlib.Path("~").expanduser().joinpath("note").write_text("home")
print(pathlib.Path("made").read_text())
"""
    assert run(isolating, code).output == "yes\n"
    assert (tmp_path / "run" / "home" / "note").exists()
