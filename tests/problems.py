"""Random problems that the tests share."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from sidecut import Constraints


def random_graph(rng: np.random.Generator, n: int, *, density: float = 1.0):
    """Return a connected graph with random weights; sparse when density is below 1."""
    A = rng.uniform(0.1, 1.0, (n, n)) * (rng.uniform(size=(n, n)) < density)
    A = np.triu(A, 1)
    ring = np.arange(n - 1)
    A[ring, ring + 1] += 0.2
    A = A + A.T
    return A if density == 1.0 else sparse.csr_array(A)


def random_constraints(rng: np.random.Generator, n: int) -> Constraints:
    """Return pairs, labels or a soft matrix, or a mixture."""
    truth = rng.integers(0, 3, n)
    kind = rng.integers(4)
    pairs = Constraints.sample(truth, int(rng.integers(1, n)), random_state=int(rng.integers(1e6)))
    labels = Constraints.from_labels(np.where(rng.uniform(size=n) < 0.5, truth, -1))
    soft = rng.normal(size=(n, n)) * (rng.uniform(size=(n, n)) < 0.3)
    matrix = Constraints.from_matrix(soft + soft.T)
    mixture = pairs + 0.5 * labels
    return (pairs, labels if labels else pairs, matrix if matrix else pairs, mixture)[kind]
