"""The catalogue of the atlas: complete, true to the files, and the same in index.json and ATLAS.md."""

import hashlib
import json
import re
from pathlib import Path

import pytest

MEMBER = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def index(data):
    return json.loads((data / "index.json").read_text(encoding="utf-8"))


def test_every_file_is_described_with_its_checksum(index, data):
    present = {p.name for p in data.iterdir()} - {"index.json"}
    assert {f["file"] for f in index["files"]} == present
    for entry in index["files"]:
        content = (data / entry["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == entry["sha256"], entry["file"]
        assert len(content) == entry["bytes"]


def test_every_file_names_source_and_licence(index):
    for entry in index["files"]:
        assert entry["title"] and entry["source"] and entry["licence"], entry["file"]
        for package in entry["packages"]:
            assert package["version"] and re.fullmatch(r"[0-9a-f]{64}", package["sha256"])


def test_data_stays_small(index):
    assert sum(f["bytes"] for f in index["files"]) < 25e6


def test_the_document_lists_the_same_files(index):
    text = (MEMBER / "ATLAS.md").read_text(encoding="utf-8")
    for entry in index["files"]:
        row = next(line for line in text.splitlines() if line.startswith(f"| `{entry['file']}`"))
        assert entry["sha256"][:16] in row and entry["licence"].split(";")[0] in row
        for package in entry["packages"]:
            assert f"{package['name']} {package['version']}" in row
