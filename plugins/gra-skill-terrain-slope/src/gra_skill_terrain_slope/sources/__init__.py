"""Sources of kind ``elevation``."""
