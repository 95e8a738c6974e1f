"""The llama.cpp bindings, imported late and made considerate."""

from __future__ import annotations

import os
import sys
from types import ModuleType

# Threads of GNU OpenMP wait for each other in endless busy loops unless told otherwise when the library is loaded. As
# soon as a tool or another program needs one of the processors, that makes llama.cpp several times slower, and the rest
# too. A short wait before a thread sleeps costs nothing on an idle machine; none at all would halve its speed there.
CONSIDERATE = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "2000"}


def llama() -> ModuleType:
    """The module `xllamacpp`. The environment is as before afterwards: child processes are none of our business."""
    if "xllamacpp" in sys.modules:
        return sys.modules["xllamacpp"]
    added = [name for name in CONSIDERATE if name not in os.environ]
    os.environ.update({name: CONSIDERATE[name] for name in added})
    try:
        import xllamacpp
    finally:
        for name in added:
            del os.environ[name]
    return xllamacpp
