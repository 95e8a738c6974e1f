"""`gra-bench run --scheduler` with real worker processes: what a run means stays the same, whatever happens to them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import psutil
import pytest
import rasterio
import shapely

from gra_core.testing import LoopbackRequest, LoopbackServer, found_at
from gra_model_openai.testing import call, calling, completion, usage

HERE = Path(__file__).parent
KEY = "synthetic-key-0123456789"
MODEL = "openai:synthetic"
sys.path.insert(0, str(HERE))
import cluster_errands  # noqa: E402


class ModelServer(LoopbackServer):
    """A model that does what the query's name says: it calls the errand's tools one by one, then it says done. `asked`
    counts requests by query and step, `times` are those of all requests."""

    def __init__(self) -> None:
        super().__init__()
        self.pause_s = 0.0
        self.asked: Counter[tuple[str, int]] = Counter()
        self.times: list[float] = []
        self.refuse: dict[
            int, tuple[dict[str, str], str]
        ] = {}  # headers and message by the number of the request
        self._lock = threading.Lock()

    def begin(self, pause_s: float = 0.0, **refuse: tuple[dict[str, str], str]) -> None:
        """Count from here."""
        self.asked.clear()
        self.times.clear()
        self.pause_s, self.refuse = pause_s, {int(k.strip("_")): v for k, v in refuse.items()}

    @property
    def total(self) -> int:
        return len(self.times)

    def answer(self, request: LoopbackRequest) -> tuple[int, dict[str, str], Any]:
        messages = request.json()["messages"]
        found = re.search(r"Errand (\w+-\d+)\.", json.dumps(messages))
        assert found
        query, done = found[1], sum(m["role"] == "tool" for m in messages)
        with self._lock:
            number = len(self.times)
            self.times.append(time.monotonic())
            self.asked[query, done] += 1
        if number in self.refuse:
            headers, words = self.refuse[number]
            return 429, headers, {"error": {"message": words, "type": "error", "code": None}}
        time.sleep(self.pause_s)
        steps = cluster_errands.steps_of(query)
        if done == len(steps):
            return 200, {}, completion("done", usage(100, 10))
        turn = calling(call(steps[done], "{}", id=f"call_{done}"))
        return 200, {}, completion(turn, usage(100, 10), finish="tool_calls")


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="module", autouse=True)
def environment(scratch: Path, model: ModelServer) -> Iterator[None]:
    """The errands as if they were installed, for this process and all that it starts."""
    from gra_core import plugins

    site = found_at(scratch / "site", "errands", "cluster_errands")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        patch.setenv("PYTHONPATH", f"{site}{os.pathsep}{HERE}")
        patch.setenv("GRA_BASE_URL_OPENAI", f"{model.url}/v1")
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setenv("ERRANDS_FOLDER", str(scratch))
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            patch.delenv(name, raising=False)
        assert any(e.name == "errands" for e in plugins.discover())
        yield


@pytest.fixture
def folder(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Path]:
    """A run directory in which nothing is left but the run, and nothing is noisy."""
    yield tmp_path / "run"
    check_clean(tmp_path / "run")
    assert capfd.readouterr().err == ""


def check_clean(folder: Path) -> None:
    known = {"manifest.json", "events.jsonl", "results.jsonl", "queries.jsonl", "budget.jsonl", "workspaces", "index.sqlite", "index.sqlite-journal", "lock"}  # fmt: skip
    assert not folder.exists() or {p.name for p in folder.iterdir()} <= known
    assert [p for p in folder.rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()] == []


# -- clusters ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hidden(scratch: Path) -> Path:
    """A folder that the workers do not see, where the system lets us hide it from them."""
    (scratch / "hidden").mkdir()
    return scratch / "hidden"


@pytest.fixture(scope="module")
def scheduler(scratch: Path) -> Iterator[str]:
    """A scheduler's address."""
    with running_scheduler(scratch / "scheduler.json") as address:
        yield address


@contextlib.contextmanager
def running_scheduler(file: Path) -> Iterator[str]:
    """A scheduler as its own process, which writes itself into `file`; its address."""
    own = (
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--dashboard-address",
        "127.0.0.1:0",
        "--scheduler-file",
        file,
    )
    with started("scheduler", *own):
        until(lambda: file.exists() and file.read_text().endswith("}"))
        yield json.loads(file.read_text())["address"]


