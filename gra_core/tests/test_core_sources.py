"""Sources: chosen by readiness, configured from TOML and environment, recorded and replayed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gra_core import (
    ConfigurationError,
    Need,
    Source,
    Sources,
    SourceSettings,
    SourceUse,
    ToolError,
    UnknownName,
    UsageError,
    hookimpl,
)
from gra_core.recording import Recorder, Recording, Replayer, call_key
from gra_core.source import SourceCall
from gra_core.testing import registry_of

CALLS: list[str] = []


class Numbers:
    def __init__(self, settings: SourceSettings) -> None:
        self.settings = settings

    def get(self, *, n: int) -> Any:
        CALLS.append(f"get {n}")
        if n < 0:
            raise ToolError("not_found", f"no number {n}", hint="give one from 0")
        return None if n == 0 else {"n": n}


def declared(name: str, **more: Any) -> Source:
    return Source(
        kind="numbers", name=name, factory=f"{__name__}:Numbers", title=name, licence="CC0-1.0", **more
    )


class Provider:
    def __init__(self, *sources: Source) -> None:
        self.sources = sources

    @hookimpl
    def gra_sources(self) -> list[Source]:
        return list(self.sources)


def test_the_highest_ready_source_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBERS_KEY", raising=False)
    keyed = declared("keyed", priority=9, needs=(Need(env=("NUMBERS_KEY",), how="from numbers.example"),))
    registry = registry_of(Provider(keyed, declared("b"), declared("a")))
    assert Sources(registry).choose("numbers").name == "a"
    monkeypatch.setenv("NUMBERS_KEY", "0123456789")
    assert Sources(registry).choose("numbers").name == "keyed"
    assert Sources(registry, {"numbers": "b"}).choose("numbers").name == "b"


def test_a_missing_key_says_which_and_where_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBERS_KEY", raising=False)
    keyed = declared("keyed", needs=(Need(env=("NUMBERS_KEY", "OTHER_KEY"), how="from numbers.example"),))
    with pytest.raises(ToolError) as caught:
        Sources(registry_of(Provider(keyed))).open("numbers")
    assert caught.value.kind == "not_available"
    assert "NUMBERS_KEY or OTHER_KEY" in caught.value.message and "numbers.example" in caught.value.message


def test_unknown_names_are_told_at_once() -> None:
    registry = registry_of(Provider(declared("real")))
    with pytest.raises(UnknownName, match="did you mean 'real'"):
        Sources(registry, {"numbers": "rael"})
    with pytest.raises(UnknownName, match="source kind 'number'"):
        Sources(registry, {"number": "real"})
    with pytest.raises(ToolError, match="no source of kind 'colours'"):
        Sources(registry).choose("colours")


def test_unknown_tables_and_keys_of_sources_are_told_at_once() -> None:
    registry = registry_of(Provider(declared("real", options=("depth",))))
    Sources(registry, settings={"real": {"depth": 2, "timeout_s": 3}})
    with pytest.raises(UnknownName, match="unknown source 'rael'"):
        Sources(registry, settings={"rael": {}})
    with pytest.raises(UnknownName, match="unknown setting 'dept'; did you mean 'depth'"):
        Sources(registry, settings={"real": {"dept": 2}})


def test_settings_come_from_table_environment_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    source = declared("my-source", base_url="https://live.example/", key_env=("A_KEY", "B_KEY"))
    monkeypatch.setenv("B_KEY", "secret-value")
    settings = source.settings({"base_url": "http://127.0.0.1:9/x/", "timeout_s": 3, "depth": 2})
    assert (settings.base_url, settings.timeout_s, settings.get("depth"), settings.key) == (
        "http://127.0.0.1:9/x",
        3,
        2,
        "secret-value",
    )
    assert "secret-value" not in repr(settings)
    monkeypatch.setenv("GRA_BASE_URL_MY_SOURCE", "http://127.0.0.1:8")
    assert source.settings({"base_url": "http://127.0.0.1:9"}).base_url == "http://127.0.0.1:8"


def test_calls_are_noted_for_lineage_and_unknown_operations_refused() -> None:
    uses: list[SourceUse] = []
    handle = Sources(registry_of(Provider(declared("real", snapshot="v1")))).open("numbers", note=uses.append)
    assert handle.get(n=3) == {"n": 3}
    assert (uses[0].operation, uses[0].request, uses[0].licence, uses[0].snapshot) == (
        "get",
        {"n": 3},
        "CC0-1.0",
        "v1",
    )
    with pytest.raises(UsageError, match="no operation 'put'"):
        handle.put()


@pytest.mark.parametrize("n", [5, 0])
def test_a_recording_answers_without_the_source(tmp_path: Path, n: int) -> None:
    first = registry_of(Provider(declared("real")))
    first.plugins.manager.register(Recorder(Recording(tmp_path, first.formats)))
    answer = Sources(first).open("numbers").get(n=n)
    CALLS.clear()
    second = registry_of(Provider(declared("real")))
    second.plugins.manager.register(Replayer(Recording(tmp_path, second.formats)))
    assert Sources(second).open("numbers").get(n=n) == answer
    assert CALLS == []
    with pytest.raises(ToolError, match="recording has no answer") as caught:
        Sources(second).open("numbers").get(n=77)
    assert caught.value.kind == "not_available"


def test_errors_are_recorded_too(tmp_path: Path) -> None:
    first = registry_of(Provider(declared("real")))
    first.plugins.manager.register(Recorder(Recording(tmp_path, first.formats)))
    with pytest.raises(ToolError):
        Sources(first).open("numbers").get(n=-1)
    second = registry_of(Provider(declared("real")))
    second.plugins.manager.register(Replayer(Recording(tmp_path, second.formats)))
    with pytest.raises(ToolError, match="no number -1") as caught:
        Sources(second).open("numbers").get(n=-1)
    assert (caught.value.kind, caught.value.hint) == ("not_found", "give one from 0")


def test_what_may_not_be_stored_is_not_recorded(tmp_path: Path) -> None:
    registry = registry_of(Provider(declared("real", storable=False)))
    registry.plugins.manager.register(Recorder(Recording(tmp_path / "r", registry.formats)))
    Sources(registry).open("numbers").get(n=4)
    assert not (tmp_path / "r").exists()


def test_a_call_hook_can_replace_an_answer() -> None:
    class Fault:
        @hookimpl
        def gra_call_source(self, call: SourceCall) -> Any:
            return {"n": 42} if call.arguments["n"] == 1 else None

    handle = Sources(registry_of(Provider(declared("real")), Fault())).open("numbers")
    assert handle.get(n=1) == {"n": 42} and handle.get(n=2) == {"n": 2}


def test_a_key_does_not_depend_on_the_order_of_arguments() -> None:
    a = SourceCall(kind="k", source="s", operation="o", arguments={"x": 1, "y": [2]})
    b = SourceCall(kind="k", source="s", operation="o", arguments={"y": [2], "x": 1})
    assert call_key(a) == call_key(b)


@pytest.mark.parametrize(
    "values",
    [{"base_url": "example.org"}, {"base_url": "http://"}, {"base_url": "ftp://x"}, {"base_url": 5}, {"timeout_s": "x"},
     {"timeout_s": 0}, {"timeout_s": -1}, {"timeout_s": True}, {"timeout_s": float("nan")}, {"timeout_s": float("inf")},
     {"retries": -1}, {"retries": 1.5}, {"retries": "2"}, {"retries": float("inf")}, {"retries": None}],
)  # fmt: skip
def test_a_faulty_setting_names_source_and_setting(values: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=f"my-source: {next(iter(values))}"):
        declared("my-source").settings(values)
