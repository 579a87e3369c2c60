"""SPONGE: signed graphs by a generalised eigenproblem."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from sidecut._validation import check_number
from sidecut.baselines._base import Baseline, Problem, Solution, graph_laplacian
from sidecut.baselines._pencil import lowest_pencil

# Eigenvalues below this count as this much: the constant vector has 0 without cannot-links.
FLOOR = 1e-3


@dataclass(eq=False, repr=False)
class SPONGE(Baseline):
    """Cluster a signed graph: the positive part keeps together, the negative part apart.

    The graph with the must-links is positive, `A+`, the cannot-links are negative, `A−`:

        (L+ + τ− D−) x = λ (L− + τ+ D+) x,

    or, symmetric (`SPONGE_sym`), with both Laplacians normalised and the degrees replaced by I.
    Rows of the K lowest x, each divided by its λ, go to k-means.

    Parameters
    ----------
    symmetric : bool, default False
        Whether to normalise: SPONGE_sym, the paper's choice for networks with many negative edges.
        With few cannot-links its lowest vectors settle on the constrained nodes.
    tau_plus, tau_minus : float, default 1
        The papers' τ+ and τ−.
    link_weight : float, default 1
        Weight of a constraint of average size, in units of the largest affinity.

    Notes
    -----
    The other parameters and the attributes are those of `Baseline`. The paper clusters signed
    graphs; that constraints become signed edges as strong as the largest affinity is our reading.
    The paper's text has no division by λ, its authors' code has: with few cannot-links the
    first x is nearly constant and K are needed, with many K − 1 are right and the next is noise,
    which the division keeps small. Without constraints the plain form has the vectors of `Ncut`.

    References
    ----------
    M. Cucuringu, P. Davies, A. Glielmo and H. Tyagi, SPONGE: a generalized eigenproblem for
    clustering signed networks, AISTATS 2019.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import SPONGE
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(200, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 100, random_state=0)
    >>> SPONGE(random_state=0).fit(X, constraints=known).labels_.shape
    (200,)
    """

    _: KW_ONLY
    symmetric: bool = False
    tau_plus: float = 1.0
    tau_minus: float = 1.0
    link_weight: float = 1.0

    takes_soft: ClassVar[bool] = True

    def _solve(self, problem: Problem) -> Solution:
        tau_plus = check_number(self.tau_plus, "tau_plus", positive=True)
        tau_minus = check_number(self.tau_minus, "tau_minus", positive=True)
        weight = check_number(self.link_weight, "link_weight", positive=True)
        must, cannot = problem.must, problem.cannot
        if problem.links.nnz:
            scale = weight * problem.affinity.max() / abs(problem.links).data.mean()
            must, cannot = scale * must, scale * cannot
        L_plus, D_plus = laplacian_and_degrees(problem.affinity + must, self.symmetric)
        L_minus, D_minus = laplacian_and_degrees(cannot, self.symmetric)
        # Isolated nodes would leave the right-hand side singular; see `sidecut.laplacian`.
        isolated = (D_plus.diagonal() == 0) * problem.laplacian.degrees
        D_plus = D_plus + sparse.diags_array(isolated, format="csr")
        values, X = lowest_pencil(
            L_plus + tau_minus * D_minus, L_minus + tau_plus * D_plus, problem.n_clusters
        )
        E = X / np.maximum(values, FLOOR)
        return Solution(self._kmeans(E, problem), E)


def laplacian_and_degrees(weights: Any, symmetric: bool) -> tuple[Any, sparse.csr_array]:
    """Return `D − W` and D or, symmetric, `D^-1/2 (D − W) D^-1/2` and I.

    A node without edges has a row of zeros in either Laplacian.
    """
    degrees = np.asarray(weights.sum(axis=1)).ravel()
    L = graph_laplacian(weights)
    if not symmetric:
        return L, sparse.diags_array(degrees, format="csr")
    scale = 1.0 / np.sqrt(np.where(degrees > 0, degrees, np.inf))
    half = sparse.diags_array(scale, format="csr")
    L = half @ L @ half
    return L, sparse.eye_array(len(degrees), format="csr")
