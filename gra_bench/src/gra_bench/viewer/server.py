"""A server on loopback: the page's own files and the documents of the given runs, nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any
from urllib.parse import unquote, urlsplit

from gra_bench.viewer.documents import Documents, Missing, as_json
from gra_core.secrets import redact

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
# MapLibre runs its worker from a blob and reads pictures from data URLs. Nothing may be fetched from elsewhere.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; worker-src blob:; "
    "connect-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@lru_cache(maxsize=1)
def static_files() -> dict[str, bytes]:
    """The page's files by URL path; paths of requests are looked up here and never reach the file system."""
    return dict(_walk(resources.files("gra_bench.viewer") / "static", ""))


def _walk(folder: Any, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry.read_bytes()


class ViewerServer(ThreadingHTTPServer):
    """Serves until `shutdown`; `url` is where."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, documents: Documents, port: int = 0) -> None:
        self.documents = documents
        super().__init__(("127.0.0.1", port), Handler)
        names = ("127.0.0.1", "localhost")
        self.hosts = {f"{name}:{self.server_port}" for name in names} | (
            {*names} if self.server_port == 80 else set()
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(BaseHTTPRequestHandler):
    """GET and HEAD of static files and documents, for requests that were meant for this server."""

    server: ViewerServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "gra-bench", ""
    timeout = 60

    def do_GET(self) -> None:
        # A page of another site whose name resolves to 127.0.0.1 has another Host.
        if self.headers.get("Host", "") not in self.server.hosts:
            return self._send(
                403, "text/plain; charset=utf-8", b"This server answers to 127.0.0.1 and localhost only.\n"
            )
        path = unquote(urlsplit(self.path).path).removeprefix("/")
        if path.startswith("api/"):
            # A link to the page may stand anywhere; its documents are for the page itself.
            if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
                return self._send(
                    403, "text/plain; charset=utf-8", b"Documents are for this server's own page only.\n"
                )
            return self._document(path.removeprefix("api/"))
        body = static_files().get(path or "index.html")
        if body is None:
            return self._send(404, "text/plain; charset=utf-8", b"Not found.\n")
        suffix = "." + (path or "index.html").rpartition(".")[2]
        self._send(200, TYPES.get(suffix, "application/octet-stream"), body)

    do_HEAD = do_GET

    def _document(self, path: str) -> None:
        kind = "application/json; charset=utf-8"
        try:
            body = self.server.documents.get(path)
        except Missing:
            self._send(404, kind, as_json({"error": f"there is no {path!r} in these runs"}).encode())
        except Exception as error:
            text = redact(f"{type(error).__name__}: {error}")
            sys.stderr.write(f"gra-bench view: {path!r}: {text}\n")
            self._send(500, kind, as_json({"error": text}).encode())
        else:
            self._send(200, kind, body.encode("ascii"))

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **HEADERS}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Requests are nobody's business."""
