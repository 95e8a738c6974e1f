"""What the confined interpreter needs to see: itself, its libraries, the system's libraries, nothing of the user's."""

from __future__ import annotations

import os
import sys
import sysconfig
from functools import lru_cache
from pathlib import Path

GUEST = Path(__file__).resolve().parent.parent / "guest"
SYSTEM_PREFIXES = ("/", "/usr", "/usr/local")
SYSTEM = (
    "/lib", "/lib32", "/lib64", "/libx32", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/local/lib",
    "/usr/share/zoneinfo", "/usr/share/proj", "/usr/share/gdal", "/etc/ld.so.cache", "/etc/alternatives",
    "/nix/store", "/gnu/store", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random",
)  # fmt: skip


def interpreter() -> str:
    """The interpreter behind any virtual environment: its libraries are found without following links."""
    return os.path.realpath(sys.executable)


@lru_cache(maxsize=1)
def libraries() -> tuple[str, ...]:
    """The folders of installed packages that this process imports from."""
    schemes = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    found = [p for p in sys.path if p in schemes or os.path.basename(p) in ("site-packages", "dist-packages")]
    return tuple(dict.fromkeys(os.path.realpath(p) for p in found if os.path.isdir(p)))


@lru_cache(maxsize=1)
def readable() -> tuple[str, ...]:
    """Files and folders of Python and the system, existing ones only, each once, parents before children.

    Of a prefix only ``lib`` (and ``share`` of Python's own prefix) is shown: a virtual environment may lie in the
    same folder as the user's files.
    """
    paths = [*SYSTEM, str(GUEST), interpreter(), *libraries()]
    paths += [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    for prefix in {os.path.realpath(sys.base_prefix), os.path.realpath(sys.base_exec_prefix)} - set(
        SYSTEM_PREFIXES
    ):
        paths += [os.path.join(prefix, "lib"), os.path.join(prefix, "lib64"), os.path.join(prefix, "share")]
    return _outermost(p for p in paths if os.path.exists(p))


def _outermost(paths: object) -> tuple[str, ...]:
    kept: list[str] = []
    for path in sorted(set(paths)):  # type: ignore[call-overload]
        covered = any(path.startswith(k + "/") and not os.path.islink(k) for k in kept)
        if not covered:
            kept.append(path)
    return tuple(kept)


def environment(folder: Path) -> dict[str, str]:
    """All environment variables that the confined process has."""
    threads = str(min(4, os.cpu_count() or 1))
    return {
        "HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"), "PATH": "", "USER": "sandbox", "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8", "TZ": "UTC", "MPLBACKEND": "Agg", "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, "GDAL_PAM_ENABLED": "NO",
    }  # fmt: skip
