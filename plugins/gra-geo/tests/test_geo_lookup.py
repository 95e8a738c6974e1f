"""Whose ids a list holds is asked of the sources, not read off a list of schemes."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest
import shapely

import gra_geo.plugin
from gra_core import Source, ToolError, hookimpl
from gra_core.testing import registry_of, tool_context
from gra_geo.inputs import read_features, read_points, read_regions
from gra_geo.lookup import place_named


class SyntheticPlaces:
    """Places of a scheme that nobody has heard of."""

    fault = ""

    def __init__(self, settings) -> None:
        """There is nothing to set."""

    def get(self, *, place_ids):
        if self.fault:
            raise ToolError(self.fault, "the synthetic service is away")
        rows = [
            {"place_id": p, "name": p[10:], "lon": 1.0, "lat": 2.0}
            for p in place_ids
            if p.startswith("synthetic/")
        ]
        if len(rows) < len(place_ids):
            raise ToolError("not_found", "no such synthetic place", hint="invent another")
        return pd.DataFrame(rows)


class SyntheticRegions:
    """Squares of a scheme of their own."""

    fault = ""

    def __init__(self, settings) -> None:
        """There is nothing to set."""

    def get(self, *, region_ids):
        import geopandas as gpd

        if self.fault:
            raise ToolError(self.fault, "the synthetic atlas is away")
        if any(not r.startswith("square/") for r in region_ids):
            raise ToolError("not_found", "no such synthetic square", hint="draw it")
        shapes = [shapely.box(0, 0, 1, 1) for _ in region_ids]
        return gpd.GeoDataFrame(
            {"region_id": region_ids, "name": region_ids}, geometry=shapes, crs="EPSG:4326"
        )


class Synthetic:
    @hookimpl
    def gra_sources(self):
        made = {"title": "Synthetic", "licence": "none", "coverage": "none"}
        return [
            Source(kind="places", name="synthetic-places", factory=f"{__name__}:SyntheticPlaces", **made),
            Source(
                kind="boundaries", name="synthetic-regions", factory=f"{__name__}:SyntheticRegions", **made
            ),
        ]


@pytest.fixture
def synthetic(tmp_path, monkeypatch):
    """A context over the synthetic sources; keyword arguments are the faults of places and regions."""
    import sys

    monkeypatch.setitem(
        sys.modules,
        __name__,
        SimpleNamespace(SyntheticPlaces=SyntheticPlaces, SyntheticRegions=SyntheticRegions),
    )

    def make(*, places: str = "", regions: str = ""):
        monkeypatch.setattr(SyntheticPlaces, "fault", places)
        monkeypatch.setattr(SyntheticRegions, "fault", regions)
        return tool_context(registry_of(gra_geo.plugin, Synthetic()), tmp_path)

    return make


def test_ids_of_any_scheme(synthetic) -> None:
    ctx = synthetic()
    assert read_points(ctx, "synthetic/a").frame["place_id"].tolist() == ["synthetic/a"]
    assert read_features(ctx, ["synthetic/b", "synthetic/c"]).frame["name"].tolist() == ["b", "c"]
    assert read_features(ctx, ["square/1"]).frame.geometry[0].area == 1
    assert [use.source for use in ctx.uses] == ["synthetic-places", "synthetic-places", "synthetic-regions"]


@pytest.mark.parametrize("read", [read_points, read_features])
def test_a_list_may_mix_them(synthetic, read) -> None:
    frame = read(synthetic(), ["square/1", "synthetic/a", "square/2", "square/3"]).frame
    assert frame.filter(regex="^(place|feature)_id$").iloc[:, 0].tolist() == [
        "square/1",
        "synthetic/a",
        "square/2",
        "square/3",
    ]
    assert frame["name"].tolist() == ["square/1", "a", "square/2", "square/3"]


def test_the_atlas_s_own(ctx) -> None:
    """Some airports have a code of four letters only."""
    table = ctx.source("places").search(text="", types=["airport"], limit=100_000)
    only_icao = table[table["place_id"].str.startswith("icao/")]["place_id"].iloc[0]
    assert read_points(ctx, [only_icao]).frame["place_id"].tolist() == [only_icao]
    assert read_regions(ctx, ["geoId/31", "country/USA"]).frame["region_id"].tolist() == [
        "geoId/31",
        "country/USA",
    ]
    assert "feature_id" not in read_regions(ctx, ["geoId/31", "country/USA"]).frame


def test_an_id_that_nobody_knows_is_told_by_both(synthetic) -> None:
    for read in (read_points, read_features):
        with pytest.raises(ToolError) as caught:
            read(synthetic(), ["nowhere/1"])
        assert caught.value.kind == "not_found"
        assert "synthetic square" in caught.value.message and "synthetic place" in caught.value.message
        assert "draw it" in caught.value.hint and "invent another" in caught.value.hint


def test_a_place_is_no_region(synthetic) -> None:
    with pytest.raises(ToolError, match="no such synthetic square"):
        read_regions(synthetic(), ["synthetic/a"])


@pytest.mark.parametrize(
    "faults",
    [{"places": "timeout"}, {"regions": "timeout"}, {"places": "timeout", "regions": "not_available"}],
)
def test_a_source_that_fails_is_not_taken_for_one_that_does_not_know(synthetic, faults) -> None:
    with pytest.raises(ToolError, match="is away") as caught:
        read_features(synthetic(**faults), ["nowhere/1"])
    assert caught.value.kind == "timeout"


def test_a_source_that_fails_does_no_harm_to_ids_of_the_other(synthetic) -> None:
    assert len(read_features(synthetic(regions="upstream"), ["synthetic/a"]).frame) == 1
    assert len(read_points(synthetic(places="quota"), ["square/1"]).frame) == 1


def test_names_with_qualifiers_of_every_form(ctx) -> None:
    ids = {
        place_named(ctx, name, "points", []).place_id[0]
        for name in ("Portland, Oregon", "Portland OR", "portland (oregon)")
    }
    assert ids == {"geonames/5746545"}
