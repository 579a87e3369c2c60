"""Two clusters: cannot-links fix everything that they join, up to one turn of the whole."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from sidecut._validation import Int


class OddCycleError(ValueError):
    """A cycle of an odd number of cannot-links."""

    def __init__(self, cycle: list[int]) -> None:
        super().__init__(f"odd cycle {cycle}")
        self.cycle = cycle


def signed_components(first: Int, second: Int, n_nodes: int) -> tuple[Int, Int]:
    """Return the connected component of each node and its side there, 1 or −1.

    Works on the double cover: node k stands twice, as k on one side and as k + n on the other, and
    a cannot-link joins opposite sides. The links can all hold if and only if no node is joined with
    its own other side.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.constraints.signed import signed_components
    >>> signed_components(np.array([0, 1]), np.array([1, 2]), 4)
    (array([0, 0, 0, 1]), array([ 1, -1,  1,  1]))
    """
    rows = np.concatenate([first, first + n_nodes])
    columns = np.concatenate([second + n_nodes, second])
    shape = (2 * n_nodes, 2 * n_nodes)
    cover = sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=shape).tocsr()
    number = csgraph.connected_components(cover, directed=False)[1]
    here, there = number[:n_nodes], number[n_nodes:]
    if (clash := np.flatnonzero(here == there)).size:
        raise OddCycleError(_cycle(cover, int(clash[0]), n_nodes))
    lower = np.minimum(here, there)
    component = np.unique(lower, return_inverse=True)[1].astype(np.intp)
    return component, np.where(here == lower, 1, -1)


def _cycle(cover: sparse.csr_array, node: int, n_nodes: int) -> list[int]:
    """Return an odd cycle: the shortest way from a node to its other side, without its stem."""
    _, before = csgraph.breadth_first_order(cover, node, directed=False)
    walk = [node + n_nodes]
    while walk[-1] != node:
        walk.append(int(before[walk[-1]]))
    cycle = [step % n_nodes for step in walk]
    while len(cycle) > 3 and cycle[1] == cycle[-2]:
        cycle = cycle[1:-1]
    return cycle[:0:-1]
