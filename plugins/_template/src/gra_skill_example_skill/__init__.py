"""Skill example-skill."""
