"""Do the constraints agree with each other? Closure of the must-links, and contradictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from sidecut._validation import Int
from sidecut.constraints.groups import Groups
from sidecut.constraints.pairs import Pairs

Part = Pairs | Groups


@dataclass(frozen=True)
class Contradiction:
    """A cannot-link between two nodes that a chain of must-links joins."""

    first: int
    second: int
    chain: tuple[int, ...]

    def __str__(self) -> str:
        chain = " = ".join(map(str, self.chain))
        return f"cannot-link ({self.first}, {self.second}) against must-links {chain}"


def must_link_components(n_samples: int, parts: Sequence[Part]) -> Int:
    """Return for each node the number of its must-link component (a lone node has its own)."""
    return _components(_must_graph(n_samples, parts)[0], n_samples)


def linked_components(n_samples: int, parts: Sequence[Part]) -> Int:
    """Return for each node the number of its component when every constraint is a link."""
    graph, hubs = _must_graph(n_samples, parts)
    for part, own in zip(parts, hubs, strict=True):
        first, second = part.links(-1)[:2] if isinstance(part, Pairs) else (own[:-1], own[1:])
        edges = (np.ones(len(first)), (first, second))
        graph = graph + sparse.coo_array(edges, shape=graph.shape)
    return _components(graph, n_samples)


def _components(graph: sparse.csr_array, n_samples: int) -> Int:
    component = csgraph.connected_components(graph, directed=False)[1][:n_samples]
    # The hubs are cut off, so renumber by first appearance.
    _, index, inverse = np.unique(component, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(index))[inverse].astype(np.intp)


def contradictions(n_samples: int, parts: Sequence[Part], limit: int) -> list[Contradiction]:
    """Return up to `limit` contradictions, each with a shortest chain of must-links."""
    graph, hubs = _must_graph(n_samples, parts)
    component = csgraph.connected_components(graph, directed=False)[1]
    found = []
    for source, target in islice(_joined_cannot_links(parts, hubs, component), limit):
        _, before = csgraph.breadth_first_order(graph, source, directed=False)
        walk = [target]
        while walk[-1] != source:
            walk.append(int(before[walk[-1]]))
        chain = tuple(node for node in reversed(walk) if node < n_samples)
        found.append(Contradiction(chain[0], chain[-1], chain))
    return found


def _must_graph(n_samples: int, parts: Sequence[Part]) -> tuple[sparse.csr_array, list[Int]]:
    """Return the must-link graph and, for each part, the numbers of its hubs.

    A group of k nodes is k edges to a hub node of its own instead of k² pairs.
    """
    rows, columns, hubs, size = [], [], [], n_samples
    for part in parts:
        if isinstance(part, Pairs):
            first, second, _ = part.links(1)
            hubs.append(np.empty(0, np.intp))
        else:
            own = size + np.arange(part.membership.shape[0])
            first, second, size = part.nodes, own[part.group], size + len(own)
            hubs.append(own)
        rows.append(first)
        columns.append(second)
    row = np.concatenate([*rows, np.empty(0, np.intp)])
    column = np.concatenate([*columns, np.empty(0, np.intp)])
    edges = (np.ones(len(row)), (row, column))
    return sparse.coo_array(edges, shape=(size, size)).tocsr(), hubs


def _joined_cannot_links(
    parts: Sequence[Part], hubs: Sequence[Int], component: Int
) -> Iterator[tuple[int, int]]:
    """Yield the ends of cannot-links within one must-link component: nodes, or hubs of groups."""
    for part, own in zip(parts, hubs, strict=True):
        if isinstance(part, Pairs):
            first, second, _ = part.links(-1)
            joined = component[first] == component[second]
            yield from zip(first[joined].tolist(), second[joined].tolist(), strict=True)
        else:
            order = own[np.argsort(component[own], kind="stable")].tolist()
            yield from ((a, b) for a, b in pairwise(order) if component[a] == component[b])
