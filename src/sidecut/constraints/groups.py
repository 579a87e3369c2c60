"""The group part of Q: labelled nodes, kept as k labels instead of k² pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, groupby
from operator import itemgetter

import numpy as np
from scipy import sparse

from sidecut._validation import Float, Int
from sidecut.constraints.pairs import Pairs
from sidecut.constraints.satisfaction import Satisfaction, Tally


@dataclass(frozen=True, eq=False)
class Groups:
    """Same group: must-link; different groups: cannot-link.

    With `H` the 0/1 membership of the labelled nodes and `R` the diagonal of their weights,
    `Q = R (2 H H' − 1 1') R`: the pair (i, j) weighs `r_i r_j`, and the diagonal is `r_i²`, as in
    the paper's six-node example. Nothing of size k² is ever formed.
    """

    n_samples: int
    nodes: Int
    group: Int
    weight: Float

    def __post_init__(self) -> None:
        for array in (self.nodes, self.group, self.weight):
            array.flags.writeable = False

    @cached_property
    def membership(self) -> sparse.csr_array:
        """The weighted membership, groups × labelled nodes: `H' R`."""
        columns = np.arange(len(self.nodes))
        shape = (int(self.group.max(initial=-1)) + 1, len(self.nodes))
        return sparse.coo_array((self.weight, (self.group, columns)), shape=shape).tocsr()

    @property
    def n_entries(self) -> int:
        """Number of nonzero entries of Q."""
        return len(self.nodes) ** 2

    def product(self, X: Float) -> Float:
        """Return `Q @ X` in time and memory linear in the labelled nodes."""
        sums = self.membership @ X[self.nodes]
        rows = 2.0 * sums[self.group] - sums.sum(axis=0)
        weight = self.weight if X.ndim == 1 else self.weight[:, None]
        result = np.zeros((self.n_samples, *X.shape[1:]))
        result[self.nodes] = weight * rows
        return result

    def project(self, U: Float) -> Float:
        """Return `U' Q U` from the rows of U that carry constraints."""
        sums = self.membership @ U[self.nodes]
        total = sums.sum(axis=0)
        result: Float = 2.0 * sums.T @ sums - np.outer(total, total)
        return result

    def listed(self, limit: int, rng: np.random.RandomState) -> Pairs:
        """Return random pairs of labelled nodes: per node up to two of its group and two others.

        With many groups almost all pairs are cannot-links; equal numbers say more.
        """
        m = len(self.nodes)
        order = np.argsort(self.group, kind="stable")
        sizes = np.bincount(self.group)
        start = (np.cumsum(sizes) - sizes)[self.group]
        size = sizes[self.group]
        first, second = [], []
        for same in (True, True, False, False):
            if same:
                partner = order[start + rng.randint(0, size)]
            else:
                # A random place outside the node's own run of `order`.
                place = rng.randint(0, np.maximum(m - size, 1))
                partner = order[np.where(place < start, place, place + size) % m]
            first.append(np.arange(m))
            second.append(partner)
        i, j = np.concatenate(first), np.concatenate(second)
        ends = np.unique(np.sort(np.column_stack([i, j])[i != j], axis=1), axis=0)
        if len(ends) > limit:
            ends = ends[np.sort(rng.choice(len(ends), limit, replace=False))]
        sign = np.where(self.group[ends[:, 0]] == self.group[ends[:, 1]], 1.0, -1.0)
        weight = sign * self.weight[ends].prod(axis=1)
        nodes = np.sort(self.nodes[ends], axis=1)
        return Pairs(self.n_samples, nodes[:, 0].copy(), nodes[:, 1].copy(), weight)

    def toarray(self) -> Float:
        """Return Q as a dense matrix."""
        same = self.group[:, None] == self.group
        result = np.zeros((self.n_samples, self.n_samples))
        signs = np.where(same, 1.0, -1.0)
        result[np.ix_(self.nodes, self.nodes)] = signs * np.outer(self.weight, self.weight)
        return result

    def scaled(self, factor: float) -> Groups:
        """Return the same statements with their weights multiplied."""
        return Groups(self.n_samples, self.nodes, self.group, self.weight * np.sqrt(factor))

    def restricted(self, position: Int, n_samples: int) -> Groups:
        """Keep the nodes that have a `position` of 0 or more, renumbered by it."""
        keep = position[self.nodes] >= 0
        group = np.unique(self.group[keep], return_inverse=True)[1].astype(np.intp)
        return Groups(n_samples, position[self.nodes[keep]], group, self.weight[keep])

    def satisfaction(self, labels: Int) -> Satisfaction:
        """Score a labelling from the table groups × clusters, without listing pairs."""
        counts = self._pair_sums(labels, np.ones_like(self.weight))
        weights = self._pair_sums(labels, self.weight)
        return Satisfaction(
            Tally(round(counts[0]), round(counts[1]), weights[0], weights[1]),
            Tally(round(counts[2]), round(counts[3]), weights[2], weights[3]),
        )

    def _pair_sums(self, labels: Int, weight: Float) -> tuple[float, float, float, float]:
        """Sum `r_i r_j` over must-links, those satisfied, cannot-links, those satisfied."""
        table = sparse.coo_array((weight, (self.group, labels[self.nodes]))).tocsr()
        own = float((weight**2).sum())
        must = (float((table.sum(axis=1) ** 2).sum()) - own) / 2
        must_met = (float((table.data**2).sum()) - own) / 2
        together = (float((table.sum(axis=0) ** 2).sum()) - own) / 2
        cannot = (float(weight.sum()) ** 2 - own) / 2 - must
        return must, must_met, cannot, cannot - (together - must_met)

    def violated(self, labels: Int, limit: int) -> tuple[Int, Int, Float]:
        """Return up to `limit` pairs that a labelling breaks, with their signed weights.

        Heavy nodes come first within a cell; the cells are taken in turn, so with a limit the list
        is a sample of the violations, not their exact top.
        """
        nodes, weights = [np.empty((0, 2), np.intp)], [np.empty(0)]
        for sign, a, b in self._violated_cells(labels[self.nodes]):
            k = np.arange(min(len(a) * len(b), limit))
            i, j = a[k // len(b)], b[k % len(b)]
            nodes.append(np.sort(np.column_stack([self.nodes[i], self.nodes[j]]), axis=1))
            weights.append(sign * self.weight[i] * self.weight[j])
            limit -= len(k)
            if limit <= 0:
                break
        pairs = np.concatenate(nodes)
        return pairs[:, 0], pairs[:, 1], np.concatenate(weights)

    def _violated_cells(self, clusters: Int) -> Iterator[tuple[int, Int, Int]]:
        """Yield (sign, members, members): each member of one breaks with each of the other."""
        by_weight = np.argsort(-self.weight, kind="stable")
        for sign, outer, inner in ((1, self.group, clusters), (-1, clusters, self.group)):
            order = by_weight[np.lexsort((inner[by_weight], outer[by_weight]))]
            starts = np.flatnonzero(
                np.diff(outer[order], prepend=-1) | np.diff(inner[order], prepend=-1)
            )
            cells = np.split(order, starts[1:]) if len(order) else []
            keys = [int(outer[cell[0]]) for cell in cells]
            for _, together in groupby(zip(keys, cells, strict=True), key=itemgetter(0)):
                for (_, a), (_, b) in combinations(together, 2):
                    yield sign, a, b
