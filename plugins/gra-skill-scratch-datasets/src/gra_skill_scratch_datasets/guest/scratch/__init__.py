"""What code in the sandbox works with: `load_dataset`, `save_dataset`, and the runner that executes it.

Runs inside the sandbox, where no package of the project but this folder can be seen.
"""
