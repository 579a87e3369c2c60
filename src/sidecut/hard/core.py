"""The labelling nearest to given scores that breaks no constraint."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.special import log_softmax

from sidecut._validation import Float, Int
from sidecut.constraints import Constraints
from sidecut.constraints.signed import OddCycleError, signed_components
from sidecut.hard.apart import Apart, ContradictionError, cannot_links
from sidecut.hard.coloring import NoColoringError, color


def hard_labels(scores: Float, constraints: Constraints, *, seed: int = 0) -> Int:
    """Label every node so that all must-links and cannot-links hold, near the best scores.

    Weights of constraints play no part: each is kept. Must-link components are contracted to one
    node. For two clusters the components that cannot-links join are contracted too, with signs, and
    the best turn of each is chosen: that is exact. For more clusters the contracted nodes are
    coloured (`sidecut.hard.coloring`): the search finds a labelling or proves that there is none,
    within a budget, and then lowers its cost.

    Parameters
    ----------
    scores : array of shape (n_samples, n_clusters)
        Logits of the clusters of each node.
    constraints : Constraints
        Pairs and labels. Labels cost memory linear in their number.
    seed : int
        For ties in the search.

    Raises
    ------
    ContradictionError
        When the constraints cannot all hold with so many clusters; the text has a chain of links, a
        cycle, or nodes that are all apart from each other.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut import Constraints
    >>> from sidecut.hard import hard_labels
    >>> known = Constraints.from_pairs([(0, 1)], [(1, 2)], n_samples=4)
    >>> hard_labels(np.array([[2.0, 0], [0, 1], [3, 0], [0, 1]]), known)
    array([1, 1, 0, 1])
    """
    n_samples, n_clusters = scores.shape
    if n_samples != constraints.n_samples:
        raise ValueError(
            f"constraints speak about {constraints.n_samples} samples, scores has {n_samples} rows"
        )
    for found in constraints.contradictions(limit=1):
        raise ContradictionError(f"the constraints contradict each other: {found}", found.chain)
    component = constraints.must_link_components()
    apart = cannot_links(constraints, component, n_clusters)
    logs = log_softmax(scores, axis=1)
    sums = [np.bincount(component, -logs[:, k]) for k in range(n_clusters)]
    costs = np.stack(sums, axis=1).astype(np.float64, copy=False)
    if n_clusters == 1:
        labels = _one(apart, len(costs))
    elif n_clusters == 2:
        labels = _two(costs, apart)
    else:
        labels = _many(costs, apart, seed)
    return labels[component]


def _one(apart: Apart, n_components: int) -> Int:
    if len(apart.nodes):
        first, second = apart.nodes[0].tolist()
        raise ContradictionError(
            f"a single cluster cannot keep nodes {first} and {second} apart", (first, second)
        )
    return np.zeros(n_components, np.intp)


def _two(costs: Float, apart: Apart) -> Int:
    """Turn every signed component as a whole to its cheaper side; no labelling is cheaper."""
    try:
        group, side = signed_components(apart.components[:, 0], apart.components[:, 1], len(costs))
    except OddCycleError as error:
        text, nodes = apart.cycle_text(error.cycle)
        raise ContradictionError(
            f"two clusters cannot keep an odd cycle of cannot-links: {text}", nodes
        ) from None
    gain = np.bincount(group, side * (costs[:, 0] - costs[:, 1]))
    return (side * np.where(gain >= 0, 1, -1)[group] > 0).astype(np.intp)


def _many(costs: Float, apart: Apart, seed: int) -> Int:
    """Colour the connected pieces of the cannot-links one by one."""
    n_clusters = costs.shape[1]
    labels: Int = costs.argmin(axis=1)
    busy, place = np.unique(apart.components, return_inverse=True)
    place = place.reshape(-1, 2)
    neighbours: list[set[int]] = [set() for _ in busy]
    for a, b in place.tolist():
        neighbours[a].add(b)
        neighbours[b].add(a)
    graph = sparse.coo_array((np.ones(len(place)), place.T), shape=(len(busy), len(busy)))
    piece = csgraph.connected_components(graph, directed=False)[1]
    order = np.argsort(piece, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(piece[order])) + 1):
        own = {int(v): k for k, v in enumerate(members)}
        local = [{own[w] for w in neighbours[v]} for v in members]
        nodes = busy[members]
        try:
            labels[nodes] = color(costs[nodes], local, seed)
        except NoColoringError as error:
            shown = tuple(apart.node(k) for k in nodes[error.clique].tolist())
            raise ContradictionError(
                _no_coloring_text(error, n_clusters, len(members), shown), shown
            ) from None
    return labels


def _no_coloring_text(
    error: NoColoringError, n_clusters: int, size: int, shown: tuple[int, ...]
) -> str:
    names = ", ".join(map(str, shown))
    if len(shown) > n_clusters:
        return f"{n_clusters} clusters are too few: nodes {names} are all apart"
    rest = f"the cannot-links among {size} must-link components, nodes {names} among them"
    if error.proven:
        return f"no labelling with {n_clusters} clusters keeps {rest}"
    return f"the search found no labelling with {n_clusters} clusters that keeps {rest}"
