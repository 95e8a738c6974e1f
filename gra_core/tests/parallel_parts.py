"""Parts of test_core_parallel.py, in a module that other processes can import."""

from __future__ import annotations

from os import getpid
from pathlib import Path

from gra_core import ToolError, map_parts, part_count


def square(n: int) -> int:
    return n * n


def process_of(_: int) -> int:
    return getpid()


def raise_it(error: Exception) -> None:
    raise error


class Particular(Exception):
    """Cannot be read again after pickling: what it takes is not what it hands on."""

    def __init__(self, name: str, number: int) -> None:
        super().__init__(f"{name} {number}")
        self.number = number


def fail_particularly(number: int) -> None:
    raise Particular("part", number)


def only_in(pid: int) -> int:
    """Works in one process only, as with a file that others do not see."""
    if getpid() != pid:
        try:
            Path("/no/such/file").read_bytes()
        except OSError as error:
            raise ToolError("not_found", "no such file") from error
    return getpid()


def parts_of_a_part(_: int) -> tuple[int, list[int]]:
    return part_count(), map_parts(process_of, range(2))
