"""Integrated K-means–Laplacian clustering: a constraint Laplacian as regulariser."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh

from sidecut._validation import Float, check_number
from sidecut.baselines._base import Baseline, Problem, Solution, graph_laplacian
from sidecut.baselines._pencil import lowest_pencil


@dataclass(eq=False, repr=False)
class IntegratedKL(Baseline):
    """Trade the fit to the data off against the Laplacian of the constraints.

    The K-means objective of a kernel and the cut of the pairwise relations are minimised together,

        min tr(H'[(1 − α) (I − S) + α R / ρ] H)   over   H'H = I,

    with `S = D^-1/2 A D^-1/2` the kernel, `R = L_must − L_cannot` the Laplacian of the relations
    (must-links ask for equal rows of H, cannot-links for different ones) and ρ its largest
    eigenvalue in size, so that both terms have the same scale. Rows of the K lowest eigenvectors go
    to k-means.

    Parameters
    ----------
    alpha : float, default 0.5
        Share of the relations, from 0 to below 1.

    Notes
    -----
    The other parameters and the attributes are those of `Baseline`. The paper takes the linear
    kernel of attribute data; here S is the kernel of whichever graph is asked for. Without
    constraints α does not matter.

    References
    ----------
    F. Wang, C. Ding and T. Li, Integrated KL (K-means–Laplacian) clustering: a new clustering
    approach by combining attribute data and pairwise relations, SDM 2009.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import IntegratedKL
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(200, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 100, random_state=0)
    >>> IntegratedKL(random_state=0).fit(X, constraints=known).labels_.shape
    (200,)
    """

    _: KW_ONLY
    alpha: float = 0.5

    takes_soft: ClassVar[bool] = True

    def _solve(self, problem: Problem) -> Solution:
        alpha = check_number(self.alpha, "alpha")
        if not 0 <= alpha < 1:
            raise ValueError(f"alpha must be from 0 to below 1, got {alpha:g}")
        identity = sparse.eye_array(problem.n_samples, format="csr")
        objective = (1 - alpha) * problem.laplacian.matrix
        if problem.links.nnz:
            relations = graph_laplacian(problem.links)
            # Shifted by its largest eigenvalue it is positive semi-definite with the same vectors.
            objective = objective + alpha * (relations / spectral_radius(relations) + identity)
        H = lowest_pencil(objective, identity, problem.n_clusters)[1]
        return Solution(self._kmeans(H, problem), H)


def spectral_radius(matrix: sparse.csr_array) -> float:
    """Return the largest eigenvalue in size of a symmetric matrix that is not zero."""
    nodes = np.unique(matrix.nonzero()[0])
    block = matrix[nodes][:, nodes]
    if len(nodes) <= 500:
        return float(np.abs(np.linalg.eigvalsh(block.toarray())).max())
    start: Float = np.random.default_rng(0).standard_normal(len(nodes))
    return float(abs(eigsh(block, 1, which="LM", v0=start, return_eigenvectors=False)[0]))
