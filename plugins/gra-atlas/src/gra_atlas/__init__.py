"""Embedded open data as sources of the Geospatial Reasoning Agent."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("gra-atlas")
except PackageNotFoundError:  # run from an uninstalled checkout
    __version__ = "0"
