"""Trials on a dask.distributed cluster, with the run itself staying here: store, desk and scores.

Each trial is a task that frees its worker's slot at once (it mostly waits for a model), so that the slots serve parts of
tools' work; how many trials run at a time is decided here. When a worker dies, its trials begin again as new attempts that
use what the lost ones have paid for.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import os
import secrets
import shutil
import signal
import tarfile
import tempfile
import threading
from collections.abc import Iterator
from functools import lru_cache
from multiprocessing import resource_tracker
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import dask
from attrs import field, frozen
from distributed import CancelledError, Client, Future, KilledWorker, LocalCluster, Worker, get_worker, secede
from distributed.comm import get_address_host_port

from gra_bench.cluster_map import WORKERS_KEEP_MEMORY, mapping_on
from gra_bench.desk import Desk
from gra_bench.desk_wire import DeskLost, DeskServer, RemoteDesk, address_towards
from gra_bench.execute import Stage, WorkerLost, carry_out
from gra_bench.places import Places
from gra_bench.trials import Trial, setting_of, trial_id
from gra_bench.workbench import Workbench, WorkbenchOptions
from gra_core import Configuration, Query, UsageError
from gra_core.errors import GraError, RunStopped
from gra_core.trial import Outcome

CONNECT_S = 20
CLOSE_S = 2
LOOK_S = 1.0
LOST = "lost"


@frozen(kw_only=True)
class Task:
    """All that a worker needs for one attempt at a trial."""

    trial: str
    attempt: str
    query: Query
    benchmark: str
    configuration: Configuration
    model: str
    repeat: int
    best_effort: bool
    earlier: list[dict[str, Any]] = field(factory=list, repr=False)
    workbench: WorkbenchOptions
    folder: str
    mark: str
    keep_workspace: bool
    budgeted: bool
    desk: tuple[str, int]
    key: bytes = field(repr=False)


@frozen(kw_only=True)
class Returned:
    """What comes back: the outcome, and the workspace as a tar file where the worker does not see the run's folder."""

    outcome: Outcome
    workspace: bytes = field(default=b"", repr=False)


# -- on the worker -----------------------------------------------------------------------------------------------------


def work(task: Task) -> Returned | str:
    """Run one attempt. ``LOST`` when the cluster runs it for the second time, since it has lost the first worker."""
    worker = get_worker()
    secede()
    desk = _desk(task.desk, task.key)
    try:
        if not desk.begin(task.attempt):
            return LOST
    except DeskLost as error:
        raise UsageError(
            f"worker {worker.address}: {error.message}",
            hint="workers must reach the machine of the run: let them through its firewall",
        ) from None
    stage = _stage(task.workbench, _Frozen(task.configuration))
    trial = _trial(task, stage, worker)
    with _workspace(task) as (folder, shared), mapping_on(worker):
        try:
            outcome = carry_out(
                trial, stage, desk, attempt=task.attempt, workspace=folder, keep_workspace=task.keep_workspace,
                earlier=task.earlier, budgeted=task.budgeted,
            )  # fmt: skip
        except DeskLost:
            return LOST
        packed = b"" if shared else _pack(folder)
    return Returned(outcome=outcome, workspace=packed)


@lru_cache(maxsize=8)
def _desk(address: tuple[str, int], key: bytes) -> Any:
    return RemoteDesk(address, key)


class _Frozen:
    """A configuration as a key: equal when its text is."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration, self._text = configuration, repr(configuration)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Frozen) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


_making = threading.Lock()


def _stage(options: WorkbenchOptions, frozen_configuration: _Frozen) -> Stage:
    with _making:  # several trials start at the same time, and plugins are loaded once
        return _make_stage(options, frozen_configuration)


@lru_cache(maxsize=64)
def _make_stage(options: WorkbenchOptions, frozen_configuration: _Frozen) -> Stage:
    configuration, bench = frozen_configuration.configuration, _bench(options)
    return Stage(
        configuration=configuration, registry=bench.registry_of(configuration), sources=bench.sources(configuration)
    )  # fmt: skip


@lru_cache(maxsize=8)
def _bench(options: WorkbenchOptions) -> Workbench:
    return Workbench.of(options)


@lru_cache(maxsize=256)
def _setting(
    options: WorkbenchOptions, frozen_configuration: _Frozen, benchmark: str, model: str, best_effort: bool
) -> str:
    stage = _stage(options, frozen_configuration)
    registry = stage.registry
    return setting_of(
        stage.configuration, registry, stage.sources, registry.benchmarks[benchmark], registry.model(model), best_effort
    )  # fmt: skip


def _trial(task: Task, stage: Stage, worker: Worker) -> Trial:
    """The trial as this worker's plugins make it; `UsageError` when they are not those of the run."""
    setting = _setting(
        task.workbench, _Frozen(task.configuration), task.benchmark, task.model, task.best_effort
    )
    if trial_id(task.query, setting, task.repeat) != task.trial:
        raise UsageError(
            f"worker {worker.address} would run other trials than this process: its plugins, their versions or files, its "
            "sources or its models differ",
            hint="install the same packages, data and model settings on all machines",
        )
    registry = stage.registry
    return Trial(
        id=task.trial, query=task.query, benchmark=registry.benchmarks[task.benchmark], configuration=task.configuration,
        model=registry.model(task.model), repeat=task.repeat, best_effort=task.best_effort,
    )  # fmt: skip


