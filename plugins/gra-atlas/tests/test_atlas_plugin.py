"""The plugin: conformance, light imports, declared sources, snapshots."""

import subprocess
import sys

import pytest

from gra_atlas import files
from gra_atlas.plugin import gra_sources
from gra_core import SourceSettings
from gra_core.testing.conformance import PluginConformance


class TestConformance(PluginConformance):
    plugin = "gra_atlas.plugin"


def test_sources_and_their_kinds():
    assert {(s.kind, s.name) for s in gra_sources()} == {
        ("boundaries", "atlas"), ("places", "atlas"), ("places", "osm-helsinki"), ("statistics", "atlas"),
        ("cyclones", "atlas"), ("elevation", "atlas"),
    }  # fmt: skip
    for source in gra_sources():
        assert source.storable and not source.live and not source.missing()
        assert source.licence and source.coverage and source.period and len(source.snapshot) == 12


def test_the_atlas_is_the_default_for_places():
    places = sorted((s for s in gra_sources() if s.kind == "places"), key=lambda s: (-s.priority, s.name))
    assert places[0].name == "atlas"


def test_declaring_imports_nothing_heavy():
    code = (
        "import sys, gra_atlas.plugin as p; p.gra_sources();"
        "print([m for m in ('pandas','numpy','geopandas','shapely','pyarrow','rasterio','pyproj') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("source", gra_sources(), ids=lambda s: f"{s.kind}-{s.name}")
def test_sources_open(source):
    assert source.open(SourceSettings()) is not None


def test_snapshot_depends_on_the_files():
    assert files.snapshot("cities.parquet") != files.snapshot("airports.parquet")
    assert files.snapshot("cities.parquet") == files.snapshot("cities.parquet")


def test_unknown_file_lists_what_there_is():
    with pytest.raises(FileNotFoundError, match="helsinki_streets"):
        files.data_file("nothing.parquet")


def test_once_is_made_once_by_many_threads():
    from concurrent.futures import ThreadPoolExecutor
    from time import sleep

    made = []

    def make():
        sleep(0.02)
        made.append(1)
        return object()

    value = files.Once(make)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: value(), range(32)))
    assert len(made) == 1 and len({id(r) for r in results}) == 1
