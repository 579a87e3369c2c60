"""Nested dissection: cut a graph in two along few nodes, and each part again, down to a handful.

Eliminating the nodes of the parts before those between them keeps the factor of a flat graph
sparse: no entry ever joins two parts. All cells of a level are cut at once, in array operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidecut.eigen.multifrontal.cover import Nodes, smallest_cover
from sidecut.eigen.multifrontal.distances import Distances, landmark_distances
from sidecut.eigen.operators import Array

Numbers = NDArray[np.int64]

# A cell of so many nodes is eliminated in one piece.
_LEAF = 14
# Large cells may be cut off the middle, at the best of so many places: a fifth less work.
# In small ones the uneven parts cost more than they save.
_OFF_MIDDLE, _PLACES, _LARGE = 0.1, 9, 1000
# Nodes that speak for a cell when the direction of its cut is chosen; more where cells are few.
_SAMPLES, _SAMPLES_OF_FEW, _FEW = 32, 1024, 64
# Edges of nodes that are done are dropped every so many levels.
_TIDY = 3


@dataclass(frozen=True)
class Tree:
    """Where each node is eliminated. Fronts are numbered level by level, the first separator is 0.

    Attributes
    ----------
    front : ndarray of shape (n,)
        The front that eliminates a node.
    parent : ndarray of shape (m,)
        The front above each; -1 for the first.
    level : ndarray of shape (m,)
        How many fronts are above each.
    """

    front: NDArray[np.int32]
    parent: NDArray[np.int32]
    level: Numbers

    @property
    def depth(self) -> int:
        """The deepest level."""
        return int(self.level[-1])

    @property
    def widest(self) -> int:
        """The most nodes eliminated together."""
        return int(np.bincount(self.front).max())


def dissect(graph: Any) -> Tree:
    """Cut a graph along separators until every cell is small.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Symmetric; only where its entries are counts.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> path = sp.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(25, 25)).tocsr()
    >>> tree = dissect(path)
    >>> np.bincount(tree.front), tree.parent
    (array([ 1, 11, 13]), array([-1,  0,  0], dtype=int32))
    """
    n = graph.shape[0]
    distances = landmark_distances(graph)
    one, other = _edges(graph)
    front = np.zeros(n, np.int32)
    # Which of its cell's places for a cut a node has passed; -1 once it is done.
    passed = np.full(n, -1, np.int8)
    parents, starts = [np.array([-1], np.int32)], [0]
    nodes, size = np.arange(n, dtype=np.int32), np.array([n])
    while True:
        first = starts[-1]
        starts.append(first + size.size)
        front[nodes] = first + np.repeat(np.arange(size.size, dtype=np.int32), size)
        large = size > _LEAF
        passed[nodes] = -1
        nodes, fronts, size = nodes[np.repeat(large, size)], np.flatnonzero(large), size[large]
        if nodes.size == 0:
            level = np.repeat(np.arange(len(parents)), np.diff(starts))
            return Tree(front, np.concatenate(parents), level)
        values = _ascending(distances, graph, nodes, size)
        places = _places(values, size)
        passed[nodes] = _count_passed(values, places, size)

        left, right = _across(one, other, passed)
        cell = np.searchsorted(first + fronts, front[left])
        cut = _fewest_edges(cell, passed[left], passed[right], (size.size, places.shape[1]))
        cutting = (passed[left] <= cut[cell]) & (passed[right] > cut[cell])
        beyond = passed[nodes] > np.repeat(cut, size)
        passed[smallest_cover(left[cutting], right[cutting], n)] = -1
        nodes, halves = _halved(nodes, size, passed[nodes] >= 0, beyond)
        parents.append(np.repeat(first + fronts, 2)[halves > 0].astype(np.int32))
        size = halves[halves > 0]
        if len(parents) % _TIDY == 0:
            kept = (passed[one] >= 0) & (passed[other] >= 0)
            one, other = one[kept], other[kept]


def _edges(graph: Any) -> tuple[Nodes, Nodes]:
    rows = np.repeat(np.arange(graph.shape[0], dtype=np.int32), np.diff(graph.indptr))
    once = rows < graph.indices
    return rows[once], graph.indices[once].astype(np.int32, copy=False)


def _across(one: Nodes, other: Nodes, passed: NDArray[np.int8]) -> tuple[Nodes, Nodes]:
    """Return the edges that cross a place for a cut, the end before it first."""
    a, b = passed[one], passed[other]
    across = np.flatnonzero((a != b) & (a >= 0) & (b >= 0))
    ends = np.where(
        a[across] < b[across], (one[across], other[across]), (other[across], one[across])
    )
    return ends[0], ends[1]


def _ascending(distances: Distances, graph: Any, nodes: Nodes, size: Numbers) -> Array:
    """Return where each node lies along its cell, k to k + 1 in the k-th cell, no two equal."""
    starts = np.cumsum(size) - size
    along = _directions(distances, graph, nodes, starts, size).astype(np.float32)
    steps = np.einsum("ij,ij->i", distances[nodes], np.repeat(along, size, axis=0))
    values: Array = steps.astype(np.float64)
    lowest = np.minimum.reduceat(values, starts)
    extent = np.maximum.reduceat(values, starts) - lowest
    scale = np.where(extent > 0, 0.99 / np.where(extent > 0, extent, 1.0), 0.0)
    values -= np.repeat(lowest, size)
    values *= np.repeat(scale, size)
    # Ties are broken by the order of the nodes, so that a cell of equals is halved as well.
    values += np.repeat(np.arange(size.size) - 1e-3 * starts / size, size)
    values += np.repeat(1e-3 / size, size) * np.arange(nodes.size)
    return values


def _directions(
    distances: Distances, graph: Any, nodes: Nodes, starts: Numbers, size: Numbers
) -> Array:
    """Return the combination of distances along which each cell is longest, measured in its edges.

    It maximises ``w'Sw / w'Ew``, S and E the second moments of the nodes and of the edges: the
    lowest eigenvector of the cell among the combinations, whose level sets are short. A cut at
    one distance is three times as long, since distances are short where a graph is sparse.
    """
    samples = _SAMPLES_OF_FEW if size.size <= _FEW else _SAMPLES
    spaced = (np.arange(samples) + 0.5) / samples
    chosen = nodes[starts[:, None] + (spaced * size[:, None]).astype(np.int64)]
    degree = np.diff(graph.indptr)[chosen]
    linked, neighbours = degree > 0, chosen.copy()
    turn = np.broadcast_to(np.arange(samples), chosen.shape)[linked] % degree[linked]
    neighbours[linked] = graph.indices[graph.indptr[chosen[linked]] + turn]
    inside = distances[chosen].astype(np.float64)
    edges = distances[neighbours] - inside
    inside -= inside.mean(axis=1, keepdims=True)
    spread = inside.transpose(0, 2, 1) @ inside
    lengths = edges.transpose(0, 2, 1) @ edges
    share = 1e-3 * np.trace(lengths, axis1=1, axis2=2) / lengths.shape[1] + 1e-12
    power = np.linalg.solve(lengths + share[:, None, None] * np.eye(lengths.shape[1]), spread)
    # Squared five times, little is left but the leading eigenvector, in every column.
    for _ in range(5):
        power /= np.abs(power).max(axis=(1, 2), keepdims=True) + 1e-300
        power = power @ power
    longest = np.argmax(np.abs(power).sum(axis=1), axis=1)
    return np.asarray(np.take_along_axis(power, longest[:, None, None], axis=2)[:, :, 0])


def _places(values: Array, size: Numbers) -> Array:
    """Return the values at which each cell may be cut, ascending; in small ones, the median."""
    shares = np.full((size.size, _PLACES if size.max() > _LARGE else 1), 0.5)
    if shares.shape[1] > 1:
        shares[size > _LARGE] += np.linspace(-_OFF_MIDDLE, _OFF_MIDDLE, _PLACES)
    starts = np.cumsum(size) - size
    if size.min() > 2 * _SAMPLES_OF_FEW:
        # Sorting a sample tells the middle to two nodes in a hundred.
        spaced = (np.arange(_SAMPLES_OF_FEW) + 0.5) / _SAMPLES_OF_FEW
        sample = np.sort(values[starts[:, None] + (spaced * size[:, None]).astype(np.int64)])
        return np.take_along_axis(sample, (shares * _SAMPLES_OF_FEW).astype(np.int64), axis=1)
    return np.asarray(np.sort(values)[starts[:, None] + (shares * size[:, None]).astype(np.int64)])


def _count_passed(values: Array, places: Array, size: Numbers) -> NDArray[np.int8]:
    passed = np.zeros(values.size, np.int8)
    for place in places.T:
        passed += values >= np.repeat(place, size)
    return passed


def _fewest_edges(
    cell: Numbers, left: NDArray[np.int8], right: NDArray[np.int8], shape: tuple[int, int]
) -> Numbers:
    """Return for each cell the place that the fewest edges cross, of those from left to right."""
    cells, places = shape
    width = places + 1
    begin = np.bincount(cell * width + left, minlength=cells * width)
    end = np.bincount(cell * width + right, minlength=cells * width)
    crossing = np.cumsum((begin - end).reshape(cells, width), axis=1)
    return np.asarray(np.argmin(crossing[:, :places], axis=1))


def _halved(
    nodes: Nodes, size: Numbers, alive: NDArray[np.bool_], beyond: NDArray[np.bool_]
) -> tuple[Nodes, Numbers]:
    """Return the nodes left, those beyond the cut after the others of their cell, and how many."""
    starts = np.cumsum(size) - size
    halves = np.empty((size.size, 2), np.int64)
    sides = (alive & ~beyond, alive & beyond)
    for side, members in enumerate(sides):
        halves[:, side] = np.add.reduceat(members, starts, dtype=np.int64)
    counts = halves.ravel()
    sorted_nodes = np.empty(int(counts.sum()), np.int32)
    begin = (np.cumsum(counts) - counts).reshape(halves.shape)
    for side, members in enumerate(sides):
        before = np.cumsum(halves[:, side]) - halves[:, side]
        place = np.repeat(begin[:, side] - before, halves[:, side])
        sorted_nodes[place + np.arange(place.size)] = nodes[members]
    return sorted_nodes, counts
