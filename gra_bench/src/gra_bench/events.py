"""Finding the events of one trial in a large log without holding all of it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

from gra_core import Event

START = re.compile(rb'\{"trial":"([^"\\]*)","attempt":"([^"\\]*)"')


class EventIndex:
    """Where in ``events.jsonl`` the events of each attempt stand."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "events.jsonl"
        self._places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        if not self._path.exists():
            return
        position = 0
        with self._path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    self._places[self._key(line)].append(position)
                position += len(line)

    @staticmethod
    def _key(line: bytes) -> tuple[str, str]:
        if match := START.match(line):
            return match[1].decode(), match[2].decode()
        record = json.loads(line)
        return record["trial"], record["attempt"]

    def of(self, trial: str, attempt: str) -> tuple[Event, ...]:
        """The events of one attempt at a trial, in order."""
        places = self._places.get((trial, attempt), [])
        if not places:
            return ()
        with self._path.open("rb") as file:
            return tuple(self._read(file, place) for place in places)

    @staticmethod
    def _read(file: object, place: int) -> Event:
        file.seek(place)  # type: ignore[attr-defined]
        record = json.loads(file.readline())  # type: ignore[attr-defined]
        return Event(**{k: record[k] for k in ("seq", "kind", "at", "elapsed_s", "data")})
