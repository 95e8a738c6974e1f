"""The launcher: a small process of its own between the agent and foreign code. Standard library (and sandlock) only.

It starts the confined worker, watches time, memory, processes and disk, kills everything that is left, and reports.
A crash or a flood in there never reaches the agent's process.
"""