@contextlib.contextmanager
def _workspace(task: Task) -> Iterator[tuple[Path, bool]]:
    """The trial's folder in the run where this worker sees it, else a temporary one."""
    folder = Path(task.folder)
    if (folder / "desk" / task.mark).exists():
        yield folder / "workspaces" / task.trial, True
        return
    temporary = Path(tempfile.mkdtemp(prefix="gra-trial-"))
    try:
        yield temporary / task.trial, False
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _pack(folder: Path) -> bytes:
    if not folder.exists():
        return b""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.add(folder, arcname=".")
    return buffer.getvalue()


# -- where the run is --------------------------------------------------------------------------------------------------


@frozen(kw_only=True)
class Connection:
    """A client of a scheduler, and the cluster when it was started here."""

    client: Client
    local: LocalCluster | None = None

    def close(self) -> None:
        """Let go of the cluster; a local one ends, with all that it is at."""
        with contextlib.suppress(Exception):
            self.client.close(timeout=CLOSE_S)
        if self.local is not None:
            with contextlib.suppress(Exception):
                self.local.sync(_end_workers, self.local)
            with contextlib.suppress(Exception):
                self.local.close(timeout=CLOSE_S)


async def _end_workers(local: LocalCluster) -> None:
    """Soon, whatever they are at: without the nannies' patience with tasks."""
    ends = [nanny.close(timeout=CLOSE_S / 4) for nanny in local.workers.values()]
    await asyncio.gather(*ends, return_exceptions=True)


class Cluster:
    """Sends attempts at trials to a cluster. Its workers ask `desk`, and put datasets into the run's `folder` when they see
    it."""

    def __init__(
        self, connection: Connection, desk: Desk, folder: Path, workbench: WorkbenchOptions, *, keep_workspaces: bool
    ) -> None:  # fmt: skip
        self._client = connection.client
        self._desk, self._workbench, self._keep = desk, workbench, keep_workspaces
        self._folder = folder.resolve()
        self._key = secrets.token_bytes(32)
        self._mark = secrets.token_hex(16)
        self._places = Places(self._threads)
        scheduler = get_address_host_port(self._client.scheduler_info(n_workers=0)["address"])
        self._server = DeskServer(desk, address_towards(*scheduler), self._key)
        (self._folder / "desk").mkdir(exist_ok=True)
        (self._folder / "desk" / self._mark).touch()

    def carry_out(self, trial: Trial, attempt: str, earlier: list[dict[str, Any]]) -> Outcome:
        """One attempt at a trial on some worker. `WorkerLost` when that worker died."""
        task = Task(
            trial=trial.id, attempt=attempt, query=trial.query, benchmark=trial.benchmark.name, configuration=trial.configuration,
            model=trial.model.id, repeat=trial.repeat, best_effort=trial.best_effort, earlier=earlier, workbench=self._workbench,
            folder=str(self._folder), mark=self._mark, keep_workspace=self._keep, budgeted=self._desk.budget is not None,
            desk=self._server.address, key=self._key,
        )  # fmt: skip
        try:
            with self._places.place(trial.id) as worker, self._server.serving(attempt):
                returned = self._returned(task, worker)
        except WorkerLost:
            self._places.lost(trial.id)
            raise
        if returned.workspace:
            target = self._folder / "workspaces" / trial.id
            shutil.rmtree(target, ignore_errors=True)
            with tarfile.open(fileobj=io.BytesIO(returned.workspace)) as tar:
                if data_filter := getattr(
                    tarfile, "data_filter", None
                ):  # not in the first releases of Python 3.11
                    tar.extraction_filter = data_filter
                tar.extractall(target)
        return returned.outcome

    def _returned(self, task: Task, worker: str) -> Returned:
        """What comes of a task; errors that a trial raises are raised here, errors of the cluster are `WorkerLost`."""
        try:
            future = self._client.submit(
                work, task, key=f"gra-trial-{task.attempt}", workers=[worker], pure=False, retries=0
            )  # fmt: skip
            error = self._error(future, worker)
            returned = future.result() if error is None else None
        except CancelledError as cancelled:
            error, returned = cancelled, None
        except OSError as failure:
            self._refuse_when_disconnected()
            raise RunStopped(f"the scheduler does not answer: {failure}") from failure
        if isinstance(error, GraError):
            raise error
        if isinstance(error, Exception) and not isinstance(error, (KilledWorker, CancelledError)):
            raise UsageError(
                f"worker {worker} cannot carry out trials: {type(error).__name__}: {error}",
                hint="install the same packages, data and settings on all machines",
            ) from error
        if isinstance(returned, Returned):
            return returned
        self._refuse_when_disconnected()
        raise WorkerLost(f"worker {worker} was lost")

    def _error(self, future: Future, worker: str) -> BaseException | None:
        """Wait for a task; what it has raised, or became of it."""
        while True:
            try:
                return future.exception(timeout=LOOK_S)
            except TimeoutError:
                # A task that is bound to a worker waits for ever for one that is gone; one that may go elsewhere does so
                # as well when all its workers are gone at the same time.
                if worker not in self._threads():
                    return CancelledError()
            except CancelledError as error:
                return error

    def _threads(self) -> dict[str, int]:
        """Threads of each worker. `RunStopped` when there is none, however long one waits."""
        self._refuse_when_disconnected()
        try:
            if not (found := self._client.nthreads()):
                self._client.wait_for_workers(1, timeout=CONNECT_S)
                found = self._client.nthreads()
        except OSError as error:  # dask's timeouts are such
            self._refuse_when_disconnected()
            gone = (
                "the cluster has no worker left"
                if self._client.status == "running"
                else "the scheduler is gone"
            )
            raise RunStopped(gone, hint="go on with --resume when it is there again") from error
        return found

    def _refuse_when_disconnected(self) -> None:
        if self._client.status not in ("running", "connecting"):
            raise RunStopped(
                "the connection to the scheduler is lost", hint="go on with --resume when it is there again"
            )

    def close(self) -> None:
        """Answer workers no more."""
        self._server.close()
        shutil.rmtree(self._folder / "desk", ignore_errors=True)


