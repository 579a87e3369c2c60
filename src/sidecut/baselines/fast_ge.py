"""FAST-GE: a generalised Laplacian pencil."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from sidecut._validation import Float
from sidecut.baselines._base import Baseline, Problem, Solution, graph_laplacian, unit_rows
from sidecut.baselines._pencil import lowest_pencil


def degree_weighted(links: sparse.csr_array, degrees: Float) -> sparse.csr_array:
    """Scale the link (i, j) by `d_i d_j / (d_min d_max)`: links of heavy nodes are heavy."""
    scale = sparse.diags_array(degrees / np.sqrt(degrees.min() * degrees.max()), format="csr")
    return sparse.csr_array(scale @ links @ scale)


@dataclass(eq=False, repr=False)
class FastGE(Baseline):
    """Cut few must-links and edges and many cannot-links: one generalised eigenproblem.

    The must-links join the graph, the cannot-links form a second one, together with a small copy of
    the demand graph `K_ij = d_i d_j / vol` that keeps it connected:

        L_G x = λ L_H x,    L_G = L_D + L_must,    L_H = L_cannot + L_K / n.

    A link weighs `d_i d_j / (d_min d_max)`. The K − 1 lowest nontrivial x, made orthogonal to the
    constant in the inner product of the degrees and of unit length in it, give rows that are
    scaled to length 1 and go to k-means; for two clusters that is the sign of x.

    Notes
    -----
    The parameters and attributes are those of `Baseline`; there are no others. The pencil is solved
    in the regularised form of Jiang, Xie and Bai (FAST-GE-2.0), by Lanczos with one sparse
    factorisation or conjugate gradients instead of their LOBPCG; the demand graph stays a rank-one
    term. Soft constraints multiply the weights of the links. Without constraints the pencil is that
    of `Ncut`, and for two clusters so are the labels. The threshold sweep of the first paper's
    two-way guarantee is left out.

    References
    ----------
    M. Cucuringu, I. Koutis, S. Chawla, G. Miller and R. Peng, Simple and scalable constrained
    clustering: a generalized spectral method, AISTATS 2016.
    C. Jiang, H. Xie and Z. Bai, Robust and efficient computation of eigenvectors in a generalized
    spectral method for constrained clustering, AISTATS 2017.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import FastGE
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(200, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 100, random_state=0)
    >>> FastGE(random_state=0).fit(X, constraints=known).labels_.shape
    (200,)
    """

    takes_soft: ClassVar[bool] = True

    def _solve(self, problem: Problem) -> Solution:
        n, d = problem.n_samples, problem.laplacian.degrees
        L_G = graph_laplacian(problem.affinity) + graph_laplacian(degree_weighted(problem.must, d))
        demand = sparse.diags_array(d / n, format="csr")
        L_C = graph_laplacian(degree_weighted(problem.cannot, d)) + demand
        X = lowest_pencil(L_G, L_C, problem.n_clusters - 1, null=np.ones(n))[1]
        # lowest_pencil has already made them orthogonal to the constant under the degrees.
        X /= np.sqrt(d @ X**2)
        E = unit_rows(X)
        return Solution(self._kmeans(E, problem), E)
