"""Exhaustive and efficient constraint propagation (E2CP)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from sidecut._validation import Float, check_number
from sidecut.baselines._base import (
    DENSE_LIMIT,
    Baseline,
    Problem,
    Solution,
    lowest_vectors,
    unit_rows,
)
from sidecut.eigen.factor import factorize
from sidecut.laplacian import Laplacian, normalized_laplacian


def propagate(laplacian: Laplacian, links: sparse.csr_array, alpha: float) -> Float:
    """Spread constraints over a graph: `F = (1−α)² (I − αS)^-1 Z (I − αS)^-1`, `S = I − L̄`.

    Only the columns of the inverse at constrained nodes are computed.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from sidecut.baselines.e2cp import propagate
    >>> from sidecut.laplacian import normalized_laplacian
    >>> pair = normalized_laplacian(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> propagate(pair, sparse.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), 0.5).round(3)
    array([[0.444, 0.556],
           [0.556, 0.444]])
    """
    nodes = np.unique(links.indices)
    unit = np.zeros((laplacian.n_samples, len(nodes)))
    unit[nodes, np.arange(len(nodes))] = 1.0 - alpha
    # I − αS = (1 − α) I + α L̄ is positive definite.
    if sparse.issparse(laplacian.matrix):
        spread = factorize(alpha * laplacian.matrix, shift=1.0 - alpha).solve(unit)
    else:
        system = alpha * laplacian.matrix
        system[np.diag_indices_from(system)] += 1.0 - alpha
        spread = cho_solve(cho_factor(system, overwrite_a=True), unit, overwrite_b=True)
    F: Float = spread @ (links[nodes][:, nodes] @ spread.T)
    return F


def adjusted(affinity: Any, F: Float) -> Float:
    """Raise affinities where F is positive, lower them where it is negative.

    `w̃ = 1 − (1 − f)(1 − w)` for f ≥ 0 and `(1 + f) w` otherwise: never negative, at most 1.
    """
    W = affinity.toarray() if sparse.issparse(affinity) else affinity
    result: Float = np.where(F >= 0, 1.0 - (1.0 - F) * (1.0 - W), (1.0 + F) * W)
    return (result + result.T) / 2


@dataclass(eq=False, repr=False)
class E2CP(Baseline):
    """Propagate each constraint to all pairs, adjust the affinities, cluster spectrally.

    Two propagations of label kind, one down the columns of the constraint matrix Z and one along
    its rows, have the limit

        F = (1 − α)² (I − αS)^-1 Z (I − αS)^-1,    S = D^-1/2 W D^-1/2,

    and the affinities W become `1 − (1 − f)(1 − w)` where f ≥ 0, `(1 + f) w` where f < 0.
    Then comes spectral clustering: rows of the K leading eigenvectors of the new normalised
    affinity, scaled to length 1, go to k-means.

    Parameters
    ----------
    alpha : float, default 0.8
        Share of what a node takes from its neighbours, between 0 and 1; the papers' value.

    Notes
    -----
    The other parameters and the attributes are those of `Baseline`. Affinities and constraints are
    taken relative to the largest, because the adjustment needs both between −1 and 1. F, and with
    it the new graph, is dense; hence the limit on the number of samples.

    References
    ----------
    Z. Lu and Y. Peng, Exhaustive and efficient constraint propagation: a graph-based learning
    approach and its applications, International Journal of Computer Vision 103, 2013.
    Z. Lu and H. H. S. Ip, Constrained spectral clustering via exhaustive and efficient constraint
    propagation, ECCV 2010.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import E2CP
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(200, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 100, random_state=0)
    >>> E2CP(random_state=0).fit(X, constraints=known).labels_.shape
    (200,)
    """

    _: KW_ONLY
    alpha: float = 0.8

    takes_soft: ClassVar[bool] = True
    max_samples: ClassVar[int | None] = DENSE_LIMIT

    def _solve(self, problem: Problem) -> Solution:
        alpha = check_number(self.alpha, "alpha", positive=True)
        if alpha >= 1:
            raise ValueError(f"alpha must be between 0 and 1, got {alpha:g}")
        W = problem.affinity / problem.affinity.max()
        if problem.links.nnz:
            Z = problem.links / abs(problem.links).max()
            W = adjusted(W, propagate(problem.laplacian, Z, alpha))
        E = unit_rows(lowest_vectors(normalized_laplacian(W).matrix, problem.n_clusters)[1])
        return Solution(self._kmeans(E, problem), E)
