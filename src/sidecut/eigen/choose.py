"""Which solver suits a graph: its shape decides, not its size alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import LinearOperator

# Up to so many nodes a dense decomposition takes a second or less.
DENSE_NODES = 1000
# A dense decomposition also wins when a large share of all pairs is wanted.
DENSE_SHARE, DENSE_NODES_AT_MOST = 0.2, 6000
# Factoring pays where separators are no wider than so many times √n, as in the plane: moons in the
# plane have 6.5 to 8, a photograph 1.6, blobs in three dimensions 12, in ten 58, social graphs 70.
# Beyond the second bound even those factors outgrow the memory of one machine.
WIDTH_PER_ROOT, WIDTH_AT_MOST = 10.0, 20_000


def choose(laplacian: Any, p: int) -> str:
    """Name the solver that `solver="auto"` takes.

    1. Up to 1000 nodes, or up to 6000 of whose pairs more than a fifth are wanted: ``"dense"``.
    2. Only products are to be had (a LinearOperator): ``"lanczos"``.
    3. Separators are as narrow as in a graph of the plane (`separator_width` at most 10 √n and at
       most 20 000), so that the factors stay sparse: ``"shift_invert"``.
    4. ``"lanczos"``: a graph that would fill in has a large spectral gap.
    """
    n = laplacian.shape[0]
    if n <= DENSE_NODES or (n <= DENSE_NODES_AT_MOST and p > DENSE_SHARE * n):
        return "dense"
    if isinstance(laplacian, LinearOperator):
        return "lanczos"
    width = separator_width(laplacian)
    if width <= min(WIDTH_PER_ROOT * np.sqrt(n), WIDTH_AT_MOST):
        return "shift_invert"
    return "lanczos"


def separator_width(laplacian: Any) -> int:
    """Estimate how many nodes must be removed to cut the graph in two.

    The nodes at equal distance from one at the rim separate those nearer from those farther; the
    largest such set is the width. Fill-in grows with its square, the work of factoring with its
    cube, and finding it costs two searches of the graph.

    Examples
    --------
    >>> from scipy import sparse
    >>> path = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(50, 50)).tocsr()
    >>> separator_width(path), separator_width(sparse.csr_array(path.toarray() * 0 - 1))
    (1, 49)
    """
    graph = sparse.csr_array(laplacian)
    component = csgraph.connected_components(graph, directed=False)[1]
    largest = np.bincount(component).argmax()
    start = int(np.argmax(component == largest))
    for _ in range(2):
        order, ends = _levels(graph, start)
        start = int(order[-1])
    return int(np.diff(ends).max())


def _levels(graph: sparse.csr_array, start: int) -> tuple[Any, list[int]]:
    """Return the nodes in the order of a breadth-first search, and where each distance begins."""
    order, before = csgraph.breadth_first_order(graph, start, directed=True)
    place = np.empty(graph.shape[0], np.intp)
    place[order] = np.arange(len(order))
    # The search visits nodes in the order of their parents, so a level ends where the parents of
    # its nodes leave the level before.
    parents = place[before[order[1:]]]
    ends = [0, 1]
    while ends[-1] < len(order):
        ends.append(1 + int(np.searchsorted(parents, ends[-1])))
    return order, ends
