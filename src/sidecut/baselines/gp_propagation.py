"""Affinity propagation of constraints by a Gaussian process."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from sidecut._validation import Float, check_number
from sidecut.assign import assign_labels
from sidecut.baselines._base import DENSE_LIMIT, Baseline, Problem, Solution
from sidecut.baselines.ss_kernel_kmeans import smallest_shift
from sidecut.basis import SpectralBasis


def conditioned(covariance: Float, links: sparse.csr_array, noise: float) -> Float:
    """Return the covariance of `f ~ N(0, K)` after noisy observations of its links.

    A must-link observes `f_i − f_j = 0`, a cannot-link `f_i + f_j = 0`, with variance ε each. With
    C a row per link, `(K^-1 + C'C/ε)^-1 = K − K C'(C K C' + ε I)^-1 C K`; written for the
    constrained nodes alone, with `M = C'C/ε`, it is `K − K M (I + K M)^-1 K`.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from sidecut.baselines.gp_propagation import conditioned
    >>> apart = sparse.csr_array(np.array([[0.0, -1.0], [-1.0, 0.0]]))
    >>> conditioned(np.eye(2), apart, 1e-6).round(3)
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    nodes = np.unique(links.indices)
    block = np.sign(links[nodes][:, nodes].toarray())
    M = (np.diag(np.abs(block).sum(axis=1)) - block) / noise
    inner = covariance[np.ix_(nodes, nodes)]
    gain = M @ np.linalg.solve(np.eye(len(nodes)) + inner @ M, covariance[nodes])
    result: Float = covariance - covariance[:, nodes] @ gain
    return (result + result.T) / 2


@dataclass(eq=False, repr=False)
class GPPropagation(Baseline):
    """Condition a Gaussian process on the links; its covariance is the new affinity.

    The affinity, with a diagonal that makes it positive semi-definite, is the covariance K of a
    function f on the samples whose sign is the cluster. A must-link says `f_i = f_j`, a cannot-link
    `f_i = −f_j`, both up to noise of variance ε. With C a row per link (1, −1 or 1, 1),

        F = K − K C'(C K C' + ε I)^-1 C K.

    The correlations of F, negative ones set to 0, are the affinities of a normalised cut.

    Parameters
    ----------
    affinity : default "rbf"
        A covariance of the points, as in the paper.
    noise : float, default 0.01
        Variance ε of a link, the prior variance of f being 1.

    Notes
    -----
    The other parameters and the attributes are those of `Baseline`; `embedding_` holds the vectors
    of the cut. `f_i = −f_j` presumes two clusters. For more the paper has a heuristic of its own;
    this class conditions on the must-links alone and then sets the affinity between must-link
    components that a cannot-link joins to 0. F is dense; hence the limit on the number of samples.

    References
    ----------
    Z. Lu and M. Á. Carreira-Perpiñán, Constrained spectral clustering through affinity propagation,
    CVPR 2008.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import GPPropagation
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(200, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 100, random_state=0)
    >>> GPPropagation(random_state=0).fit(X, constraints=known).labels_.shape
    (200,)
    """

    affinity: str = "rbf"
    _: KW_ONLY
    noise: float = 0.01

    max_samples: ClassVar[int | None] = DENSE_LIMIT

    def _solve(self, problem: Problem) -> Solution:
        noise = check_number(self.noise, "noise", positive=True)
        A, K = problem.affinity, problem.n_clusters
        if problem.links.nnz:
            A = A.toarray() if sparse.issparse(A) else A
            shift = max(smallest_shift(A), float(A.max()))
            covariance = (A + shift * np.eye(len(A))) / shift
            links = problem.links if K == 2 else problem.must
            A = correlations(conditioned(covariance, links, noise))
            if K > 2:
                A[separated(problem)] = 0.0
        Y = SpectralBasis.from_affinity(A, K - 1).vectors
        return Solution(assign_labels(Y, K, n_init=self.n_init, random_state=problem.seed), Y)


def correlations(covariance: Float) -> Float:
    """Return positive correlations off the diagonal, 0 elsewhere."""
    scale = 1.0 / np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    result: Float = np.maximum(covariance * scale * scale[:, None], 0.0)
    np.fill_diagonal(result, 0.0)
    return result


def separated(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of all pairs whose must-link components a cannot-link joins."""
    component = problem.known.must_link_components()
    n = problem.n_samples
    member = sparse.coo_array((np.ones(n), (np.arange(n), component))).tocsr()
    apart = member @ (member.T @ problem.cannot @ member) @ member.T
    # A contradiction would separate a component from itself; the must-links keep it.
    rows, columns = apart.nonzero()
    keep = component[rows] != component[columns]
    return rows[keep], columns[keep]
