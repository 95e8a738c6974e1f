"""The viewer as one file: page, scripts, styles and documents, readable without a server and without a network."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from gra_bench.viewer.documents import Documents
from gra_bench.viewer.server import static_files

MAX_BYTES = 40_000_000
MAX_PREVIEWS = 1000
MAPS = ("vendor/maplibre-gl.js", "vendor/maplibre-gl.css")
IMPORT = re.compile(r'^import\s*(\{[^}]*\})\s*from "\./([a-z]+)\.js";$', re.M)
EXPORT = re.compile(r"^export ((?:async )?(?:function|const|let|class) (\w+))", re.M)


def bundle(entry: str = "app") -> str:
    """The page's modules as one classic script: each a function that returns its exports, after those that it imports."""
    order: list[str] = []
    parts: list[str] = []

    def visit(name: str) -> None:
        if name in order:
            return
        order.append(name)
        text = static_files()[f"{name}.js"].decode()
        for _, imported in IMPORT.findall(text):
            visit(imported)
        exports = ", ".join(exported for _, exported in EXPORT.findall(text))
        body = EXPORT.sub(r"\1", IMPORT.sub(r"const \1 = $\2;", text))
        parts.append(f"const ${name} = (() => {{\n{body}return {{ {exports} }};\n}})();\n")

    visit(entry)
    return '(() => {\n"use strict";\n' + "".join(parts) + "})();"


def self_contained(
    folders: list[Path], *, max_bytes: int = MAX_BYTES, tell: Callable[[str], None] = lambda text: None
) -> Iterator[str]:
    """The file in parts. Trajectories that do not fit into `max_bytes` (packed) are left out, best scores first, and the page
    says so."""
    documents = Documents(folders)
    files = static_files()
    script = bundle()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}' blob:; style-src 'unsafe-inline'; img-src data: blob:; "
        "worker-src blob:; connect-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    shell = files["index.html"].decode()
    head, _, tail = shell.partition("<!-- data -->")
    styles = files["viewer.css"].decode()
    head = re.sub(r'<link rel="stylesheet"[^>]*>', lambda _: f"<style>\n{styles}</style>", head, count=1)
    head = head.replace(
        "<head>", f'<head>\n<meta http-equiv="Content-Security-Policy" content="{policy}">', 1
    )
    yield head
    yield _plain("summary", documents.get("summary"))
    yield f"<script>{script}</script>\n"
    for path in ("trials", *(f"tables/{number}" for number in range(len(folders)))):
        yield _packed(path, documents.get(path))
    yield from _trials(documents, max_bytes, tell)
    yield re.sub(r"<script[^>]*></script>\n?", "", tail)


def _trials(documents: Documents, max_bytes: int, tell: Callable[[str], None]) -> Iterator[str]:
    """Trials with their datasets, and the map's library when there is something to map."""
    rows = [
        (_worst(row), number, row[0])
        for number, index in enumerate(documents.indexes)
        for row in map(json.loads, index.rows())
    ]
    used = previews = taken = 0
    maps = False
    for _, number, trial in sorted(rows):
        path = f"trial/{number}/{trial}"
        text = documents.get(path)
        parts = [_packed(path, text)]
        for manifest in json.loads(text)["datasets"]:
            if previews < MAX_PREVIEWS:
                name = f"dataset/{number}/{trial}/{str(manifest.get('ref', '')).removeprefix('ds://')}"
                shown = documents.get(name)
                maps = maps or '"map":{' in shown
                parts.append(_packed(name, shown))
                previews += 1
        if used and used + sum(map(len, parts)) > max_bytes:
            break
        used += sum(map(len, parts))
        taken += 1
        yield from parts
    if taken < len(rows):
        tell(
            f"{len(rows) - taken} of {len(rows)} trajectories are left out to keep the file below {max_bytes / 1e6:.0f} MB"
        )
    if maps:
        yield _packed("base", documents.get("base"))
        for name in MAPS:
            yield _packed(name, static_files()[name].decode())


def _worst(row: list[object]) -> float:
    """Low scores first: those are looked at."""
    from gra_bench.row import COLUMNS

    scores = [score for _, score in row[COLUMNS.index("scores")] if score is not None]  # type: ignore[attr-defined]
    return min(scores, default=-1.0)


def _plain(path: str, text: str) -> str:
    # "<" cannot end the element or start a comment then; JSON reads it the same.
    return f'<script type="application/json" data-path="{path}">{text.replace("<", chr(92) + "u003c")}</script>\n'


def _packed(path: str, text: str) -> str:
    packed = base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()
    return f'<script type="application/gzip" data-path="{path}">{packed}</script>\n'
