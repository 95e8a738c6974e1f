"""Skill ``terrain-slope``: elevation and slope of regions, elevation profiles along lines."""

__version__ = "0.1.0"
