"""Executes the user's code as a notebook cell would and writes a report; the last expression's value is part of it."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import os
import sys
from typing import Any

from .data import Datasets
from .failure import FILE, describe, limit_of
from .values import shown


def main(folder: str) -> None:
    """Run what ``request.json`` asks for and leave ``report.json``; ends the process, whatever its threads still do."""
    with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
        request = json.load(file)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    sys.path.insert(0, folder)
    datasets = Datasets(request["inputs"], os.path.join(folder, "outputs"))
    me = os.getpid()
    report = execute(request["code"], {"load_dataset": datasets.load, "save_dataset": datasets.save})
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    if os.getpid() == me:  # a fork of the user's code comes by here too, and has nothing to report
        with open(os.path.join(folder, "report.json"), "w", encoding="utf-8") as file:
            json.dump(report, file)
    os._exit(0)


def execute(code: str, helpers: dict[str, Any]) -> dict[str, Any]:
    """Status ``ok``, ``exit`` or ``exception`` with what belongs to it."""
    linecache.cache[FILE] = (len(code), None, code.splitlines(keepends=True), FILE)
    scope: dict[str, Any] = {"__name__": "__main__", **helpers}
    try:
        tree = ast.parse(code, FILE)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, FILE, "exec"), scope)
        value = (
            eval(compile(ast.Expression(last.value), FILE, "eval"), scope)
            if isinstance(last, ast.Expr)
            else None
        )
        return {"status": "ok"} | shown(value)
    except SystemExit as leaving:
        return {
            "status": "exit",
            "code": leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None),
        }
    except BaseException as error:  # whatever the code raises belongs to its report
        limit = limit_of(error)
        return {
            "status": "exception",
            "limit": limit,
            "type": type(error).__name__,
            "traceback": describe(error),
        }
