"""CBGB: numeric questions of Earth observation, its editions, and a sample of our own."""
