"""Conversion of registry packages to the compact files of the embedded atlas."""
