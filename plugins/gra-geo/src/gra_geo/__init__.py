"""Geospatial base library of the plugins. Import the module you need; this package imports nothing heavy."""

__version__ = "0.1.0"
