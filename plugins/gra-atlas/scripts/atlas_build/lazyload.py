"""R lazy-load databases (an ``.rdx`` index and an ``.rdb`` file of compressed serialised objects)."""

from __future__ import annotations

import bz2
import lzma
import zlib
from pathlib import Path
from typing import Any

import rdata


class LazyDatabase:
    """Objects of an R package's ``data/Rdata.rdb``. Format: R sources, src/main/serialize.c, R_decompress3."""

    def __init__(self, base: Path) -> None:
        index = rdata.conversion.convert(rdata.parser.parse_data(base.with_suffix(".rdx").read_bytes()))
        self.places = {str(key): (int(at), int(size)) for key, (at, size) in index["variables"].items()}
        self.blob = base.with_suffix(".rdb").read_bytes()

    def load(self, name: str) -> Any:
        """An object of the database, S4 objects as namespaces."""
        at, size = self.places[name]
        return rdata.conversion.convert(rdata.parser.parse_data(_decompress(self.blob[at : at + size])))


def _decompress(data: bytes) -> bytes:
    kind, body = data[4:5], data[5:]
    if kind == b"Z":
        filters = [{"id": lzma.FILTER_LZMA2, "preset": 6}]
        return lzma.decompress(body, format=lzma.FORMAT_RAW, filters=filters)
    return bz2.decompress(body) if kind == b"2" else zlib.decompress(data[4:])
