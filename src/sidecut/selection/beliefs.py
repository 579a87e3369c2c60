"""Constraints as beliefs about pairs, the form that likelihoods take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sidecut._validation import Float, Int
from sidecut.constraints.pairs import Pairs


class Beliefs(NamedTuple):
    """`target` is the probability that the two nodes belong together, `weight` the trust in it."""

    first: Int
    second: Int
    target: Float
    weight: Float

    @classmethod
    def from_pairs(cls, pairs: Pairs) -> Beliefs:
        """Take must-links for probability 1, cannot-links for 0, and the size of Q for trust."""
        target = (pairs.weight > 0).astype(np.float64)
        return cls(pairs.first, pairs.second, target, np.abs(pairs.weight))

    @property
    def signed(self) -> Float:
        """The entries of Q."""
        return self.weight * (2 * self.target - 1)

    @property
    def of_both_kinds(self) -> bool:
        """Whether there are must-links and cannot-links."""
        return bool(self.target.min(initial=1.0) < 0.5 < self.target.max(initial=0.0))

    @property
    def named(self) -> Int:
        """The nodes that they speak of, ascending."""
        return np.unique(np.concatenate([self.first, self.second]))

    def ends(self) -> tuple[Int, sparse.csr_array]:
        """Return the places of all first, then all second nodes in `named`, and who sums over them.

        The matrix has a row for each node and ones at its ends.
        """
        named = self.named
        place = np.searchsorted(named, np.concatenate([self.first, self.second]))
        ones, columns = np.ones(len(place)), np.arange(len(place))
        shape = (len(named), len(place))
        return place, sparse.coo_array((ones, (place, columns)), shape=shape).tocsr()

    def take(self, keep: NDArray[np.bool_]) -> Beliefs:
        """Return some of them."""
        return Beliefs(self.first[keep], self.second[keep], self.target[keep], self.weight[keep])

    def joined(self, other: Beliefs) -> Beliefs:
        """Return both."""
        return Beliefs(*(np.concatenate(fields) for fields in zip(self, other, strict=True)))

    def balanced(self) -> Float:
        """Return weights of the same total with equal sums over must-links and cannot-links."""
        must, cannot = self.signed > 0, self.signed < 0
        sums = self.weight[must].sum(), self.weight[cannot].sum()
        if min(sums) == 0:
            return self.weight
        half = sum(sums) / 2
        factor = np.where(must, half / sums[0], np.where(cannot, half / sums[1], 1.0))
        return self.weight * factor

    def agreement(self, same: Float) -> Float:
        """Return how far each is met, 0 to 1, when the two are together with share `same`."""
        return np.where(self.target > 0.5, same, np.where(self.target < 0.5, 1 - same, 0.5))

    def balanced_satisfaction(self, same: Float) -> float:
        """Return the share met, must-links and cannot-links counting equally; 1 if none."""
        weight = self.balanced()
        if weight.sum() == 0:
            return 1.0
        return float(np.average(self.agreement(same), weights=weight))
