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
    before. Every component has landmarks of its own; a column more tells several apart.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Symmetric; only where its entries are counts.

    Returns
    -------
    ndarray of shape (n, 8) or (n, 9)

    Examples
    --------
    >>> path = sp.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(5, 5)).tocsr()
    >>> from_one_end = landmark_distances(path)[:, 0]
    >>> bool((np.diff(from_one_end) < 0).all() or (np.diff(from_one_end) > 0).all())
    True
    """
    component = components(graph)
    rings = Rings(graph)
    landmarks = _farthest(rings.around(_farthest(-component, component)), component)
    distances = np.empty((graph.shape[0], _LANDMARKS), np.float32)
    nearest = np.full(graph.shape[0], np.inf, np.float32)
    for column in range(_LANDMARKS):
        away = rings.around(landmarks)
        distances[:, column] = away
        np.minimum(nearest, away, out=nearest)
        landmarks = _farthest(nearest, component)
    degree = np.diff(graph.indptr)
    share = np.repeat((1 / np.maximum(degree, 1)).astype(np.float32), degree)
    average = SparseRows(sp.csr_array((share, graph.indices, graph.indptr), graph.shape))
    for _ in range(_SWEEPS):
        distances = average @ distances
    if component.max() > 0:
        distances = np.column_stack([distances, component.astype(np.float32)])
    return distances


def is_thin(graph: Any) -> bool:
    """Whether a graph is so long that a path through it takes over 3 √n edges.

    A square grid takes 2 √n. Minimum degree does long graphs in time proportional to their
    length.
    """
    component = components(graph)
    ends = _farthest(-component, component)
    return bool((Rings(graph).around(ends, most=3 * np.sqrt(component.size)) < 0).any())


def components(graph: Any) -> NDArray[np.int32]:
    """Return the number of each node's connected component."""
    reached = breadth_first_order(graph, 0, return_predecessors=False)
    if reached.size == graph.shape[0]:
        return np.zeros(reached.size, np.int32)
    return np.asarray(connected_components(graph, directed=False)[1], np.int32)


class Rings:
    """Breadth-first search of a graph from several nodes at once.

    Examples
    --------
    >>> rings = Rings(sp.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(5, 5)).tocsr())
    >>> rings.around(np.array([0, 4])), rings.around(np.array([0]), most=2)
    (array([0., 1., 2., 1., 0.], dtype=float32), array([ 0.,  1.,  2., -1., -1.], dtype=float32))
    """

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._ones = np.ones(0)

    def around(self, sources: NDArray[Any], most: float = np.inf) -> NDArray[np.float32]:
        """Return how many edges each node is away from the nearest source; -1 beyond ``most``."""
        graph, n = self._graph, self._graph.shape[0]
        # One node more, from which the sources are one edge away.
        row = np.append(graph.indptr, graph.indptr[-1] + sources.size)
        column = np.append(graph.indices, sources.astype(graph.indices.dtype))
        if self._ones.size != column.size:
            self._ones = np.ones(column.size)
        wider = sp.csr_array((self._ones, column, row), (n + 1, n + 1))
        order, parent = breadth_first_order(wider, n)
        away = np.full(n + 1, -1, np.float32)
        away[n] = 0.0
        ring, stop = 0, 1
        while stop < order.size and ring <= most:
            # Breadth first: nodes with a parent in this ring come before those with one in the
            # next.
            start, rest = stop, range(stop, order.size)
            stop += bisect_left(rest, True, key=lambda k: away[parent[order[k]]] < 0)
            ring += 1
            away[order[start:stop]] = ring
        return np.asarray(np.maximum(away[:n] - 1, -1))


def _farthest(away: NDArray[Any], component: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the first of the nodes with the largest value in each component."""
    if component[-1] == 0 == component.max():
        return np.array([np.argmax(away)])
    largest = np.full(int(component.max()) + 1, -np.inf)
    np.maximum.at(largest, component, away)
    candidates = np.flatnonzero(away == largest[component])
    return candidates[np.unique(component[candidates], return_index=True)[1]]
