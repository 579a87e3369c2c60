"""CSP on a graph of landmarks."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from sidecut._validation import Float, check_choice, check_count
from sidecut.assign import assign_labels
from sidecut.baselines._base import Baseline, Problem, Solution
from sidecut.constraints import Constraints
from sidecut.csp.dense import positive_solutions, zero_cost_cuts
from sidecut.csp.threshold import ConstraintSpectrum, choose_beta

# Squared singular values this close to 1 belong to separate components, to 0 are rounding.
ROUNDING = 1e-10


def landmark_codes(X: Any, landmarks: Any, n_nearest: int) -> sparse.csr_array:
    """Write each sample as a convex combination of its nearest landmarks, with Gaussian weights.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.baselines.landmark_csp import landmark_codes
    >>> marks = np.array([[0.0], [1.0], [9.0]])
    >>> landmark_codes(np.array([[0.5], [9.0]]), marks, 2).toarray().round(3)
    array([[0.5  , 0.5  , 0.   ],
           [0.   , 0.121, 0.879]])
    """
    search = NearestNeighbors(n_neighbors=n_nearest, algorithm="brute").fit(landmarks)
    distances, nearest = search.kneighbors(X)
    squares = distances**2
    bandwidth = 2 * (float(squares.mean()) or 1.0)
    # Relative to the nearest, so that a far sample does not underflow; the row sum takes it out.
    weights = np.exp(-(squares - squares[:, :1]) / bandwidth)
    weights /= weights.sum(axis=1, keepdims=True)
    rows = np.repeat(np.arange(len(weights)), n_nearest)
    entries = (weights.ravel(), (rows, nearest.ravel()))
    return sparse.coo_array(entries, shape=(len(weights), landmarks.shape[0])).tocsr()


def landmark_basis(codes: sparse.csr_array) -> tuple[Float, Float]:
    """Return `1 − σ²`, ascending, and the left singular vectors of `Z Λ^-1/2`.

    Λ holds the column sums of the codes Z, so the graph `A = Z Λ^-1 Z'` has degrees 1 and the
    Laplacian I − A, of which these are eigenvalues and eigenvectors.
    """
    sums = np.asarray(codes.sum(axis=0)).ravel()
    used = sums > 0
    scaled = codes[:, used] @ sparse.diags_array(1 / np.sqrt(sums[used]), format="csr")
    squares, right = np.linalg.eigh((scaled.T @ scaled).toarray())
    keep = squares > ROUNDING
    squares, right = squares[keep][::-1], right[:, keep][:, ::-1]
    return np.maximum(1.0 - squares, 0.0), scaled @ (right / np.sqrt(squares))


def reduced_cuts(
    costs: Float, V: Float, known: Constraints, beta: float | str, n_cuts: int
) -> Float:
    """Return the cheapest feasible cuts of CSP in the span of V, scaled to `v'v = n`."""
    n, m = V.shape
    L, Q = np.diag(costs), known.project(V)
    trivial = V.T @ np.full(n, 1 / np.sqrt(n))
    if not known:
        W = np.linalg.eigh(L + 3 * np.outer(trivial, trivial))[1]
        return np.asarray(np.sqrt(n) * V @ W[:, :n_cuts])
    spectrum = ConstraintSpectrum(
        values=np.asarray(np.linalg.eigvalsh(Q)[::-1], np.float64),
        trivial=float(trivial @ Q @ trivial),
        volume=float(n),
        n_samples=n,
        n_entries=known.n_entries,
        only_must_links=known.satisfaction(np.zeros(n)).cannot.count == 0,
    )
    M = Q - choose_beta(beta, spectrum, n_cuts) / n * np.eye(m)
    null = np.eye(m)[:, costs <= ROUNDING]
    free = null @ zero_cost_cuts(null.T @ M @ null, null.T @ trivial)
    W = np.hstack([free, positive_solutions(L, M, null)[1]])
    cheapest = np.argsort(np.einsum("mk,m,mk->k", W, costs, W), kind="stable")[:n_cuts]
    result: Float = np.sqrt(n) * V @ W[:, cheapest]
    return result


@dataclass(eq=False, repr=False)
class LandmarkCSP(Baseline):
    """Solve the constrained cut of `CSP` in the few dimensions that landmarks span.

    Each sample is coded by its r nearest of p landmarks, rows of Z that sum to 1. The graph `A = Z
    Λ^-1 Z'` with Λ the column sums has degrees 1, and its eigenvectors V are the left singular
    vectors of `Z Λ^-1/2`: p of them, at a cost linear in n. With `v = V w`,

        (I − Σ²) w = λ (V'QV − β/vol I) w,    λ > 0,

    is CSP's own problem of size p. The K − 1 cheapest solutions give the labels.

    Parameters
    ----------
    n_landmarks : int, default 100
        Number p of landmarks, samples drawn at random; at most a fifth of the samples.
    n_nearest : int, default 5
        Landmarks r in a code.
    beta : float, "single" or "paper", default "single"
        The threshold, as in `CSP`.

    Notes
    -----
    The other parameters and the attributes are those of `Baseline`. In the spirit of SCACS, which
    also compresses the constrained cut by coding samples with landmarks; the rule for β is that of
    `CSP`. Codes need features: with `affinity="precomputed"` the rows of the affinity are taken for
    features, otherwise `affinity` only fills `affinity_matrix_`.

    References
    ----------
    J. Li, Y. Xia, Z. Shan and Y. Liu, Scalable constrained spectral clustering, IEEE Transactions
    on Knowledge and Data Engineering 27(2), 2015. X. Chen and D. Cai, Large scale spectral
    clustering with landmark-based representation, AAAI 2011.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import LandmarkCSP
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(400, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 100, random_state=0)
    >>> LandmarkCSP(random_state=0).fit(X, constraints=known).labels_.shape
    (400,)
    """

    _: KW_ONLY
    n_landmarks: int = 100
    n_nearest: int = 5
    beta: float | str = "single"

    takes_soft: ClassVar[bool] = True

    def _solve(self, problem: Problem) -> Solution:
        n, K = problem.n_samples, problem.n_clusters
        if isinstance(self.beta, str):
            check_choice(self.beta, "beta", ("single", "paper"))
        p = min(check_count(self.n_landmarks, "n_landmarks", least=1), max(n // 5, K))
        r = min(check_count(self.n_nearest, "n_nearest", least=1), p)
        marks = np.random.default_rng(problem.seed).choice(n, p, replace=False)
        costs, V = landmark_basis(landmark_codes(problem.X, problem.X[marks], r))
        E = reduced_cuts(costs, V, problem.known, self.beta, K - 1)
        return Solution(assign_labels(E, K, n_init=self.n_init, random_state=problem.seed), E)
