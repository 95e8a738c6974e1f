"""GeoKTools: templated queries whose true answers are computed, grouped by how many types of tools they take."""

__version__ = "0.1.0"
