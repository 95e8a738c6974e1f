"""Published files: fetched once over a loopback server, checked, kept whole or not at all; errors that help."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gra_core.download import DownloadError, LocalFile, PublishedFile, cache_dir, fetch, keep
from gra_core.errors import GraError, UsageError

BODY = b"id,answer\n1,2\n"


class Server:
    """What the next requests get: status, headers, body; and what was asked."""

    def __init__(self) -> None:
        self.replies: list[tuple[int, dict[str, str], bytes]] = []
        self.asked: list[str] = []
        self.url = ""


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            status, headers, body = state.replies.pop(0) if len(state.replies) > 1 else state.replies[0]
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Silence."""

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    state.url = f"http://127.0.0.1:{made.server_port}"
    yield state
    made.shutdown()
    made.server_close()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("SYNTHETIC_FILE", raising=False)
    return tmp_path / "cache"


def published(server: Server | None = None, **changes: Any) -> PublishedFile:
    given = {
        "title": "Synthetic set", "name": "sets/synthetic.csv", "file_env": "SYNTHETIC_FILE", "path": "a/b.csv",
        "base_url": server.url if server else "http://127.0.0.1:9", "base_env": "GRA_BASE_URL_SYNTHETIC",
        "page": "https://example.org/set",
    }  # fmt: skip
    return PublishedFile(**{**given, **changes})


def accept(file: LocalFile) -> None:
    """Any content will do."""


def refuse(file: LocalFile) -> None:
    raise UsageError("not this one")


def test_a_file_is_fetched_once_and_then_read_from_the_cache(server: Server, cache: Path) -> None:
    server.replies = [(200, {}, BODY)]
    first = published(server).get(accept)
    second = published(server).get(accept)
    assert first.data == second.data == BODY
    assert first.sha256 == hashlib.sha256(BODY).hexdigest() == second.sha256
    assert server.asked == ["/a/b.csv"]
    assert [p.name for p in (cache / "sets").iterdir()] == ["synthetic.csv"]


def test_a_path_given_by_the_user_comes_first(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "mine.csv"
    own.write_bytes(b"mine")
    monkeypatch.setenv("SYNTHETIC_FILE", str(own))
    assert published(server).get(accept).data == b"mine" and not server.asked


def test_the_base_address_can_be_replaced(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.replies = [(200, {}, BODY)]
    monkeypatch.setenv("GRA_BASE_URL_SYNTHETIC", server.url + "/mirror/")
    assert published().get(accept).data == BODY and server.asked == ["/mirror/a/b.csv"]


def test_what_the_check_refuses_is_not_kept(server: Server, cache: Path) -> None:
    server.replies = [(200, {}, b"<html>log in first</html>")]
    with pytest.raises(UsageError, match="not this one"):
        published(server).get(refuse)
    assert not (cache / "sets").exists()


def test_an_unreachable_publisher_says_where_to_put_the_file(cache: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(DownloadError, match=r"Synthetic set: .*cannot be reached") as caught:
        published(base_url=f"http://127.0.0.1:{port}").get(accept)
    for part in ("https://example.org/set", str(cache / "sets/synthetic.csv"), "SYNTHETIC_FILE"):
        assert part in caught.value.hint


def test_a_file_that_cannot_be_fetched_must_be_pointed_to() -> None:
    with pytest.raises(DownloadError, match="not here") as caught:
        published(base_url="", path="").get(accept)
    assert "SYNTHETIC_FILE" in caught.value.hint and "cache" not in caught.value.hint


def test_a_path_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNTHETIC_FILE", "/no/such/file.csv")
    with pytest.raises(DownloadError, match=r"SYNTHETIC_FILE=/no/such/file\.csv cannot be read"):
        published().get(accept)


def test_known_checksums_are_enforced(server: Server, cache: Path) -> None:
    server.replies = [(200, {}, BODY)]
    with pytest.raises(DownloadError, match="has SHA-256"):
        published(server, sha256="0" * 64).get(accept)
    assert not (cache / "sets").exists()
    assert published(server, sha256=hashlib.sha256(BODY).hexdigest()).get(accept).data == BODY
    (cache / "sets/synthetic.csv").write_bytes(b"changed")
    with pytest.raises(DownloadError, match="has SHA-256"):
        published(server, sha256=hashlib.sha256(BODY).hexdigest()).get(accept)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((404, {}, b"no"), "answered 404"),
        ((403, {}, b"no"), "answered 403"),
        ((200, {"Content-Length": "999"}, BODY), "broke off"),
        ((200, {}, b"x" * 2000), "larger than 1,000 bytes"),
    ],
)
def test_replies_that_will_not_do(server: Server, reply: Any, message: str) -> None:
    server.replies = [reply]
    with pytest.raises(DownloadError, match=message):
        fetch(server.url + "/f", max_bytes=1000, timeout_s=5)
    assert len(server.asked) == 1


def test_passing_faults_are_tried_again(server: Server) -> None:
    server.replies = [(503, {"Retry-After": "0"}, b""), (429, {"Retry-After": "0"}, b""), (200, {}, BODY)]
    assert fetch(server.url, max_bytes=1000) == BODY and len(server.asked) == 3


def test_lasting_faults_are_not_tried_for_ever(server: Server) -> None:
    server.replies = [(503, {"Retry-After": "0"}, b"")]
    with pytest.raises(DownloadError, match="answered 503"):
        fetch(server.url, max_bytes=1000)
    assert len(server.asked) == 3


def test_a_wait_beyond_the_time_is_not_begun(server: Server) -> None:
    server.replies = [(429, {"Retry-After": "3600"}, b"")]
    with pytest.raises(DownloadError, match="answered 429"):
        fetch(server.url, max_bytes=1000, timeout_s=5)
    assert len(server.asked) == 1


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", ""])
def test_only_http_is_fetched(url: str) -> None:
    with pytest.raises(DownloadError, match="not an http or https address"):
        fetch(url, max_bytes=1000)


def test_a_redirect_to_a_file_is_not_followed(server: Server) -> None:
    server.replies = [(302, {"Location": "file:///etc/passwd"}, b"")]
    with pytest.raises(DownloadError):
        fetch(server.url, max_bytes=1000)


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    with pytest.raises(DownloadError, match="cannot keep") as caught:
        keep(tmp_path / "taken" / "x.csv", BODY)
    assert "GRA_CACHE_DIR" in caught.value.hint


def test_writing_leaves_nothing_half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(tmp_path / "x", b"old")

    def fail(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(DownloadError, match="No space left"):
        keep(tmp_path / "x", b"new")
    assert [p.name for p in tmp_path.iterdir() if p.name != "cache"] == ["x"] and (
        tmp_path / "x"
    ).read_bytes() == b"old"


def test_the_cache_folder_of_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GRA_CACHE_DIR")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "gra"


def test_errors_are_errors_of_use() -> None:
    assert issubclass(DownloadError, UsageError) and issubclass(DownloadError, GraError)
