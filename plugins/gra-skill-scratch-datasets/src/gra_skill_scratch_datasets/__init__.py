"""Skill scratch-datasets: look at, query, import and export datasets, and run Python on them in a sandbox."""
