"""Computations of the solvers on numpy, pandas, shapely and pyproj, apart from the code that the tools run."""
