"""Constrained clustering by spectral regularisation (CCSR)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy import linalg

from sidecut._validation import Float, Int, check_count
from sidecut.baselines._base import Baseline, Problem, Solution, lowest_vectors, unit_rows

TOLERANCE, MAX_ITER = 1e-8, 20_000


def fit_inner_products(F: Float, first: Int, second: Int, target: Float) -> Float:
    """Return the positive semi-definite M that minimises `Σ (f_i'M f_j − t_ij)²` over pairs.

    A convex quadratic over the cone of m × m matrices. On the vector of the upper triangle it is
    `½ z'Bz − b'z`; accelerated projected gradients with restarts solve it, a step costing one
    eigen-decomposition of an m × m matrix. It stops when a projected gradient step moves M by less
    than 1e-8 of its norm.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.baselines.ccsr import fit_inner_products
    >>> F, target = np.eye(2), np.array([1.0, 1.0, -3.0])
    >>> fit_inner_products(F, np.array([0, 1, 0]), np.array([0, 1, 1]), target).round(3)
    array([[ 1.667, -1.667],
           [-1.667,  1.667]])
    """
    m = F.shape[1]
    i, j = np.triu_indices(m)
    # The scale √2 off the diagonal makes the vector's norm that of the matrix.
    scale = np.where(i == j, 1.0, np.sqrt(2.0))
    features = scale * (F[first][:, i] * F[second][:, j] + F[first][:, j] * F[second][:, i]) / 2
    B, b = features.T @ features, features.T @ target

    def project(z: Float) -> Float:
        M = np.zeros((m, m))
        M[j, i] = z / scale
        values, vectors = linalg.eigh(M, lower=True)
        M = (vectors * np.maximum(values, 0)) @ vectors.T
        result: Float = M[i, j] * scale
        return result

    step = 1.0 / linalg.eigvalsh(B)[-1]
    z = ahead = project(b * step)
    momentum = 1.0
    for _ in range(MAX_ITER):
        new = project(ahead - step * (B @ ahead - b))
        if np.linalg.norm(new - ahead) <= TOLERANCE * np.linalg.norm(new):
            z = new
            break
        if (ahead - new) @ (new - z) > 0:
            momentum, ahead = 1.0, z
            new = project(ahead - step * (B @ ahead - b))
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / following * (new - z)
        z, momentum = new, following
    M = np.zeros((m, m))
    M[i, j] = M[j, i] = z / scale
    return M


@dataclass(eq=False, repr=False)
class CCSR(Baseline):
    """Adapt the spectral embedding so that linked samples have inner products 1 and 0.

    F holds the m lowest eigenvectors of the normalised Laplacian, the smoothest functions on the
    graph. In the new embedding samples i and j have the inner product `f_i'M f_j`, and

        min Σ (f_i'M f_j − t_ij)²   over   M ⪰ 0

    asks for t = 1 between each sample and itself (all lie on the unit sphere) and over must-links,
    0 over cannot-links: a quadratic semi-definite program of size m, whatever n is. Rows of
    `F M^1/2` go to k-means.

    Parameters
    ----------
    n_vectors : int, default 15
        Number m of eigenvectors, the paper's; at most n_samples are used.

    Notes
    -----
    The other parameters and the attributes are those of `Baseline`. Without constraints there is
    nothing to adapt to, and rows of the K lowest eigenvectors, scaled to length 1, go to k-means.

    References
    ----------
    Z. Li, J. Liu and X. Tang, Constrained clustering via spectral regularization, CVPR 2009.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import CCSR
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(200, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 100, random_state=0)
    >>> CCSR(random_state=0).fit(X, constraints=known).labels_.shape
    (200,)
    """

    _: KW_ONLY
    n_vectors: int = 15

    def _solve(self, problem: Problem) -> Solution:
        m = max(check_count(self.n_vectors, "n_vectors", least=1), problem.n_clusters)
        n, links = problem.n_samples, problem.links.tocoo()
        if not links.nnz:
            E = unit_rows(lowest_vectors(problem.laplacian.matrix, problem.n_clusters)[1])
            return Solution(self._kmeans(E, problem), E)
        F = np.sqrt(n) * lowest_vectors(problem.laplacian.matrix, min(m, n))[1]
        upper = links.row < links.col
        first = np.concatenate([np.arange(n), links.row[upper]])
        second = np.concatenate([np.arange(n), links.col[upper]])
        target = np.concatenate([np.ones(n), links.data[upper] > 0])
        M = fit_inner_products(F, first, second, target)
        values, vectors = linalg.eigh(M)
        E = F @ vectors * np.sqrt(np.maximum(values, 0.0))
        return Solution(self._kmeans(E, problem), E)
