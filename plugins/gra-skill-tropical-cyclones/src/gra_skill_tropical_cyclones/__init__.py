"""Skill tropical-cyclones: best tracks, wind swaths, active storms and track forecasts."""

__version__ = "0.1.0"
