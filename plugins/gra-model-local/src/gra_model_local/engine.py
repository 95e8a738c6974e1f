"""Loaded models: one engine per file and process, shared by all clients, one request at a time."""

from __future__ import annotations

import atexit
import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gra_core import ModelError, UsageError
from gra_model_local.completion import Completion
from gra_model_local.llama import llama
from gra_model_local.options import EngineOptions

# A prompt is read in pieces of this size; only between two pieces can a request be given up.
BATCH_TOKENS = 256
PROMPT_CACHE_MIB = 1024
QUIET = -1
LONGEST_QUEUE_S, EXIT_WAIT_S, TICK_S = 3600.0, 20.0, 0.2

_engines: dict[tuple[Path, EngineOptions, int], Engine] = {}
_lock = threading.Lock()


def shared_engine(path: Path, options: EngineOptions, window: int) -> Engine:
    """The engine of a file, loaded on first use; `UsageError` when llama.cpp cannot load the file."""
    with _lock:
        if not _engines:
            atexit.register(release_all)
        key = (path, options, window)
        if key not in _engines:
            _engines[key] = Engine(path, options, window)
        return _engines[key]


def release_all() -> None:
    """Give up running requests and unload all models."""
    with _lock:
        engines = list(_engines.values())
        _engines.clear()
    for engine in engines:
        engine.leaving.set()
    for engine in engines:
        engine.close()


class Engine:
    """A model in memory. `leaving` is set when the process ends: it stops whatever runs."""

    def __init__(self, path: Path, options: EngineOptions, window: int) -> None:
        self.path, self.leaving = path, threading.Event()
        self._turn = threading.Lock()
        self._server = _load(path, options, window)

    def ask(self, body: dict[str, Any], stop: Callable[[], bool]) -> Completion:
        """Answer one request; the caller holds the turn. `stop` is asked between tokens and may end it early."""
        completion = Completion()

        def take(chunk: dict[str, Any]) -> bool:
            completion.add(chunk)
            return self.leaving.is_set() or stop()

        fields = {"stream": True, "return_progress": True, "stream_options": {"include_usage": True}}
        try:
            self._server.handle_chat_completions(body | fields, take)
        except (ValueError, RuntimeError) as error:  # a body that llama.cpp cannot read
            completion.error = {"code": 400, "message": str(error)}
        return completion

    def take_turn(self, stop: Callable[[], bool]) -> None:
        """Wait until no other request runs; `ModelError` when `stop` says so first."""
        for _ in range(int(LONGEST_QUEUE_S / TICK_S)):
            if self.leaving.is_set() or stop():
                raise ModelError(
                    "unavailable", f"{self.path.name}: the client was closed while it waited for its turn"
                )
            if self._turn.acquire(timeout=TICK_S):
                return
        raise ModelError(
            "unavailable", f"{self.path.name}: no turn in {LONGEST_QUEUE_S:g} s", hint="lower --concurrency"
        )

    def end_turn(self) -> None:
        self._turn.release()

    def close(self) -> None:
        """Unload the model. A request that cannot be stopped keeps it: the process is about to end anyway."""
        if self._turn.acquire(timeout=EXIT_WAIT_S):
            self._server = None
            self._turn.release()


def _load(path: Path, options: EngineOptions, window: int) -> Any:
    xllamacpp = llama()
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx, params.n_batch, params.n_ubatch, params.n_parallel = window, BATCH_TOKENS, BATCH_TOKENS, 1
    params.verbosity, params.warmup, params.offline = QUIET, False, True
    # llama.cpp opens a loopback port that is not used here: nobody else shall use it either.
    params.ui, params.endpoint_slots, params.api_keys = False, False, [secrets.token_hex(32)]
    # No slot is picked by likeness: the one slot is saved before another conversation takes it, and the best match
    # among the saved ones is brought back. Trials that take turns then re-read nothing.
    params.slot_prompt_similarity, params.cache_ram_mib = 0.0, PROMPT_CACHE_MIB
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.thread_count
    if options.chat_template:
        params.chat_template = options.chat_template
    try:
        return xllamacpp.Server(params)
    except Exception as error:
        raise UsageError(
            f"llama.cpp cannot load {path}: {error}",
            hint="the file may be damaged, of an unknown architecture or too large for this machine",
        ) from error
