"""GeoExpertQueries: open-ended queries with golden workflows, published ones and a set of our own."""
