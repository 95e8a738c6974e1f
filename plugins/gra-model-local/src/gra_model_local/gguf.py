"""The metadata at the start of a GGUF file (versions 2 and 3), read without loading the model.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any

from attrs import frozen

from gra_core import UsageError

_SCALARS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_STRING, _ARRAY = 8, 9


@frozen(kw_only=True)
class Metadata:
    """What is worth knowing of a model before it is loaded. `context_length` is 0 when the file does not say."""

    architecture: str
    name: str
    context_length: int
    chat_template: str


def read_metadata(path: Path) -> Metadata:
    """The metadata of a model file; `UsageError` when it is not a GGUF file or is cut short."""
    try:
        with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as view:
            values = _Reader(view).values()
    except (OSError, ValueError, struct.error) as error:
        raise UsageError(
            f"{path} is not a readable GGUF model file: {error}", hint="give the path of a .gguf file"
        ) from error
    architecture = str(values.get("general.architecture", ""))
    return Metadata(
        architecture=architecture,
        name=str(values.get("general.name", "") or path.stem),
        context_length=int(values.get(f"{architecture}.context_length", 0)),
        chat_template=str(values.get("tokenizer.chat_template", "")),
    )


class _Reader:
    def __init__(self, view: mmap.mmap) -> None:
        self.view, self.at = view, 0

    def values(self) -> dict[str, Any]:
        """All scalar and text values; arrays (the vocabulary) are skipped."""
        magic, version, _, count = self._take("<4sIQQ")
        if magic != b"GGUF":
            raise ValueError(f"it starts with {magic!r}, not with b'GGUF'")
        if version not in (2, 3):
            raise ValueError(f"GGUF version {version} is not 2 or 3")
        return {self._text(): self._value(self._take("<I")[0]) for _ in range(count)}

    def _take(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(form, self.view, self.at)
        self.at += struct.calcsize(form)
        return found

    def _text(self) -> str:
        (length,) = self._take("<Q")
        if self.at + length > len(self.view):
            raise ValueError("the file is cut short")
        self.at += length
        return self.view[self.at - length : self.at].decode("utf-8", "replace")

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._text()
        if kind == _ARRAY:
            return self._skip(*self._take("<IQ"))
        if kind not in _SCALARS:
            raise ValueError(f"unknown value type {kind}")
        return self._take(_SCALARS[kind])[0]

    def _skip(self, kind: int, count: int) -> None:
        if kind in _SCALARS:
            self.at += count * struct.calcsize(_SCALARS[kind])
            return
        for _ in range(count):
            if kind == _STRING:
                self.at += 8 + struct.unpack_from("<Q", self.view, self.at)[0]
            else:
                self._value(kind)
