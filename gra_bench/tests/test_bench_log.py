"""Append-only files: torn lines, failing writes, any text, no secrets."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gra_bench.log import Log, StoreFull, read_lines, write_json
from gra_bench.store import RunStore, read_results
from gra_core.errors import RunStopped

ANY_TEXT = st.text(st.characters(), max_size=40)  # lone surrogates and NUL included
RECORDS = st.lists(
    st.dictionaries(ANY_TEXT, st.one_of(ANY_TEXT, st.integers(), st.none()), max_size=4), max_size=8
)


@settings(max_examples=60)
@given(records=RECORDS, cut=st.integers(0, 400), more=RECORDS)
def test_whatever_is_cut_off_the_whole_lines_stay(
    tmp_path_factory: pytest.TempPathFactory, records: list[Any], cut: int, more: list[Any]
) -> None:
    path = tmp_path_factory.mktemp("log") / "events.jsonl"
    log = Log(path)
    log.append(*records)
    log.close()
    data = path.read_bytes()[: max(0, path.stat().st_size - cut)]
    path.write_bytes(data)
    whole = records[: data.count(b"\n")]
    assert list(read_lines(path)) == whole
    log = Log(path)
    log.append(*more)
    log.close()
    assert list(read_lines(path)) == whole + more


def test_a_failing_write_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    import resource

    path = tmp_path / "events.jsonl"
    log = Log(path)
    log.append({"n": 1})
    pid = os.fork()
    if pid == 0:  # in a child, since the limit is the process's
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
        try:
            log.append({"text": "x" * 10_000})
        except StoreFull as error:
            os._exit(0 if str(path) in str(error) and "--resume" in str(error) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert path.read_bytes() == b'{"n":1}\n'
    log.append({"n": 2})
    assert [r["n"] for r in read_lines(path)] == [1, 2]


def test_a_full_device_is_told(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").symlink_to("/dev/full")
    log = Log(tmp_path / "events.jsonl")
    with pytest.raises(StoreFull, match="No space left on device"):
        log.append({"n": 1})


def test_nothing_is_written_after_the_end(tmp_path: Path) -> None:
    log = Log(tmp_path / "events.jsonl")
    log.close()
    log.close()
    with pytest.raises(RunStopped):
        log.append({"n": 1})


def test_secrets_do_not_reach_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNTHETIC_API_KEY", 'sk-"quoted"-1234')
    monkeypatch.setenv("NUMERIC_TOKEN", "12345678")
    log = Log(tmp_path / "events.jsonl")
    log.append({"text": 'the key is sk-"quoted"-1234!', "number": 12345678, "list": ["a 12345678 b"]})
    (record,) = read_lines(tmp_path / "events.jsonl")
    assert record["text"] == "the key is [secret removed]!" and record["list"] == ["a [secret removed] b"]
    assert record["number"] == 12345678  # a number is data


@given(ANY_TEXT)
def test_a_manifest_takes_any_text(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("json") / "manifest.json"
    write_json(path, {"text": text})
    assert json.loads(path.read_text())["text"] == text and [p.name for p in path.parent.iterdir()] == [
        path.name
    ]


def test_results_of_many_threads_are_all_there_and_durable_when_told(tmp_path: Path) -> None:
    store = RunStore.create(tmp_path / "run", {})
    syncs: list[int] = []
    real = store.results.sync

    def counted() -> None:
        syncs.append(1)
        real()

    store.results.sync = counted  # type: ignore[method-assign]
    told: list[str] = []

    def work(n: int) -> None:
        for k in range(25):
            store.finish({"trial": f"{n}-{k}", "attempt": "a"})
            assert f'"trial":"{n}-{k}"' in (tmp_path / "run/results.jsonl").read_text()
            told.append(f"{n}-{k}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    assert sorted(read_results(tmp_path / "run")) == sorted(told) and len(told) == 200
    assert len(syncs) < 200  # trials that finish together share a sync


def test_what_a_start_that_was_killed_at_once_leaves_is_no_run(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "manifest.json.new").write_text('{"half')
    (folder / "lock").touch()
    RunStore.create(folder, {"options": {}}).close()
    assert json.loads((folder / "manifest.json").read_text())["schema_version"] == 1
