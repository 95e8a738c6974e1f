"""Reference trajectories: how far the shipped tools get with our queries on the embedded atlas."""

from __future__ import annotations

from gra_benchmark_geoexpert.references import ground, health, operations, sites, storms
from gra_benchmark_geoexpert.references.steps import Reference

REFERENCES: dict[str, Reference] = {
    reference.id: reference
    for module in (storms, ground, health, sites, operations)
    for reference in module.REFERENCES
}
