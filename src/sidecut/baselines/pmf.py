"""Penalised matrix factorisation."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.utils.extmath import safe_sparse_dot

from sidecut._validation import Float, check_count, check_number
from sidecut.baselines._base import Baseline, Problem, Solution, unit_rows

# Below this nothing is divided by; an entry of G never becomes 0 for good.
TINY = 1e-12
TOLERANCE = 1e-6


def update_centres(X: Any, G: Float) -> Float:
    """Return the least-squares F of `X ≈ G F`: `(G'G)^-1 G'X`."""
    cross = np.asarray(safe_sparse_dot(X.T, G, dense_output=True)).T
    result: Float = np.linalg.pinv(G.T @ G) @ cross
    return result


def update_memberships(X: Any, G: Float, F: Float, theta: sparse.csr_array) -> Float:
    """Return the next G ≥ 0 at fixed F; the objective does not grow.

    `G ∘ sqrt((B+ + G C− + Θ− G) / (B− + G C+ + Θ+ G))`, with `B = X F'`, `C = F F'` and each
    matrix split into its positive and its negative part, `M = M+ − M−`.
    """
    B = np.asarray(safe_sparse_dot(X, F.T, dense_output=True))
    C = F @ F.T
    up = np.maximum(B, 0) + G @ np.maximum(-C, 0) + (-theta).maximum(0) @ G
    down = np.maximum(-B, 0) + G @ np.maximum(C, 0) + theta.maximum(0) @ G
    result: Float = np.maximum(G * np.sqrt(up / np.maximum(down, TINY)), TINY)
    return result


def objective(X: Any, G: Float, F: Float, theta: sparse.csr_array) -> float:
    """Return `‖X − G F‖² + tr(G'ΘG)`."""
    square = X.multiply(X).sum() if sparse.issparse(X) else (X * X).sum()
    cross = (np.asarray(safe_sparse_dot(X, F.T, dense_output=True)) * G).sum()
    fit = square - 2 * cross + ((G.T @ G) * (F @ F.T)).sum()
    return float(fit + (G * (theta @ G)).sum())


@dataclass(eq=False, repr=False)
class PMF(Baseline):
    """Factorise the data into centres and memberships, with a penalty for each broken constraint.

    For data X, one row a sample, memberships G ≥ 0 and centres F of any sign,

        min ‖X − G F‖² + tr(G'ΘG),    Θ_ij = −θ for must-links, θ for cannot-links.

    F is a least-squares solution; G follows by a multiplicative update that does not increase the
    objective. They alternate. A sample's cluster is its largest membership.

    Parameters
    ----------
    penalty : float or None, default None
        θ of a constraint of average size. None takes `n s / (K C)`, with s the mean squared
        distance of a sample from the mean and C the number of constraints: all penalties together
        weigh as much as the data.
    max_iter : int, default 200
        Alternations.

    Notes
    -----
    The other parameters and the attributes are those of `Baseline`; `embedding_` is G. The method
    factorises the data, not a graph: with `affinity="precomputed"` the rows of the affinity are the
    data, otherwise `affinity` only fills `affinity_matrix_`.
    Scaling G up and F down changes only the penalty, which must-links would make as negative as one
    likes; so each row of G is kept at length 1, the length of a membership in one cluster. k-means
    gives the start; of `n_init` starts the best is k-means' own choice. The paper's forms for two
    and more related types of objects are left out: there is one type here.

    References
    ----------
    F. Wang, T. Li and C. Zhang, Semi-supervised clustering via matrix factorization, SDM 2008.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import PMF
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(200, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 100, random_state=0)
    >>> PMF(random_state=0).fit(X, constraints=known).labels_.shape
    (200,)
    """

    _: KW_ONLY
    penalty: float | None = None
    max_iter: int = 200

    takes_soft: ClassVar[bool] = True

    def _solve(self, problem: Problem) -> Solution:
        max_iter = check_count(self.max_iter, "max_iter", least=1)
        X, K = problem.X, problem.n_clusters
        theta = self._penalties(problem, X)
        start = KMeans(K, n_init=self.n_init, random_state=problem.seed).fit(X)
        # Not 0, which a multiplicative update could never leave.
        G = np.eye(K)[start.labels_] + 0.2
        now, settled, n_iter = np.inf, False, 0
        while n_iter < max_iter and not settled:
            G = np.maximum(unit_rows(G), TINY)
            F = update_centres(X, G)
            before, now = now, objective(X, G, F, theta)
            settled = abs(before - now) <= TOLERANCE * abs(now)
            G = update_memberships(X, G, F, theta)
            n_iter += 1
        return Solution(G.argmax(axis=1).astype(np.intp), G, n_iter)

    def _penalties(self, problem: Problem, X: Any) -> sparse.csr_array:
        """Return Θ."""
        links = problem.links
        if not links.nnz:
            return links
        squares = X.multiply(X) if sparse.issparse(X) else X * X
        spread = squares.sum() - (np.asarray(X.mean(axis=0)) ** 2).sum() * problem.n_samples
        theta = float(spread) / (problem.n_clusters * links.nnz / 2)
        if self.penalty is not None:
            theta = check_number(self.penalty, "penalty", positive=True)
        return sparse.csr_array(links * (-theta / abs(links).data.mean()))
