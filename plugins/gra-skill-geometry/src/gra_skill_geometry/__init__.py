"""Skill ``geometry``: spatial operations that are right at every latitude, across the date line and at the poles."""

__version__ = "0.1.0"
