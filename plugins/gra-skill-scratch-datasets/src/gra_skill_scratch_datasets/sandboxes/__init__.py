"""Sandboxes for Python: sandlock, bubblewrap, and none (unprotected)."""
