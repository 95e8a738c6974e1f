"""Exceptions of the user's code as short text: lines of their code in full, frames of libraries abbreviated."""

from __future__ import annotations

import errno
import os
import re
import traceback

FILE = "<code>"
HERE = os.path.dirname(os.path.abspath(__file__))
MAX_FRAMES, MAX_TEXT = 8, 3000


def describe(error: BaseException) -> str:
    """A traceback that starts in the user's code."""
    parts = []
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and (type(cause), str(cause)) != (type(error), str(error)):
        parts.append(f"(caused by {type(cause).__name__}: {_message(cause)})")
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(HERE)]
    start = next((i for i, f in enumerate(frames) if f.filename == FILE), None)
    kept = frames[start:] if start is not None else []
    if len(kept) > MAX_FRAMES:
        kept = kept[: MAX_FRAMES // 2] + kept[-MAX_FRAMES // 2 :]
    lines = ["Traceback of the code:\n"] if kept else []
    lines += traceback.StackSummary.from_list(kept).format()
    lines += traceback.format_exception_only(type(error), error)
    text = re.sub(
        r'File "[^"]*(?:site-packages|dist-packages|lib/python3\.\d+)/', 'File "', "".join(lines)
    ).strip()
    if len(text) > MAX_TEXT:
        text = text[: MAX_TEXT // 3] + "\n…\n" + text[-2 * MAX_TEXT // 3 :]
    return "\n".join([text, *parts])


def _message(error: BaseException) -> str:
    return str(error)[:300]


def limit_of(error: BaseException) -> str:
    """Which limit of the sandbox an exception comes from: memory, processes, disk, or none of them."""
    number = getattr(error, "errno", None)
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and number == errno.ENOMEM):
        return "memory"
    if isinstance(error, OSError) and number in (errno.EFBIG, errno.ENOSPC, errno.EDQUOT):
        return "disk"
    threads = isinstance(error, RuntimeError) and "can't start new thread" in str(error)
    if threads or (isinstance(error, OSError) and number == errno.EAGAIN):
        return "processes"
    return ""
