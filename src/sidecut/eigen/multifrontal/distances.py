"""Coordinates for a graph that has none: how many edges each node is away from a few landmarks."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order, connected_components

from sidecut.eigen.parallel import SparseRows

Distances = NDArray[np.float32]

# With four landmarks the cuts of a 2-D k-NN graph cost twice the work of those along its true
# coordinates, with eight a fifth more, with twelve as much.
_LANDMARKS = 8
# Distances are whole numbers; averaged over neighbours so often, they tell close nodes apart.
_SWEEPS = 8


def landmark_distances(graph: Any) -> Distances:
    """Return each node's distance in edges to landmarks far apart, smoothed over its neighbours.

    The first landmark lies at an end of the graph, each next one as far as can be from those
    before. Components are taken as joined in a row.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Symmetric; only where its entries are counts.

    Returns
    -------
    ndarray of shape (n, 8)

    Examples
    --------
    >>> path = sp.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(5, 5)).tocsr()
    >>> from_one_end = landmark_distances(path)[:, 0]
    >>> bool((np.diff(from_one_end) < 0).all() or (np.diff(from_one_end) > 0).all())
    True
    """
    n = graph.shape[0]
    order = breadth_first_order(graph, 0, return_predecessors=False)
    if order.size < n:
        graph = _joined(graph)
        order = breadth_first_order(graph, 0, return_predecessors=False)
    landmark = int(order[-1])
    distances = np.empty((n, _LANDMARKS), np.float32)
    nearest = np.full(n, np.inf, np.float32)
    for column in range(_LANDMARKS):
        hops = _hops(graph, landmark)
        distances[:, column] = hops
        np.minimum(nearest, hops, out=nearest)
        landmark = int(np.argmax(nearest))
    degree = np.diff(graph.indptr)
    share = np.repeat((1 / np.maximum(degree, 1)).astype(np.float32), degree)
    average = SparseRows(sp.csr_array((share, graph.indices, graph.indptr), graph.shape))
    for _ in range(_SWEEPS):
        distances = average @ distances
    return distances


def _joined(graph: Any) -> Any:
    """Return the graph with an edge from the first node of each component to that of the next."""
    count, component = connected_components(graph, directed=False)
    _, first = np.unique(component, return_index=True)
    chain = sp.coo_array((np.ones(count - 1), (first[:-1], first[1:])), graph.shape)
    return sp.csr_array(abs(graph) + chain + chain.T)


def _hops(graph: Any, source: int) -> NDArray[np.float32]:
    """Return the number of edges from one node to every other of a connected graph."""
    order, parent = breadth_first_order(graph, source)
    hops = np.full(order.size, -1, np.float32)
    hops[source] = 0.0
    ring, stop = 0, 1
    while stop < order.size:
        # Breadth first, so nodes with a parent in this ring come before those with one in the next.
        start, rest = stop, range(stop, order.size)
        stop += bisect_left(rest, True, key=lambda k: hops[parent[order[k]]] < 0)
        ring += 1
        hops[order[start:stop]] = ring
    return hops