@pytest.fixture(scope="module")
def cluster(scheduler: str, scratch: Path, hidden: Path) -> Iterator[str]:
    """The scheduler with two workers of a thread each, somewhere else in the file system."""
    from distributed import Client

    elsewhere = scratch / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "home").mkdir()
    worker = (
        "worker",
        scheduler,
        "--nthreads",
        "1",
        "--no-nanny",
        "--no-dashboard",
        "--local-directory",
        elsewhere,
    )
    own = {"HOME": str(elsewhere / "home")}
    with (
        started(*worker, cwd=elsewhere, hide=hidden, **own),
        started(*worker, cwd=elsewhere, hide=hidden, **own),
    ):
        with Client(scheduler, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        yield scheduler


@contextlib.contextmanager
def started(kind: str, *arguments: object, cwd: Path | None = None, hide: Path | None = None, **more: str) -> Iterator[None]:  # fmt: skip
    command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *map(str, arguments)]
    if hide is not None and can_hide():
        command = ["unshare", "-m", "sh", "-c", f'mount -t tmpfs none "{hide}" && exec "$@"', "sh", *command]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, env=os.environ | more, cwd=cwd, **quiet)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def can_hide() -> bool:
    """Whether this system lets us give a process a view of its own of the file system."""
    command = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"]
    return bool(shutil.which("unshare")) and subprocess.run(command, capture_output=True).returncode == 0


# -- runs --------------------------------------------------------------------------------------------------------------


def command(
    folder: Path, *more: str, queries: str = "", model: str = "oracle", configuration: str = "errands"
) -> list[str]:
    """The arguments of a run of errands, by name or by kind."""
    every = [
        f"{q}-{n}" for q in queries.split() if "-" not in q for n in range(cluster_errands.EACH.get(q, 1))
    ]
    named = [q for q in queries.split() if "-" in q]
    chosen = [a for q in every + named for a in ("--query", q)]
    return [
        "run",
        "-b",
        "errands",
        "-c",
        configuration,
        "-m",
        model,
        *chosen,
        "--run-dir",
        str(folder),
        "--json",
        *more,
    ]


def gra_bench(*arguments: str) -> tuple[int, Any, str]:
    """The command line in this process: exit code, document on stdout, stderr."""
    from gra_bench.cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as end:
        main(list(arguments))
    return int(end.value.code or 0), json.loads(out.getvalue() or "null"), err.getvalue()


def in_background(*arguments: str) -> subprocess.Popen[bytes]:
    """The command line as a process with a group of its own, as a shell would start it."""
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [sys.executable, "-m", "gra_bench.cli", *arguments], start_new_session=True, **quiet
    )


