"""Scorers: how good a final answer is, between 0 and 1. Those here are deterministic and need no model."""

__version__ = "0.1.0"
