"""Live sources of kind ``places``."""