def lines(path: Path) -> list[dict[str, Any]]:
    """Records of a log that may be written at this moment."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]


def outputs(folder: Path) -> list[dict[str, Any]]:
    """What tools have answered."""
    return [e["data"]["output"] for e in lines(folder / "events.jsonl") if e["kind"] == "tool_returned"]


def pids(folder: Path) -> set[int]:
    """The processes in which `where` was called."""
    return {found for o in outputs(folder) for found in [o.get("content")] if isinstance(found, int)}


TIMES = {"seconds", "waited_s"}


def essence(folder: Path) -> dict[str, Any]:
    """Results by trial, without times and attempts."""
    return {
        line["trial"]: {
            **line,
            "attempt": "",
            "outcome": {k: v for k, v in line["outcome"].items() if k not in TIMES},
        }
        for line in lines(folder / "results.jsonl")
    }


def statuses(folder: Path) -> dict[str, tuple[str, str]]:
    found = {
        r["query"]: (r["outcome"]["status"], r["outcome"]["reason"]) for r in lines(folder / "results.jsonl")
    }
    assert len(found) == len(lines(folder / "results.jsonl"))  # each trial finished once
    return found


def check_nothing_asked_twice(folder: Path, model: ModelServer, document: Any) -> None:
    """Every reply is on record once as paid for; what was asked beyond that was on its way when a process died."""
    events = lines(folder / "events.jsonl")
    query_of = {r["trial"]: r["query"] for r in lines(folder / "results.jsonl")}
    paid = Counter(
        (query_of[e["trial"]], e["data"]["call"] - 1) for e in events if e["kind"] == "model_replied" and "paid_by" not in e["data"]
    )  # fmt: skip
    assert set(paid) == set(model.asked) and set(paid.values()) == {1}
    unanswered = document["unfinished"]["unanswered"]["model_calls"]
    assert sum(paid.values()) <= model.total <= sum(paid.values()) + unanswered


def until(condition: Callable[[], Any], seconds: float = 120.0) -> None:
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.02)


@contextlib.contextmanager
def meanwhile(job: Callable[[], None]) -> Iterator[None]:
    """Do a job beside the block; its errors are raised at the end."""
    errors: list[BaseException] = []

    def work() -> None:
        try:
            job()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    thread.join()
    if errors:
        raise errors[0]


# -- tests -------------------------------------------------------------------------------------------------------------


def test_a_local_cluster_gives_what_this_process_gives(folder: Path, tmp_path: Path) -> None:
    run = (
        "run",
        "-b",
        "errands",
        "-b",
        "geoktools",
        "-c",
        "llm-tools",
        "-c",
        "gra",
        "--limit",
        "4",
        "--json",
        "--run-dir",
    )
    code, here, _ = gra_bench(*run, str(tmp_path / "here"))
    other_code, there, _ = gra_bench(*run, str(folder), "--scheduler", "local:3")
    assert (code, other_code) == (0, 0)
    assert essence(folder) == essence(tmp_path / "here") and len(essence(folder)) == 16
    assert (folder / "manifest.json").read_text() == (tmp_path / "here" / "manifest.json").read_text()
    for document in (here, there):
        del document["run_dir"]
        for row in document["results"]:
            row["seconds"] = row["waited_s"] = 0
    assert here == there
    found = pids(folder)
    assert len(found) > 1 and os.getpid() not in found and pids(tmp_path / "here") == {os.getpid()}


def test_a_killed_worker_loses_nothing(folder: Path, model: ModelServer, scratch: Path) -> None:
    model.begin(0.15)
    (scratch / "signed").unlink(missing_ok=True)
    listening: set[str] = set()

    def kill_one() -> None:
        until(lambda: model.total >= 10 and signed(scratch), 30)
        mine = psutil.Process().net_connections("tcp")
        listening.update(c.laddr.ip for c in mine if c.status == psutil.CONN_LISTEN)
        os.kill(sorted(signed(scratch))[0], signal.SIGKILL)

    with meanwhile(kill_one):
        code, document, _ = gra_bench(
            *command(folder, "--scheduler", "local:2", "--concurrency", "6", queries="long", model=MODEL)
        )
    assert code == 0 and document["results"][0]["mean"] == 1.0 and document["new_trials"] == 6
    assert statuses(folder) == {f"long-{n}": ("answered", "") for n in range(6)}
    assert 1 <= document["unfinished"]["attempts"] <= 6
    check_nothing_asked_twice(folder, model, document)
    assert listening == {"127.0.0.1"}


def signed(scratch: Path) -> set[int]:
    """The processes that have signed."""
    file = scratch / "signed"
    return set(map(int, file.read_text().split())) if file.exists() else set()


def test_a_trial_that_kills_its_workers_is_a_failure_and_the_others_finish(folder: Path) -> None:
    code, document, _ = gra_bench(*command(folder, "--scheduler", "local:2", queries="deadly plain"))
    assert code == 1 and "stopped" not in document
    found = statuses(folder)
    assert found.pop("deadly-0") == ("failed", "worker_lost")
    assert found == {f"plain-{n}": ("answered", "") for n in range(8)}
    tried = [
        e
        for e in lines(folder / "events.jsonl")
        if e["kind"] == "tool_called" and e["data"]["name"] == "fall_over"
    ]
    assert len(tried) == 3
    assert document["unfinished"]["attempts"] >= 3


def test_datasets_come_back_from_workers_that_do_not_see_the_run(
    cluster: str, hidden: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = hidden / "run"
    before = set(Path(os.environ.get("TMPDIR", "/tmp")).glob("gra-trial-*"))
    code, _, err = gra_bench(*command(folder, "--scheduler", cluster, queries="saving"))
    assert (code, err) == (0, "")
    for trial in essence(folder):
        _, shown, _ = gra_bench("show", str(folder), trial, "--json")
        assert [e["data"]["status"] for e in shown["events"] if e["kind"] == "tool_returned"] == ["ok"]
        assert rows(folder, trial) == [1, 2, 3]
    assert set(Path(os.environ.get("TMPDIR", "/tmp")).glob("gra-trial-*")) <= before
    code, _, _ = gra_bench(
        *command(hidden / "dropped", "--scheduler", cluster, "--drop-workspaces", queries="saving")
    )
    assert code == 0 and not list((hidden / "dropped").glob("workspaces/*"))
    for one in (folder, hidden / "dropped"):
        check_clean(one)
    assert capfd.readouterr().err == ""


def rows(folder: Path, trial: str) -> list[int]:
    """What the trial has saved, as a reader of the run finds it."""
    from gra_bench.workbench import Workbench
    from gra_core.workspace import Workspace

    workspace = Workspace(folder / "workspaces" / trial, Workbench().registry.formats)
    (saved,) = workspace.list()
    return list(workspace.get(saved.ref)["n"])


def test_workers_stop_when_the_run_is_killed_and_it_goes_on(
    cluster: str, folder: Path, model: ModelServer
) -> None:
    model.begin(0.15)
    run = command(folder, "--scheduler", cluster, queries="long", model=MODEL)
    process = in_background(*run)
    until(lambda: model.total >= 8 or process.poll() is not None)
    process.kill()
    process.communicate()
    check_quiet(model)
    resumed = in_background("run", "--run-dir", str(folder), "--resume", "--json", "--scheduler", cluster)
    more = model.total + 6
    until(lambda: model.total >= more or resumed.poll() is not None)
    resumed.send_signal(signal.SIGINT)
    _, err = resumed.communicate(timeout=60)
    assert (
        resumed.returncode == 1 and err.decode().startswith("Stopped. ") and "Traceback" not in err.decode()
    )
    check_quiet(model)
    code, document, _ = gra_bench("run", "--run-dir", str(folder), "--resume", "--json")
    assert code == 0 and document["results"][0]["mean"] == 1.0
    check_nothing_asked_twice(folder, model, document)


def check_quiet(model: ModelServer) -> None:
    """Nothing more is asked than what was on its way."""
    time.sleep(5 * model.pause_s)
    total = model.total
    time.sleep(8 * model.pause_s)
    assert model.total == total


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["interrupt", "kill"])
def test_no_process_of_a_local_cluster_outlives_its_run(
    how: signal.Signals, tmp_path: Path, model: ModelServer
) -> None:
    model.begin(0.3)
    process = in_background(*command(tmp_path / "run", "--scheduler", "local:2", queries="long", model=MODEL))
    until(lambda: model.total >= 4 or process.poll() is not None)
    assert len(group_of(process.pid)) >= 3
    if how == signal.SIGINT:
        os.killpg(process.pid, how)  # as a terminal does
    else:
        process.kill()
    _, err = process.communicate(timeout=60)
    until(lambda: not group_of(process.pid), 30)
    if how == signal.SIGINT:
        assert process.returncode == 1
        assert re.fullmatch(r"Stopped\. .* --resume\n", err.decode()), err.decode()
        check_clean(tmp_path / "run")


def test_a_local_cluster_can_be_interrupted_while_it_starts(tmp_path: Path) -> None:
    process = in_background(*command(tmp_path / "run", "--scheduler", "local:2", queries="plain"))
    until(lambda: len(group_of(process.pid)) >= 3 or process.poll() is not None)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    until(lambda: not group_of(process.pid), 30)
    assert process.returncode == 1 and re.fullmatch(r"\n?Stopped\..*\n", err.decode()), err.decode()


def group_of(leader: int) -> list[int]:
    """Processes of a group that still run."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getpgid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


