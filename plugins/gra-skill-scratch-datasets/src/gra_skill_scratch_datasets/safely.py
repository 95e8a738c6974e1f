"""Files that foreign code left behind: opened without following links, removed whatever their shape."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def opened(folder: Path, name: str, max_bytes: int) -> Iterator[IO[bytes]]:
    """A regular file of a folder, by its plain name. `OSError` for links, pipes, devices, files with a second name,
    and files larger than `max_bytes`. `folder` itself may be given as ``folder/sub``, which must not be a link."""
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        raise OSError(f"{name!r} is not a plain file name")
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        # O_NONBLOCK: opening a pipe must not wait for somebody to write to it.
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
    finally:
        os.close(place)
    with os.fdopen(descriptor, "rb") as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode) or info.st_nlink != 1:
            raise OSError(f"{name!r} is not a file of its own")
        if info.st_size > max_bytes:
            raise OSError(f"{name!r} has {info.st_size} bytes, at most {max_bytes} are taken")
        yield file


def parsed(data: bytes) -> Any:
    """JSON that can be written out again: not-a-number becomes null, half characters become ``?``.

    `ValueError` or `RecursionError` for what is no JSON or nested without end.
    """
    value = json.loads(data, parse_constant=lambda _name: None)
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def remove(folder: Path) -> None:
    """Remove a folder that may be nested too deep for paths or recursion, or made without rights. Links are not followed."""
    number = 0
    queue = [folder]
    while queue:
        place = queue.pop()
        os.chmod(place, 0o700)
        with os.scandir(place) as entries:
            found = [(e.path, e.is_dir(follow_symlinks=False)) for e in entries]
        for path, is_folder in found:
            if not is_folder:
                os.unlink(path)
                continue
            os.chmod(path, 0o700)  # renaming a folder writes to it
            number += 1
            lifted = folder.parent / f"{folder.name}-{number}"
            os.rename(path, lifted)
            queue.append(lifted)
        os.rmdir(place)
