"""The fewest nodes that touch every edge between two sides."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import maximum_bipartite_matching

Nodes = NDArray[np.int32]


def smallest_cover(left: Nodes, right: Nodes, n: int) -> Nodes:
    """Return a smallest set of nodes that holds an end of every edge ``left[k]–right[k]``.

    König's theorem: of a largest matching, take the left nodes that no alternating path from an
    unmatched left node reaches, and the right nodes that one does.

    Parameters
    ----------
    left, right : ndarray of shape (m,)
        The ends of the edges; no node is in both.
    n : int
        Nodes are numbers below this.

    Examples
    --------
    >>> edges = np.array([[0, 5], [1, 5], [2, 5], [3, 6], [3, 7]], np.int32)
    >>> np.sort(smallest_cover(*edges.T, n=8))
    array([3, 5], dtype=int32)
    """
    rows, row = _numbered(left, n)
    columns, column = _numbered(right, n)
    between = sp.csr_array(
        (np.ones(left.size, np.int8), (row, column)), shape=(rows.size, columns.size)
    )
    partner = maximum_bipartite_matching(between, perm_type="column")
    matched = partner >= 0
    partner_of_column = np.full(columns.size, -1, np.int32)
    partner_of_column[partner[matched]] = np.flatnonzero(matched)
    reached_rows, reached_columns = ~matched, np.zeros(columns.size, bool)
    last = np.flatnonzero(reached_rows)
    while last.size:
        fresh = np.zeros(columns.size, bool)
        fresh[between[last].indices] = True
        fresh &= ~reached_columns
        reached_columns |= fresh
        # Every one has a partner, or the matching could grow.
        partners = partner_of_column[fresh]
        last = partners[~reached_rows[partners]].astype(np.intp)
        reached_rows[last] = True
    return np.concatenate([rows[~reached_rows], columns[reached_columns]])


def _numbered(nodes: Nodes, n: int) -> tuple[Nodes, Nodes]:
    """Return the distinct nodes and, for each given one, its number among them."""
    present = np.zeros(n, bool)
    present[nodes] = True
    distinct = np.flatnonzero(present).astype(np.int32)
    number = np.empty(n, np.int32)
    number[distinct] = np.arange(distinct.size, dtype=np.int32)
    return distinct, number[nodes]
