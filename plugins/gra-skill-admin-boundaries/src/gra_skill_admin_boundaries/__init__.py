"""Skill ``admin-boundaries``: administrative regions by name, id, parent or position."""
