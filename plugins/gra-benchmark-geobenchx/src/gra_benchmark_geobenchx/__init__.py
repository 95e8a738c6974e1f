"""GeoBenchX: geospatial tasks, some of which cannot be solved, and a sample of our own."""
