"""Skill data-commons: statistical variables of places, from Data Commons or any other source of kind ``statistics``."""

__version__ = "0.1.0"
