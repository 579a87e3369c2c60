"""Normalised cuts restricted to a subspace that the constraints leave open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from sidecut._validation import Float, Int
from sidecut.baselines._pencil import lowest_pencil
from sidecut.laplacian import Laplacian


@dataclass(frozen=True, eq=False)
class Sides:
    """What links say about two sides: nodes joined by links, and the side of each in its group."""

    group: Int
    sign: Float
    opposed: np.ndarray
    frustrated: np.ndarray

    @property
    def n_groups(self) -> int:
        """Number of groups; a node without links is one of its own."""
        return len(self.opposed)


def two_sides(links: sparse.csr_array) -> Sides:
    """Colour the groups of linked nodes with two sides.

    Every node has a copy for each side. A must-link joins copies of the same side, a cannot-link of
    different ones. In a group that can be coloured the copies fall into two parts; in one that
    cannot (a cycle with an odd number of cannot-links) they are one.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut import Constraints
    >>> from sidecut.baselines._links import signed_links
    >>> from sidecut.baselines._subspace import two_sides
    >>> known = Constraints.from_pairs([(0, 1)], [(1, 2)], n_samples=4)
    >>> sides = two_sides(signed_links(known, seed=0))
    >>> sides.group, sides.sign, sides.opposed
    (array([0, 0, 0, 1]), array([ 1.,  1., -1.,  1.]), array([ True, False]))
    """
    n = links.shape[0]
    must, cannot = abs(links.maximum(0)), abs((-links).maximum(0))
    n_groups, group = csgraph.connected_components(links, directed=False)
    doubled = sparse.block_array([[must, cannot], [cannot, must]])
    copy = csgraph.connected_components(doubled, directed=False)[1].reshape(2, n)
    # The first node of each group is on the side +1.
    first = np.unique(group, return_index=True)[1]
    sign = np.where(copy[0] == copy[0, first][group], 1.0, -1.0)
    frustrated = (copy[0] == copy[1])[first]
    opposed = np.bincount(group, sign < 0, n_groups) > 0
    return Sides(group.astype(np.intp), sign, opposed | frustrated, frustrated)


def restricted_cut(laplacian: Laplacian, columns: sparse.csr_array, offset: Float) -> Float:
    """Return the cheapest nontrivial cut x in the span of some columns and an offset.

    `min x'(D − A)x / x'Dx` over `x = columns @ w + c · offset`, `x'D1 = 0`. x comes less
    its own offset c, so that its sign is the side.

    Parameters
    ----------
    laplacian : Laplacian
    columns : sparse array of shape (n, r)
        Orthogonal in the inner product of the degrees D.
    offset : array of shape (n,)
        1 on the nodes whose sides are opposed, 0 elsewhere; the constant vector is in the span.
    """
    root = np.sqrt(laplacian.degrees)
    Z = sparse.csr_array(sparse.diags_array(root, format="csr") @ columns)
    Z = sparse.csr_array(Z / np.sqrt(Z.power(2).sum(axis=0)))
    # What the offset adds to the span; nothing where no sides are opposed.
    t = root * offset
    inside = Z.T @ t
    t = t - Z @ inside
    shifted = np.linalg.norm(t) > 1e-9 * np.linalg.norm(root)
    if shifted:
        t = t / np.linalg.norm(t)
        Z = sparse.csr_array(sparse.hstack([Z, sparse.csr_array(t[:, None])]))
    if Z.shape[1] == 1:
        # Must-links join everything: only the constant is left, and it cuts nothing.
        return np.zeros(laplacian.n_samples)
    trivial = Z.T @ laplacian.trivial
    A = Z.T @ laplacian.matrix @ Z
    A = (A + A.T) / 2
    identity = sparse.eye_array(Z.shape[1], format="csr")
    w = lowest_pencil(A, identity, 1, null=trivial)[1][:, 0]
    x: Float = (Z @ w) / root
    if not shifted:
        return x
    c = float(w[-1] / np.linalg.norm(root * offset - Z[:, :-1] @ inside))
    return np.asarray(x - c)
