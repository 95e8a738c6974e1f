"""The conformance suite of the skill ``geometry``."""

from gra_core.testing import PluginConformance

BOX = {"type": "Polygon", "coordinates": [[[-97, 40], [-96, 40], [-96, 41], [-97, 41], [-97, 40]]]}
COUNTIES = ["geoId/31109", "geoId/31055", "geoId/31147"]


class TestConformance(PluginConformance):
    plugin = "gra_skill_geometry.plugin"
    examples = {
        "compute_distances": [
            {"a": "Carhenge", "b": COUNTIES, "order": "farthest"},
            {"a": COUNTIES, "b": COUNTIES, "anchor": "boundary", "k": 0},
        ],
        "measure_features": [{"features": COUNTIES, "what": ["area", "perimeter", "centroid", "bounds"]}],
        "buffer_features": [
            {"features": COUNTIES, "distance_m": 1000, "dissolve": True},
            {"features": COUNTIES, "distance_m": -1e5},
        ],
        "filter_by_intersection": [
            {"features": COUNTIES, "mask": BOX},
            {"features": COUNTIES, "mask": BOX, "predicate": "contains"},
        ],
        "join_by_location": [{"left": ["geonames/5072006"], "right": COUNTIES}],
        "overlay_features": [{"a": COUNTIES, "b": BOX}, {"a": COUNTIES, "b": BOX, "how": "union"}],
    }
