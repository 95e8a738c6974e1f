"""Observations of the v2 wire format as flat rows, and the choice of one facet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from attrs import frozen

from gra_core import ToolError

# A facet that the service ranks first may miss a few places; below this share another one is taken.
ENOUGH = 0.9


@frozen(kw_only=True)
class Facet:
    """Where and how values were measured: one import of one provider."""

    id: str
    import_name: str = ""
    provenance_url: str = ""
    method: str = ""
    period: str = ""
    unit: str = ""
    scaling_factor: str = ""
    aggregated: bool = False

    @classmethod
    def of(cls, identity: str, data: dict[str, Any]) -> Facet:
        """From the ``facets`` part of a response (the client library's own type drops two of the fields)."""
        return cls(
            id=identity,
            import_name=str(data.get("importName") or ""),
            provenance_url=str(data.get("provenanceUrl") or ""),
            method=str(data.get("measurementMethod") or ""),
            period=str(data.get("observationPeriod") or ""),
            unit=str(data.get("unit") or ""),
            scaling_factor=str(data.get("scalingFactor") or ""),
            aggregated=bool(data.get("isDcAggregate")),
        )

    @property
    def source(self) -> str:
        """Provider and address in one text."""
        text = " ".join(t for t in (self.import_name, self.provenance_url) if t) or f"facet {self.id}"
        return text + (" (aggregated by Data Commons)" if self.aggregated else "")

    @property
    def full_unit(self) -> str:
        """The unit with its scaling factor, when there is one."""
        return self.unit + (f" (scaled by {self.scaling_factor})" if self.scaling_factor else "")

    def named(self, wanted: str) -> bool:
        """Whether a user's text means this facet: its id or its import name."""
        return wanted == self.id or wanted.casefold() == self.import_name.casefold()


@frozen(kw_only=True)
class Track:
    """The observations of one variable, one place and one facet; `rank` 0 is the facet the service prefers."""

    variable: str
    region_id: str
    facet: Facet
    rank: int
    first: str
    last: str
    count: int
    observations: tuple[tuple[str, float], ...]


def read_tracks(response: dict[str, Any]) -> list[Track]:
    """All tracks of an observation response; ``{}`` gives none. Pages may split a facet: it is put together again."""
    facets = {key: Facet.of(key, data or {}) for key, data in (response.get("facets") or {}).items()}
    tracks: dict[tuple[str, str, str], Track] = {}
    for variable, by_variable in (response.get("byVariable") or {}).items():
        for region, by_entity in ((by_variable or {}).get("byEntity") or {}).items():
            for rank, ordered in enumerate((by_entity or {}).get("orderedFacets") or []):
                identity = str(ordered.get("facetId") or "")
                track = _track(variable, region, facets.get(identity, Facet(id=identity)), rank, ordered)
                key = (variable, region, identity)
                tracks[key] = _joined(tracks[key], track) if key in tracks else track
    return list(tracks.values())


def _track(variable: str, region: str, facet: Facet, rank: int, ordered: dict[str, Any]) -> Track:
    observations = tuple(sorted(_pairs(ordered.get("observations") or [])))
    return Track(
        variable=variable, region_id=region, facet=facet, rank=rank,
        first=str(ordered.get("earliestDate") or (observations[0][0] if observations else "")),
        last=str(ordered.get("latestDate") or (observations[-1][0] if observations else "")),
        count=int(ordered.get("obsCount") or len(observations)), observations=observations,
    )  # fmt: skip


def _pairs(observations: Iterable[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    """Date and value; an observation without a number is left out."""
    for observation in observations:
        try:
            yield str(observation["date"]), float(observation["value"])
        except (KeyError, TypeError, ValueError):
            continue


def _joined(a: Track, b: Track) -> Track:
    observations = tuple(sorted(dict(a.observations + b.observations).items()))
    return Track(
        variable=a.variable, region_id=a.region_id, facet=a.facet, rank=min(a.rank, b.rank), first=min(a.first, b.first),
        last=max(a.last, b.last), count=max(a.count, b.count, len(observations)), observations=observations,
    )  # fmt: skip


def choose_facet(tracks: list[Track], wanted: str = "") -> Facet | None:
    """The one facet to use for the tracks of one variable, so that places are compared on the same measurement.

    The facet that the service prefers for most places; when it covers less than `ENOUGH` of the places that have
    data, the one that covers the most. Ties go to the better ranks, then to the id. `wanted` is a facet id or an
    import name; ``not_found`` lists what there is.
    """
    if not tracks:
        return None
    facets = {t.facet.id: t.facet for t in tracks}
    if wanted:
        for key in sorted(facets):
            if facets[key].named(wanted):
                return facets[key]
        known = "; ".join(f"{f.id} = {f.source}" for f in sorted(facets.values(), key=lambda f: f.id))
        raise ToolError(
            "not_found", f"{tracks[0].variable} has no facet {wanted!r} here", hint=f"facets: {known}"
        )
    covered = Counter(t.facet.id for t in tracks)
    preferred = Counter(t.facet.id for t in tracks if t.rank == 0)
    ranks: Counter[str] = Counter()
    for track in tracks:
        ranks[track.facet.id] += track.rank
    places = len({t.region_id for t in tracks})
    best = min(facets, key=lambda f: (-preferred[f], ranks[f], f))
    if covered[best] < ENOUGH * places:
        best = min(facets, key=lambda f: (-covered[f], -preferred[f], ranks[f], f))
    return facets[best]
