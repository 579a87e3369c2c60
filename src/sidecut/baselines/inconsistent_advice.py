"""Spectral clustering with inconsistent advice."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from sidecut._validation import Float, check_number
from sidecut.baselines._base import DENSE_LIMIT, Baseline, Problem, Solution
from sidecut.baselines._pencil import lowest_pencil
from sidecut.baselines._subspace import Sides, restricted_cut, two_sides
from sidecut.eigen.choose import DENSE_NODES


def signed_laplacian(links: sparse.csr_array) -> sparse.csr_array:
    """Return `diag(|Q| 1) − Q`: `Σ |q_ij| (x_i − sign(q_ij) x_j)²` over the pairs."""
    degrees = np.asarray(abs(links).sum(axis=1)).ravel()
    return sparse.csr_array(sparse.diags_array(degrees, format="csr") - links)


def low_vectors(L: sparse.csr_array, slack: float) -> Float:
    """Return the eigenvectors whose eigenvalue exceeds the lowest by at most `slack` · the largest.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from sidecut.baselines.inconsistent_advice import low_vectors
    >>> L = sparse.csr_array(np.diag([1.0, 2.0, 11.0]))
    >>> low_vectors(L, 0.0).shape, low_vectors(L, 0.1).shape
    ((3, 1), (3, 2))
    """
    n = L.shape[0]
    if n > DENSE_NODES and slack == 0:
        return lowest_pencil(L, sparse.eye_array(n, format="csr"), 1)[1]
    if n > DENSE_LIMIT:
        raise ValueError(
            f"slack must be 0 where more than {DENSE_LIMIT} nodes of contradicting advice are "
            f"connected, got {slack:g} and {n} nodes"
        )
    values, vectors = np.linalg.eigh(L.toarray())
    # Equal eigenvalues differ by rounding.
    result: Float = vectors[:, values <= values[0] + (slack + 1e-9) * values[-1]]
    return result


def advised(
    links: sparse.csr_array, sides: Sides, degrees: Float, slack: float
) -> sparse.csr_array:
    """Return the low eigenvectors of the advice as columns, orthogonal under `degrees`.

    A group that can be coloured has the eigenvalue 0, and its sides are the vector. The others are
    decomposed one by one.
    """
    n = links.shape[0]
    easy = ~sides.frustrated[sides.group]
    rows, columns, values = [np.flatnonzero(easy)], [sides.group[easy]], [sides.sign[easy]]
    used = sides.n_groups
    L = signed_laplacian(links)
    for group in np.flatnonzero(sides.frustrated):
        nodes = np.flatnonzero(sides.group == group)
        root = np.sqrt(degrees[nodes])[:, None]
        basis = np.linalg.qr(root * low_vectors(L[nodes][:, nodes], slack))[0] / root
        for k, column in enumerate(basis.T):
            rows.append(nodes)
            columns.append(np.full(len(nodes), group if k == 0 else used))
            values.append(column)
            used += k > 0
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sparse.coo_array(entries, shape=(n, used)).tocsr()


@dataclass(eq=False, repr=False)
class InconsistentAdvice(Baseline):
    """Restrict the normalised cut to the subspace in which advice is contradicted least.

    Disagreement with advice Q is the quadratic form of its signed Laplacian,

        x'(diag(|Q| 1) − Q)x = Σ |q_ij| (x_i − sign(q_ij) x_j)²,

    the relaxation of correlation clustering with two clusters. Its lowest eigenvectors in each
    connected group of advised nodes, with a unit vector for each node without advice and the common
    offset of `SubspaceTrick`, span the subspace over which `x'(D − A)x / x'Dx` is minimised. Where
    the advice can be satisfied the lowest eigenvalue is 0 and the method is `SubspaceTrick`.

    Parameters
    ----------
    slack : float, default 0
        Eigenvectors up to this share of the group's largest eigenvalue above its lowest are kept
        too; 0 keeps the lowest, 1 keeps all, which is `Ncut`.

    Notes
    -----
    The other parameters and the attributes are those of `Baseline`. `embedding_` is x less its
    offset.

    References
    ----------
    T. Coleman, J. Saunderson and A. Wirth, Spectral clustering with inconsistent advice, ICML 2008.

    Examples
    --------
    >>> from sidecut import Constraints
    >>> from sidecut.baselines import InconsistentAdvice
    >>> from sidecut.datasets import six_node_graph
    >>> known = Constraints.from_pairs([(0, 1), (1, 3), (0, 3), (4, 5)], [(3, 4), (3, 5), (1, 2)],
    ...                                n_samples=6) + Constraints.from_pairs([(1, 2)], n_samples=6)
    >>> model = InconsistentAdvice(affinity="precomputed")
    >>> labels = model.fit(six_node_graph()[0], constraints=known).labels_
    >>> labels == labels[0]
    array([ True,  True,  True,  True, False, False])
    """

    _: KW_ONLY
    slack: float = 0.0

    takes_soft: ClassVar[bool] = True
    takes_more_clusters: ClassVar[bool] = False

    def _solve(self, problem: Problem) -> Solution:
        slack = check_number(self.slack, "slack")
        if slack < 0:
            raise ValueError(f"slack must not be negative, got {slack:g}")
        sides = two_sides(problem.links)
        columns = advised(problem.links, sides, problem.laplacian.degrees, slack)
        offset = sides.opposed[sides.group].astype(np.float64)
        x = restricted_cut(problem.laplacian, columns, offset)
        return Solution((x > 0).astype(np.intp), x[:, None])
