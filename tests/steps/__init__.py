"""Benchmark `steps`: trials of several model calls, for the tests of what a kill, a full disk or a fault leads to."""
