"""The sparse part of Q: statements about single pairs of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from sidecut._validation import Float, Int
from sidecut.constraints.satisfaction import Satisfaction, Tally


@dataclass(frozen=True, eq=False)
class Pairs:
    """Signed weights on pairs `first <= second`: positive must-link, negative cannot-link.

    A pair may be named more than once; the entries of Q add up, while each statement still counts
    for itself in `satisfaction`. A node paired with itself is an entry of Q's diagonal, which every
    labelling satisfies, so it is no statement.
    """

    n_samples: int
    first: Int
    second: Int
    weight: Float

    def __post_init__(self) -> None:
        for array in (self.first, self.second, self.weight):
            array.flags.writeable = False

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """The symmetric sparse matrix."""
        off = self.first != self.second
        rows = np.concatenate([self.first, self.second[off]])
        columns = np.concatenate([self.second, self.first[off]])
        values = np.concatenate([self.weight, self.weight[off]])
        shape = (self.n_samples, self.n_samples)
        return sparse.coo_array((values, (rows, columns)), shape=shape).tocsr()

    @cached_property
    def nodes(self) -> Int:
        """The nodes that are named, ascending."""
        return np.union1d(self.first, self.second)

    @property
    def n_entries(self) -> int:
        """Number of nonzero entries of Q."""
        return int(np.count_nonzero(self.matrix.data))

    def product(self, X: Float) -> Float:
        """Return `Q @ X`."""
        result: Float = self.matrix @ X
        return result

    def project(self, U: Float) -> Float:
        """Return `U' Q U` from the rows of U that carry constraints."""
        rows = U[self.nodes]
        result: Float = rows.T @ (self.matrix[self.nodes][:, self.nodes] @ rows)
        return result

    def listed(self, limit: int, rng: np.random.RandomState) -> Pairs:
        """Return the statements as pairs; of more than `limit`, a random choice."""
        off = np.flatnonzero((self.first != self.second) & (self.weight != 0))
        if len(off) > limit:
            off = np.sort(rng.choice(off, limit, replace=False))
        return Pairs(self.n_samples, self.first[off], self.second[off], self.weight[off])

    def toarray(self) -> Float:
        """Return Q as a dense matrix."""
        result: Float = self.matrix.toarray()
        return result

    def scaled(self, factor: float) -> Pairs:
        """Return the same statements with their weights multiplied."""
        return Pairs(self.n_samples, self.first, self.second, self.weight * factor)

    def restricted(self, position: Int, n_samples: int) -> Pairs:
        """Keep the pairs whose two nodes have a `position` of 0 or more, renumbered by it."""
        first, second = position[self.first], position[self.second]
        keep = (first >= 0) & (second >= 0)
        low, high = np.minimum(first, second)[keep], np.maximum(first, second)[keep]
        return Pairs(n_samples, low, high, self.weight[keep])

    def joined(self, other: Pairs) -> Pairs:
        """Return the statements of both."""
        return Pairs(
            self.n_samples,
            np.concatenate([self.first, other.first]),
            np.concatenate([self.second, other.second]),
            np.concatenate([self.weight, other.weight]),
        )

    def links(self, sign: int) -> tuple[Int, Int, Float]:
        """Return the must-links (`sign` 1) or cannot-links (−1) and their positive weights."""
        keep = (np.sign(self.weight) == sign) & (self.first != self.second)
        return self.first[keep], self.second[keep], np.abs(self.weight[keep])

    def satisfaction(self, labels: Int) -> Satisfaction:
        """Score a labelling."""
        tallies = []
        for sign in (1, -1):
            first, second, weight = self.links(sign)
            met = (labels[first] == labels[second]) == (sign > 0)
            tallies.append(
                Tally(len(first), int(met.sum()), float(weight.sum()), float(weight[met].sum()))
            )
        return Satisfaction(*tallies)

    def violated(self, labels: Int, limit: int) -> tuple[Int, Int, Float]:
        """Return the pairs that a labelling breaks, heaviest first, with their signed weights."""
        same = labels[self.first] == labels[self.second]
        bad = (same != (self.weight > 0)) & (self.weight != 0) & (self.first != self.second)
        order = np.flatnonzero(bad)
        order = order[np.argsort(-np.abs(self.weight[order]), kind="stable")][:limit]
        return self.first[order], self.second[order], self.weight[order]