def connect(scheduler: str) -> Connection:
    """``local`` or ``local:N`` starts N worker processes here; else `scheduler` is the address of a running one.
    `UsageError` when it cannot be reached or has no worker."""
    # What matters of it is told as an error of ours; asyncio tells of futures that are cancelled when the client closes.
    for name in ("distributed", "distributed.client", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    kind, _, number = scheduler.partition(":")
    if kind == "local":
        return _start_here(scheduler, number)
    try:
        get_address_host_port(scheduler)  # a client that fails over this waits for long before it says so
        client = Client(scheduler, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"--scheduler {scheduler}: {error or type(error).__name__}",
            hint="give the address of a running Dask scheduler (tcp://HOST:8786), `local`, or local:N for N processes here",
        ) from error
    try:
        client.wait_for_workers(1, timeout=CONNECT_S)
    except OSError as error:
        client.close()
        raise UsageError(
            f"--scheduler {scheduler}: the cluster has no worker", hint=f"start some: dask worker {scheduler}"
        ) from error
    _check_workers(client)
    return Connection(client=client)


def _check_workers(client: Client) -> None:
    """`UsageError` when a worker has not this package: it would die of the first trial, without a word."""
    for worker, found in client.run(resolve_name, f"{__name__}:LOST", on_error="return").items():
        if isinstance(found, Exception):
            client.close()
            raise UsageError(
                f"worker {worker} cannot carry out trials: {type(found).__name__}: {found}",
                hint="install the same packages on all machines",
            )


def _start_here(scheduler: str, number: str) -> Connection:
    cores = len(os.sched_getaffinity(0))
    if ":" in scheduler and not (number.isdigit() and int(number) > 0):
        raise UsageError(f"--scheduler {scheduler}: expected local, or local:N with N worker processes")
    workers = int(number or cores)
    dask.config.set(WORKERS_KEEP_MEMORY)
    connection = None
    try:
        with _undisturbed():
            local = LocalCluster(
                n_workers=workers, threads_per_worker=max(1, cores // workers), processes=True, memory_limit=None,
                silence_logs=logging.CRITICAL, host="127.0.0.1", dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
            )  # fmt: skip
            connection = Connection(
                client=Client(local, timeout=CONNECT_S, set_as_default=False), local=local
            )
    except KeyboardInterrupt:
        if connection is not None:
            connection.close()
        raise
    return connection


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Put Ctrl-C off until the block is done, since dask cannot end what has half started; and keep it from the processes
    that are started there, now and later: a terminal sends it to all, and it is ours to end them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    struck = threading.Event()
    handler = signal.signal(signal.SIGINT, lambda *_: struck.set())
    resource_tracker.ensure_running()  # which unblocks SIGINT where it is started
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # threads and processes inherit it
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if struck.is_set():
        raise KeyboardInterrupt
