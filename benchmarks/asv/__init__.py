"""The cases of `benchmarks/large.py`, kept over time by asv: `asv run`, `asv publish`."""