def test_limits_hold_on_workers(cluster: str, folder: Path, tmp_path: Path) -> None:
    queries = "hanging plain-0 saving-0"
    run = command(folder, "--scheduler", cluster, queries=queries, configuration="errands-limited")
    assert gra_bench(*run)[0] == 0
    gra_bench(*command(tmp_path / "here", queries=queries, configuration="errands-limited"))
    expected = {
        "hanging-0": ("limit", "wall_clock_s"),
        "plain-0": ("limit", "model_calls"),
        "saving-0": ("answered", ""),
    }
    assert statuses(folder) == statuses(tmp_path / "here") == expected


def test_a_budget_holds_on_workers(cluster: str, folder: Path, model: ModelServer, tmp_path: Path) -> None:
    model.begin()
    file = tmp_path / "priced.toml"
    price = f'[[prices]]\nmodel = "{MODEL}"\ntiers = [{{ input = "2.00", output = "12.00" }}]\n'
    file.write_text('name = "priced"\nextends = "errands"\n[model]\nmax_output_tokens = 20\n' + price)
    # 6 trials of 5 calls at 100 × 2 + 10 × 12 = 320 millionths of a dollar each.
    run = command(folder, "--scheduler", cluster, queries="long", model=MODEL, configuration=str(file))
    code, document, err = gra_bench(*run, "--max-cost", "0.006")
    assert code == 1 and "--max-cost" in document["stopped"] and "--resume" in err
    assert Decimal(320 * model.total) / 1_000_000 <= Decimal("0.006")
    code, document, _ = gra_bench(
        "run", "--run-dir", str(folder), "--resume", "--json", "--scheduler", cluster, "--max-cost", "1"
    )
    assert code == 0 and document["results"][0]["cost_usd"] + document["unfinished"][
        "cost_usd"
    ] == pytest.approx(30 * 0.00032)
    check_nothing_asked_twice(folder, model, document)


