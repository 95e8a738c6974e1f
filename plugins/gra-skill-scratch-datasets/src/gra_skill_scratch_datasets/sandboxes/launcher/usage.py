"""How much disk a folder takes, measured against hostile contents: many files, deep folders, hidden folders."""

from __future__ import annotations

import os

MAX_FILES = 100_000


def folder_bytes(folder: str, allowed: int) -> int:
    """Bytes of all files in a folder, hard links counted once; stops counting at more than `allowed`.

    More than `MAX_FILES` entries, or a folder that cannot be looked at (too deep, made without rights), count as more than allowed.
    """
    total, entries = 0, 0
    seen: set[tuple[int, int]] = set()
    stack = [folder]
    while stack:
        place = stack.pop()
        try:
            with os.scandir(place) as found:
                for entry in found:
                    entries += 1
                    info = entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        stack.append(entry.path)
                    if info.st_nlink == 1 or (info.st_dev, info.st_ino) not in seen:
                        total += info.st_blocks * 512
                        seen.add((info.st_dev, info.st_ino)) if info.st_nlink > 1 else None
                    if total > allowed or entries > MAX_FILES:
                        return allowed + 1
        except FileNotFoundError:
            continue
        except OSError:
            return allowed + 1
    return total
