"""What must not be imported before it is used, seen in `sys.modules`."""

from __future__ import annotations

import subprocess
import sys

HEAVY = (
    "geopandas",
    "pandas",
    "numpy",
    "shapely",
    "pyproj",
    "rasterio",
    "xarray",
    "google.genai",
    "openai",
    "duckdb",
    "statsforecast",
    "scipy",
    "distributed",
)


def modules_after(*arguments: str) -> set[str]:
    code = (
        "import sys\nfrom gra_bench.cli import main\n"
        f"try:\n    main({list(arguments)!r})\nexcept SystemExit:\n    pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_help_imports_click_and_nothing_of_ours_but_the_command_line() -> None:
    loaded = modules_after("--help")
    assert not {m for m in loaded if m.startswith("gra_core")}
    assert {m for m in loaded if m.startswith("gra_bench")} <= {"gra_bench", "gra_bench.cli"}


def test_listing_everything_imports_no_heavy_library() -> None:
    for kind in ("plugins", "tools", "sources", "skills", "benchmarks", "models"):
        loaded = modules_after("list", kind, "--json")
        assert not loaded & set(HEAVY), f"list {kind}: {sorted(loaded & set(HEAVY))}"
