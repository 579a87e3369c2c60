"""The cheapest cut into two that keeps every constraint, for graphs small enough for all of it."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import coo_array, csgraph

from sidecut._validation import Int
from sidecut.constraints.signed import signed_components
from sidecut.laplacian import Laplacian
from sidecut.selection.beliefs import Beliefs

# Nodes up to which the dense problem takes a tenth of a second.
EXACT_NODES = 1000


def exact_labels(laplacian: Laplacian, beliefs: Beliefs) -> Int:
    """Return the sides of the relaxed normalised cut among those that keep all beliefs.

    Linked nodes share one unknown: `x = c + s w` with s their side in the group of nodes that links
    join, and one offset c for all groups that have two sides (De Bie, Suykens and De Moor 2004).

    Raises
    ------
    OddCycleError
        When two clusters cannot keep all beliefs.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut import Constraints
    >>> from sidecut.datasets import six_node_graph
    >>> from sidecut.laplacian import normalized_laplacian
    >>> from sidecut.selection.beliefs import Beliefs
    >>> known = Constraints.from_pairs([(0, 3)], [(3, 4)], n_samples=6)
    >>> laplacian = normalized_laplacian(six_node_graph()[0])
    >>> labels = exact_labels(laplacian, Beliefs.from_pairs(known.as_pairs()))
    >>> labels == labels[0]
    array([ True,  True,  True,  True, False, False])
    """
    n = laplacian.n_samples
    group, side = _sides(beliefs, n)
    span = np.zeros((n, group.max() + 2))
    span[np.arange(n), group] = side
    has_two_sides = np.bincount(group, side < 0) > 0
    span[:, -1] = has_two_sides[group]
    # The offset adds to the span only where sides differ.
    span = span if has_two_sides.any() else span[:, :-1]
    root = np.sqrt(laplacian.degrees)
    Z, R = np.linalg.qr(root[:, None] * span)
    trivial = Z.T @ laplacian.trivial
    cost = Z.T @ (laplacian.matrix @ Z) + 2 * np.outer(trivial, trivial)
    found = eigh((cost + cost.T) / 2, subset_by_index=(0, 0))[1][:, 0]
    offset = found[-1] / R[-1, -1] if has_two_sides.any() else 0.0
    return np.asarray((Z @ found) / root > offset, dtype=np.intp)


def _sides(beliefs: Beliefs, n: int) -> tuple[Int, Int]:
    """Return the group of each node and its side there: must-links contracted, then signs."""
    must = beliefs.target > 0.5
    ends = (beliefs.first[must], beliefs.second[must])
    together = coo_array((np.ones(must.sum()), ends), shape=(n, n))
    count, component = csgraph.connected_components(together, directed=False)
    apart = beliefs.target < 0.5
    first, second = component[beliefs.first[apart]], component[beliefs.second[apart]]
    group, side = signed_components(first, second, count)
    return group[component], side[component]
