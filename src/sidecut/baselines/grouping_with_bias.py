"""Grouping with bias: partial grouping as linear constraints on the cut."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from sidecut._validation import Float, Int
from sidecut.assign import assign_labels
from sidecut.baselines._base import Baseline, Problem, Solution, lowest_vectors
from sidecut.eigen.factor import factorize
from sidecut.laplacian import Laplacian


def grouping_constraints(component: Int) -> sparse.csr_array:
    """Return U, a column for each step along a must-link component: 1 at one node, −1 at the next.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.baselines.grouping_with_bias import grouping_constraints
    >>> grouping_constraints(np.array([0, 1, 0, 0])).toarray()
    array([[ 1.,  0.],
           [ 0.,  0.],
           [-1.,  1.],
           [ 0., -1.]])
    """
    order = np.argsort(component, kind="stable")
    joined = component[order][1:] == component[order][:-1]
    first, second = order[:-1][joined], order[1:][joined]
    m = len(first)
    values = np.concatenate([np.ones(m), -np.ones(m)])
    entries = (values, (np.concatenate([first, second]), np.tile(np.arange(m), 2)))
    return sparse.coo_array(entries, shape=(len(component), m)).tocsr()


def projected_laplacian(laplacian: Laplacian, V: sparse.csr_array) -> LinearOperator:
    """Return `Q L̄ Q + 2 (I − Q) + 2 d0 d0'` with Q the projector on `V'D^-1/2 v = 0`.

    What the constraints forbid, and the trivial vector, are lifted to the top of the spectrum.
    """
    n, d0 = laplacian.n_samples, laplacian.trivial[:, None]
    scaled = sparse.csr_array(sparse.diags_array(1 / np.sqrt(laplacian.degrees)) @ V)
    gram = sparse.csr_array(scaled.T @ scaled)
    # Smoothed constraints may depend on each other; the shift is far below any that matter.
    factor = factorize(gram, shift=1e-10 * gram.diagonal().max()) if gram.nnz else None

    def forbidden(x: Float) -> Float:
        if factor is None:
            return np.zeros_like(x)
        result: Float = scaled @ factor.solve(scaled.T @ x)
        return result

    def matmat(x: Float) -> Float:
        x = x.reshape(n, -1)
        out = forbidden(x)
        image = laplacian.matrix @ (x - out)
        result: Float = image - forbidden(image) + 2 * out + 2 * d0 @ (d0.T @ x)
        return result

    return LinearOperator((n, n), matvec=matmat, matmat=matmat, dtype=np.float64)


@dataclass(eq=False, repr=False)
class GroupingWithBias(Baseline):
    """Cut under the linear constraint that must-linked nodes go together.

    With a column of U for each grouped pair (1 and −1), the cut

        max x'Ax / x'Dx   over   U'x = 0

    is solved by the leading eigenvectors of `Q S Q`, with `S = D^-1/2 A D^-1/2` and Q the projector
    on the complement of `D^-1/2 U`. The second paper smooths the constraints by the random walk
    `P = D^-1 A`: not x but P x is equal at grouped nodes, `U'P x = 0`, so that a node's neighbours
    follow it.

    Parameters
    ----------
    smooth : bool, default False
        Whether to smooth the constraints. Suits few constraints next to each other, as in images;
        hundreds of scattered ones leave no smooth vector that obeys them.

    Notes
    -----
    The other parameters and the attributes are those of `Baseline`. The papers group nodes and do
    not separate them: cannot-links are accepted and not used. Two clusters are the signs of the
    second vector, more come from k-means; the papers rotate the vectors instead. Without must-links
    it is `Ncut`.

    References
    ----------
    S. X. Yu and J. Shi, Grouping with bias, NIPS 2001; Segmentation given partial grouping
    constraints, IEEE Transactions on Pattern Analysis and Machine Intelligence 26(2), 2004.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import GroupingWithBias
    >>> from sidecut.datasets import six_node_graph
    >>> known = Constraints.from_pairs([(0, 3)], n_samples=6)
    >>> model = GroupingWithBias(affinity="precomputed")
    >>> labels = model.fit(six_node_graph()[0], constraints=known).labels_
    >>> bool(labels[0] == labels[3])
    True
    """

    _: KW_ONLY
    smooth: bool = False

    def _solve(self, problem: Problem) -> Solution:
        laplacian, K = problem.laplacian, problem.n_clusters
        V: Any = grouping_constraints(problem.known.must_link_components())
        if self.smooth and V.shape[1]:
            walk = sparse.diags_array(1 / laplacian.degrees, format="csr") @ problem.affinity
            V = sparse.csr_array(walk.T @ V)
        vectors = lowest_vectors(projected_laplacian(laplacian, V), K - 1)[1]
        E = laplacian.indicator(vectors)
        return Solution(assign_labels(E, K, n_init=self.n_init, random_state=problem.seed), E)
