"""A trivial benchmark for measuring the runner; `benchmarks/bench_peer.py` puts it on the path."""
