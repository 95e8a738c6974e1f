"""Concurrency adapts to a provider that takes only so many requests at a time, over real HTTP."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gra_core.testing import LoopbackServer
from gra_core.testing.loopback import Answer, LoopbackRequest
from gra_model_openai.testing import completion, usage

PLACES, TRIALS, WORKERS = 3, 24, 12


class Narrow(LoopbackServer):
    """A chat completions server with three places; who comes when they are taken gets 429, with Retry-After or without."""

    def __init__(self, headers: dict[str, str]) -> None:
        super().__init__()
        self.headers = headers
        self.lock = threading.Lock()
        self.here = self.refused = self.served = 0
        self.times: list[tuple[float, int]] = []

    def answer(self, request: LoopbackRequest) -> Answer:
        with self.lock:
            now = time.monotonic()
            if self.here >= PLACES:
                self.refused += 1
                self.times.append((now, 429))
                return (
                    429,
                    self.headers,
                    {"error": {"message": "too many requests", "code": "rate_limit_exceeded"}},
                )
            self.here += 1
            self.times.append((now, 200))
        time.sleep(0.02)
        with self.lock:
            self.here -= 1
            self.served += 1
        return 200, {}, completion("[]", usage(100, 1))


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[Narrow], Any]:
    from gra_bench.cli import main

    def call(server: Narrow) -> Any:
        monkeypatch.setenv("GRA_BASE_URL_OPENAI", server.url + "/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "synthetic-key")
        with pytest.raises(SystemExit):
            main(["run", "-b", "geoexpert", "--split", "all", "-c", "llm", "-m", "openai:m", "--concurrency", str(WORKERS), "--json",
                  "--run-dir", str(tmp_path / "run")])  # fmt: skip
        return json.loads(capsys.readouterr().out)["results"][0]

    return call


def test_a_run_finds_how_many_requests_are_taken(run: Callable[[Narrow], Any]) -> None:
    with Narrow({}) as server:
        row = run(server)
    assert row["answered"] == TRIALS == server.served and row["failed"] == 0
    assert row["usage"]["requests"] == TRIALS + server.refused
    # It has grown beyond its start until it was refused, and then no longer runs into the wall with every request.
    assert 0 < server.refused < TRIALS
    assert row["waited_s"] > 0


def test_a_delay_holds_back_all_requests(run: Callable[[Narrow], Any]) -> None:
    with Narrow({"Retry-After": "1"}) as server:
        row = run(server)
    assert row["answered"] == TRIALS
    # After a refusal nothing new comes for the delay, but for what was on its way already.
    for refused, status in server.times:
        if status == 429:
            soon = [t for t, _ in server.times if refused + 0.5 < t < refused + 0.9]
            assert not soon, f"{len(soon)} requests within a delay of 1 s"
