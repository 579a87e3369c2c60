"""Semi-supervised kernel k-means."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh

from sidecut._validation import Float, Int, check_choice, check_count, check_number
from sidecut.baselines._base import Baseline, Problem, Solution
from sidecut.eigen.choose import DENSE_NODES

OBJECTIVES = ("ratio_association", "normalized_cut")


def smallest_shift(kernel: Any) -> float:
    """Return the least σ ≥ 0 that makes `kernel + σ I` positive semi-definite."""
    if kernel.shape[0] <= DENSE_NODES:
        dense = kernel.toarray() if sparse.issparse(kernel) else kernel
        return max(0.0, -float(np.linalg.eigvalsh(dense)[0]))
    start = np.random.default_rng(0).standard_normal(kernel.shape[0])
    value = eigsh(kernel, 1, which="SA", v0=start, return_eigenvectors=False, tol=1e-6)
    return max(0.0, -float(value[0]))


def squared_distances(kernel: Any, weight: Float, members: sparse.csr_array) -> Float:
    """Return the squared distance of each point to each weighted mean, in feature space.

    Parameters
    ----------
    kernel : array or sparse array of shape (n, n)
    weight : array of shape (n,)
    members : sparse array of shape (n, K)
        Ones where a point belongs to a set; the sets need not cover all points.
    """
    shares = members.multiply(weight[:, None])
    shares = sparse.csr_array(shares / shares.sum(axis=0)).toarray()
    cross = np.asarray(kernel @ shares)
    own = np.einsum("nk,nk->k", shares, cross)
    result: Float = np.asarray(kernel.diagonal())[:, None] - 2 * cross + own
    return result


def kernel_kmeans(
    kernel: Any, weight: Float, labels: Int, n_clusters: int, max_iter: int
) -> tuple[Int, Float, int]:
    """Move points to the nearest mean until none moves; return labels, distances and rounds."""
    n_iter, moved = 0, True
    while moved and n_iter < max_iter:
        members = sparse.csr_array(np.eye(n_clusters)[labels])
        filled = np.asarray(members.sum(axis=0)).ravel() > 0
        distances = np.full((len(labels), n_clusters), np.inf)
        distances[:, filled] = squared_distances(kernel, weight, members[:, filled])
        nearest: Int = distances.argmin(axis=1).astype(np.intp)
        moved = not np.array_equal(nearest, labels)
        labels, n_iter = nearest, n_iter + 1
    return labels, distances, n_iter


def farthest_components(kernel: Any, weight: Float, component: Int, K: int) -> sparse.csr_array:
    """Choose K must-link components that are large and far apart, as columns of members.

    The largest comes first; each next one has the largest size times distance to those chosen.
    """
    size = np.bincount(component)
    n = len(component)
    members = sparse.coo_array((np.ones(n), (np.arange(n), component))).tocsr()
    linked = np.flatnonzero(size > 1)
    members, size = members[:, linked], size[linked]
    shares = sparse.csr_array(members.multiply(weight[:, None]))
    shares = sparse.csr_array(shares / shares.sum(axis=0))
    gram = shares.T @ (kernel @ shares)
    gram = gram.toarray() if sparse.issparse(gram) else gram
    squares = np.diag(gram)[:, None] + np.diag(gram) - 2 * gram
    chosen = [int(k) for k in np.argsort(-size, kind="stable")[:1]]
    while len(chosen) < min(K, len(size)):
        reach = size * squares[chosen].min(axis=0)
        reach[chosen] = -np.inf
        chosen.append(int(reach.argmax()))
    return members[:, chosen]


@dataclass(eq=False, repr=False)
class SSKernelKMeans(Baseline):
    """Reward must-links and penalise cannot-links in a kernel, then run kernel k-means on it.

    With S the affinities and W the constraints (`w_ij` for must-links, `−w_ij` for cannot-links),
    weighted kernel k-means minimises the objective of a hidden Markov random field exactly:

        "ratio_association":  K = σ I + S + W,                weights 1
        "normalized_cut":     K = σ D^-1 + D^-1 (S + W) D^-1,  weights d

    σ makes K positive semi-definite; it moves no optimum. The start comes from the closure of the
    must-links: of its components, K that are large and far apart (farthest first, distances times
    sizes); every point joins the nearest of their means.

    Parameters
    ----------
    objective : {"ratio_association", "normalized_cut"}, default "ratio_association"
        Which kernel. The first is the vector form of the paper, S being a kernel.
    affinity : default "rbf"
        A kernel of the points, as in the paper.
    penalty : float or None, default None
        Weight w of each constraint. None takes the papers' `n / (K C)` for C constraints.
    sigma : float or None, default None
        The shift. None takes the least that makes the kernel positive semi-definite.
    max_iter : int, default 100
        Rounds of k-means.

    Notes
    -----
    The other parameters and the attributes are those of `Baseline`; `embedding_` holds the squared
    distances to the K means. With fewer than K components the missing means start at random
    points, `n_init` times. Soft constraints weigh in proportion to their size, `penalty` being
    the mean weight.

    References
    ----------
    B. Kulis, S. Basu, I. Dhillon and R. Mooney, Semi-supervised graph clustering: a kernel
    approach, ICML 2005; Machine Learning 74, 2009.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import SSKernelKMeans
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(200, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 100, random_state=0)
    >>> SSKernelKMeans(random_state=0).fit(X, constraints=known).labels_.shape
    (200,)
    """

    affinity: str = "rbf"
    _: KW_ONLY
    objective: str = "ratio_association"
    penalty: float | None = None
    sigma: float | None = None
    max_iter: int = 100

    takes_soft: ClassVar[bool] = True

    def _solve(self, problem: Problem) -> Solution:
        max_iter = check_count(self.max_iter, "max_iter", least=1)
        kernel, weight = self._kernel(problem)
        K, rng = problem.n_clusters, np.random.default_rng(problem.seed)
        component = problem.known.must_link_components()
        seeds = farthest_components(kernel, weight, component, K)
        best = np.inf
        for _ in range(1 if seeds.shape[1] == K else self.n_init):
            missing = K - seeds.shape[1]
            points = rng.choice(problem.n_samples, missing, replace=False)
            ones = (np.ones(missing), (points, np.arange(missing)))
            extra = sparse.coo_array(ones, shape=(problem.n_samples, missing))
            start = squared_distances(
                kernel, weight, sparse.csr_array(sparse.hstack([seeds, extra]))
            )
            labels, distances, n_iter = kernel_kmeans(
                kernel, weight, start.argmin(axis=1), K, max_iter
            )
            loss = float(weight @ distances[np.arange(len(labels)), labels])
            if loss < best:
                best, solution = loss, Solution(labels, distances, n_iter)
        return solution

    def _kernel(self, problem: Problem) -> tuple[Any, Float]:
        """Return the kernel, shifted, and the weights of the points."""
        objective = check_choice(self.objective, "objective", OBJECTIVES)
        n, links = problem.n_samples, problem.links
        S: Any = problem.affinity
        if links.nnz:
            penalty = n / (problem.n_clusters * links.nnz / 2)
            if self.penalty is not None:
                penalty = check_number(self.penalty, "penalty", positive=True)
            S = S + links * (penalty / abs(links).data.mean())
        weight = np.ones(n) if objective == OBJECTIVES[0] else problem.laplacian.degrees
        half = sparse.diags_array(1 / np.sqrt(weight), format="csr")
        kernel = half @ S @ half
        sigma = smallest_shift(kernel) if self.sigma is None else check_number(self.sigma, "sigma")
        shifted = kernel + sparse.diags_array(np.full(n, sigma), format="csr")
        shifted = half @ shifted @ half
        return (sparse.csr_array(shifted) if sparse.issparse(S) else np.asarray(shifted)), weight
