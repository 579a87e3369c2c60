"""Our solution of the paper's pencil against `scipy.linalg.eig`, which is QZ, on one problem.

    python benchmarks/dense_pencil.py [--quick]

Times a whole fit (graph, spectrum of Q̄, all feasible cuts, labels) and the general solver on the
matrices of that fit, in one run, and checks that both find the same cut.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np
from scipy import linalg
from sklearn.datasets import make_blobs

from sidecut import CSP, Constraints


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="N = 300 instead of 2000")
    n = 300 if parser.parse_args().quick else 2000

    X, y = make_blobs(n, centers=2, n_features=5, cluster_std=4.0, random_state=0)
    known = Constraints.sample(y, n // 2, random_state=0)
    model = CSP(affinity="rbf")
    model.fit(X[:50])  # loads what is loaded on first use
    start = perf_counter()
    model.fit(X, constraints=known)
    ours = perf_counter() - start

    graph = model.laplacian_
    scale = 1 / np.sqrt(graph.degrees)
    M = scale[:, None] * known.toarray() * scale - model.beta_ / graph.volume * np.eye(n)
    start = perf_counter()
    values, vectors = linalg.eig(graph.matrix, M)
    theirs = perf_counter() - start

    feasible = np.flatnonzero((values.real > 1e-9) & np.isfinite(values))
    V = vectors[:, feasible].real
    V /= np.linalg.norm(V, axis=0)
    best = V[:, (V * (graph.matrix @ V)).sum(axis=0).argmin()]
    overlap = abs(best @ model.cuts_.vectors[:, 0]) / np.sqrt(graph.volume)
    print(f"N = {n}, {n // 2} pairs, feasible cuts: {model.cuts_.n_cuts} and {len(feasible)}")
    print(f"sidecut fit {ours:.2f} s, scipy.linalg.eig {theirs:.1f} s, ratio {theirs / ours:.0f}")
    print(f"residual {model.cuts_.residuals.max():.1e}, overlap of the two cuts {overlap:.9f}")
    assert abs(overlap - 1) < 1e-6, "the two solvers disagree"


if __name__ == "__main__":
    main()
