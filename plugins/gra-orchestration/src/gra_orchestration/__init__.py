"""Planner, executors, guidance rules and the four configurations."""
