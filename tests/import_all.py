"""Import every module of a package: `python tests/import_all.py gra_geo`. Finds undeclared dependencies."""

from __future__ import annotations

import importlib
import pkgutil
import sys


def main(name: str) -> None:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        # The testing helpers, the skill template and work on a cluster need extras of their own.
        if not any(part in module.name for part in (".testing", ".template", ".cluster")):
            importlib.import_module(module.name)


if __name__ == "__main__":
    main(sys.argv[1])
