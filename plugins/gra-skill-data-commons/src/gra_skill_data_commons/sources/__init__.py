"""Live sources of the skill."""
