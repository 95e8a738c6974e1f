"""Skill ``places``: settlements, airports, landmarks and points of interest."""