def test_a_daily_quota_stops_a_run_on_a_cluster(cluster: str, folder: Path, model: ModelServer) -> None:
    model.begin(_7=({}, "Rate limit reached on requests per day (RPD)"))
    code, document, _ = gra_bench(*command(folder, "--scheduler", cluster, queries="long", model=MODEL))
    assert code == 1 and "per day" in document["stopped"] and model.total < 30
    code, document, _ = gra_bench(
        "run", "--run-dir", str(folder), "--resume", "--json", "--scheduler", cluster
    )
    assert code == 0 and document["results"][0]["mean"] == 1.0
    assert model.total == 30 + 1, model.asked


def test_all_workers_wait_when_one_meets_a_rate_limit(
    cluster: str, folder: Path, model: ModelServer, scratch: Path
) -> None:
    (scratch / "signed").unlink(missing_ok=True)
    model.begin(0.05, _12=({"Retry-After": "2"}, "slow down"))
    code, _, _ = gra_bench(*command(folder, "--scheduler", cluster, queries="long", model=MODEL))
    assert code == 0 and model.total == 30 + 1 and len(signed(scratch)) == 2
    struck = model.times[12]
    # Those that had their turn already may still arrive, at most as many as were allowed.
    assert sum(struck < t < struck + 1.9 for t in model.times) < 8
    assert max(after - before for before, after in zip(model.times, model.times[1:], strict=False)) > 1.0


def test_raster_work_of_tools_goes_to_the_same_cluster(
    cluster: str, folder: Path, tmp_path: Path, scratch: Path
) -> None:
    random = np.random.default_rng(0)
    grid = rasterio.transform.from_origin(10.0, 60.0, 0.01, 0.01)
    profile = {
        "driver": "GTiff",
        "height": 200,
        "width": 200,
        "count": 1,
        "dtype": "float32",
        "crs": "EPSG:4326",
    }
    with rasterio.open(scratch / "synthetic.tif", "w", transform=grid, **profile) as target:
        target.write(random.random((1, 200, 200), dtype="float32"))
    seeds = random.uniform(0, 2, (20, 2)) * (1, -1) + (10, 60)
    cells = shapely.get_parts(shapely.voronoi_polygons(shapely.multipoints(seeds)))
    gpd.GeoDataFrame(geometry=cells, crs="EPSG:4326").to_file(scratch / "zones.gpkg")
    assert gra_bench(*command(tmp_path / "here", queries="zones"))[0] == 0
    assert gra_bench(*command(folder, "--scheduler", cluster, queries="zones"))[0] == 0
    (here,), (there,) = ([o["content"] for o in outputs(f)] for f in (tmp_path / "here", folder))
    assert here["rows"] == there["rows"]
    assert set(here["pids"]) == {here["pid"]} == {os.getpid()}
    assert len(set(there["pids"])) == 2 and os.getpid() not in there["pids"]


