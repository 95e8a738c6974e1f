"""Captured output of bounded size: the start and the end are kept, the middle is counted."""

from __future__ import annotations

import threading
from collections import deque
from typing import IO


class Capture:
    """Reads a pipe to its end in a thread, so that the writer never blocks, and keeps at most `limit` bytes."""

    def __init__(self, pipe: IO[bytes], limit: int) -> None:
        self.head_limit = limit // 2
        self.tail_limit = limit - self.head_limit
        self.total = 0
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._pipe = pipe
        self._thread = threading.Thread(target=self._read, daemon=True, name="gra-sandbox-output")
        self._thread.start()

    def _read(self) -> None:
        while chunk := self._pipe.read1(65536):  # type: ignore[attr-defined]
            self.total += len(chunk)
            room = self.head_limit - len(self._head)
            self._head += chunk[:room]
            if rest := chunk[max(room, 0) :]:
                self._tail.append(rest)
                self._tail_size += len(rest)
            while self._tail and self._tail_size - len(self._tail[0]) >= self.tail_limit:
                self._tail_size -= len(self._tail.popleft())

    def finish(self, within_s: float = 5.0) -> tuple[str, bool]:
        """The text and whether something was left out of it."""
        self._thread.join(within_s)
        head, tail = bytes(self._head), b"".join(self._tail)
        dropped = max(0, len(tail) - self.tail_limit) + self.total - len(head) - len(tail)
        if dropped <= 0:
            return (head + tail).decode("utf-8", "replace"), False
        tail = tail[-self.tail_limit :]
        text = (
            head.decode("utf-8", "replace")
            + f"\n… {dropped} bytes left out …\n"
            + tail.decode("utf-8", "replace")
        )
        return text, True
