"""Constraints from 100 000 labels on 200 000 nodes: built, applied to a vector, scored.

    python benchmarks/many_labels.py [--quick]

Prints time and peak memory for growing N; both must grow linearly.
"""

from __future__ import annotations

import argparse
import tracemalloc
from time import perf_counter

import numpy as np

from sidecut import Constraints


def work(labels, x, clusters):
    known = Constraints.from_labels(labels)
    return known @ x, known.satisfaction(clusters)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="stop at N = 20 000")
    sizes = [2_000, 20_000] if parser.parse_args().quick else [2_000, 20_000, 200_000, 2_000_000]
    print(f"{'N':>9} {'labels':>9} {'seconds':>8} {'MiB':>7} {'bytes/N':>8}")
    for n in sizes:
        rng = np.random.default_rng(0)
        labels = np.where(np.arange(n) % 2 == 0, rng.integers(0, 10, n), -1)
        x, clusters = rng.normal(size=n), rng.integers(0, 10, n)
        start = perf_counter()
        work(labels, x, clusters)
        seconds = perf_counter() - start
        tracemalloc.start()
        work(labels, x, clusters)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"{n:>9} {n // 2:>9} {seconds:>8.3f} {peak / 2**20:>7.1f} {peak / n:>8.0f}")


if __name__ == "__main__":
    main()
