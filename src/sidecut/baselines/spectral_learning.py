"""Spectral learning: constraints overwrite affinities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy import sparse

from sidecut.baselines._base import (
    Baseline,
    Problem,
    Solution,
    graph_laplacian,
    lowest_vectors,
    unit_rows,
)


def overwritten(affinity: Any, links: sparse.csr_array) -> Any:
    """Return the affinities over their maximum, 1 at must-links and 0 at cannot-links.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from sidecut.baselines.spectral_learning import overwritten
    >>> links = sparse.csr_array(np.array([[0.0, -1, 1], [-1, 0, 0], [1, 0, 0]]))
    >>> overwritten(np.array([[0.0, 3, 0], [3, 0, 4], [0, 4, 0]]), links)
    array([[0., 0., 1.],
           [0., 0., 1.],
           [1., 1., 0.]])
    """
    A = affinity / (affinity.max() or 1.0)
    if not sparse.issparse(A):
        ends = links.tocoo()
        A[ends.row, ends.col] = ends.data > 0
        return A
    kept = A - A.multiply(abs(links).sign())
    result = sparse.csr_array(kept + links.sign().maximum(0))
    result.eliminate_zeros()
    return result


@dataclass(eq=False, repr=False)
class SpectralLearning(Baseline):
    """Set the affinity of must-linked pairs to 1 and of cannot-linked ones to 0, then cluster.

    With D the degrees of the changed affinities A and d_max the largest of them, the normalisation
    is additive,

        N = (A + d_max I − D) / d_max,

    so that every row of N sums to 1. Rows of the K leading eigenvectors of N, scaled to length 1,
    go to k-means.

    Notes
    -----
    The parameters and attributes are those of `Baseline`; there are no others. Affinities are taken
    relative to the largest, so that 1 is as strong as an edge gets; this changes nothing else. The
    leading eigenvectors of N are the lowest of `(D − A) / d_max`, which is what is computed.

    References
    ----------
    S. D. Kamvar, D. Klein and C. D. Manning, Spectral learning, IJCAI 2003.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import SpectralLearning
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(200, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 100, random_state=0)
    >>> SpectralLearning(random_state=0).fit(X, constraints=known).labels_.shape
    (200,)
    """

    def _solve(self, problem: Problem) -> Solution:
        A = overwritten(problem.affinity, problem.links)
        largest = A.sum(axis=1).max() or 1.0
        E = unit_rows(lowest_vectors(graph_laplacian(A) / largest, problem.n_clusters)[1])
        return Solution(self._kmeans(E, problem), E)