@contextlib.contextmanager
def small_cluster(folder: Path, *path: str) -> Iterator[tuple[str, int]]:
    """A scheduler with one worker, with `path` on its PYTHONPATH: the address, and the worker's process id."""
    from distributed import Client

    quiet = {"PYTHONPATH": os.pathsep.join([*path, os.environ["PYTHONPATH"]])}
    worker = ("--no-nanny", "--no-dashboard", "--local-directory", folder)
    with (
        running_scheduler(folder / "scheduler.json") as address,
        started("worker", address, *worker, **quiet),
    ):
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=120)
            (pid,) = client.run(os.getpid).values()
        yield address, pid


def test_a_cluster_that_loses_all_workers_stops_the_run(
    folder: Path, tmp_path: Path, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gra_bench import cluster

    model.begin(0.15)
    with small_cluster(tmp_path) as (address, pid):
        monkeypatch.setattr(cluster, "CONNECT_S", 3)

        def kill() -> None:
            until(lambda: model.total >= 8, 30)
            os.kill(pid, signal.SIGKILL)

        with meanwhile(kill):
            code, document, err = gra_bench(
                *command(folder, "--scheduler", address, queries="long", model=MODEL)
            )
    assert code == 1 and "no worker left" in document["stopped"] and "--resume" in err
    code, document, _ = gra_bench("run", "--run-dir", str(folder), "--resume", "--json")
    assert code == 0 and document["results"][0]["mean"] == 1.0
    check_nothing_asked_twice(folder, model, document)


def test_a_worker_without_our_packages_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['gra_bench'] = None\n")
    with small_cluster(tmp_path, str(tmp_path)) as (address, _):
        code, _, err = gra_bench(*command(folder, "--scheduler", address, queries="plain-0"))
    assert code == 2 and "gra_bench" in err and "install the same packages" in err and not folder.exists()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("local:0", ["expected local, or local:N"]),
        ("local:x", ["expected local, or local:N"]),
        ("local:", ["expected local, or local:N"]),
        ("tcp://127.0.0.1:1", ["tcp://127.0.0.1:1", "address of a running Dask scheduler"]),
        ("nonsense://x", ["nonsense://x", "address of a running Dask scheduler"]),
        ("idle", ["has no worker", "dask worker"]),
    ],
)
def test_wrong_use_is_told_before_anything_is_written(
    scratch: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, address: str, words: list[str]
) -> None:
    from gra_bench import cluster

    monkeypatch.setattr(cluster, "CONNECT_S", 2)
    file = scratch / "idle.json"
    idle = started(
        "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file
    )
    with idle if address == "idle" else contextlib.nullcontext():
        if address == "idle":
            until(lambda: file.exists() and file.read_text().endswith("}"))
            address = json.loads(file.read_text())["address"]
        code, document, err = gra_bench(*command(folder, "--scheduler", address, queries="plain-0"))
    assert code == 2 and document is None and not folder.exists()
    assert all(word in err for word in words), err


def run_with(path: str, folder: Path, address: str) -> subprocess.CompletedProcess[str]:
    """A run in a process with another PYTHONPATH."""
    arguments = command(folder, "--scheduler", address, queries="plain-0")
    return subprocess.run(
        [sys.executable, "-m", "gra_bench.cli", *arguments], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )  # fmt: skip


def test_workers_with_other_plugins_are_refused(cluster: str, tmp_path: Path) -> None:
    other = found_at(tmp_path / "other", "errands", "cluster_errands")
    shutil.copytree(
        HERE / "cluster_errands", other / "cluster_errands", ignore=shutil.ignore_patterns("__pycache__")
    )
    with (other / "cluster_errands" / "__init__.py").open("a") as file:
        file.write("# another version\n")
    done = run_with(str(other), tmp_path / "run", cluster)
    assert done.returncode == 2 and not lines(tmp_path / "run" / "results.jsonl")
    assert "plugins, their versions or files" in done.stderr and "install the same packages" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_the_extra_the_message_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['distributed'] = None\n")
    done = run_with(os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]]), tmp_path / "run", "local:2")
    assert done.returncode == 2 and not (tmp_path / "run").exists()
    assert (
        "distributed" in done.stderr and "gra-bench[dask]" in done.stderr and "Traceback" not in done.stderr
    )
