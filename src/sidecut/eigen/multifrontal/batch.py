"""Fronts of like size, eliminated together.

A front is the dense matrix of the nodes that it eliminates, its pivots, and of the later nodes that
they touch, its border. Eliminating the pivots leaves an update of the border, which is added to
the front above. Padded to a common size, hundreds of small fronts take one call of a batched
inverse or product.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sidecut.eigen.multifrontal.rows import Numbers
from sidecut.eigen.operators import Array


@dataclass
class Batch:
    """Fronts of nearly equal size, padded to the largest.

    Attributes
    ----------
    pivots, border : ndarray of shape (t, s) and (t, b)
        Rows of the matrix; n where a front has fewer.
    place : slice
        Its part of the level's fronts, ``t·f·f`` numbers with ``f = s + b + 1``; the last row and
        column of a front take what padded rows of the fronts below add.
    slots : slice
        Its part of what the forward solve passes on, ``t·b`` rows.
    seconds : int
        The first of the fronts that are second children: two of one parent add in turns.
    inverse, coupling : ndarray of shape (t, s, s) and (t, b, s)
        ``A11^-1`` and ``-A21 A11^-1``.
    up : pair of ndarray of shape (t, b)
        Where the border stands in the fronts above: the start of its row there, and its column.
    """

    pivots: Numbers
    border: Numbers
    place: slice
    slots: slice
    seconds: int
    inverse: Array = field(default_factory=lambda: np.empty((0, 0, 0)))
    coupling: Array = field(default_factory=lambda: np.empty((0, 0, 0)))
    up: tuple[Numbers, Numbers] | None = None

    @property
    def shape(self) -> tuple[int, int, int]:
        """Fronts, pivots of each, border of each."""
        return (*self.pivots.shape, self.border.shape[1])

    def eliminate(self, fronts: Array, shift: float) -> Array:
        """Eliminate the pivots and return the updates of the borders, of shape (t, b, b)."""
        t, s, b = self.shape
        full = fronts[self.place].reshape(t, s + b + 1, s + b + 1)
        below = full[:, s : s + b, :s]
        full[:, range(s), range(s)] += shift
        self.inverse[:] = np.linalg.inv(full[:, :s, :s])
        np.matmul(below, -self.inverse, out=self.coupling)
        update = self.coupling @ below.transpose(0, 2, 1)
        update += full[:, s : s + b, s : s + b]
        return update

    def add(self, updates: Array, above: Array) -> None:
        """Add the updates to the fronts of the level above."""
        assert self.up is not None
        row, column = self.up
        for some in (slice(None, self.seconds), slice(self.seconds, None)):
            places = row[some, :, None] + column[some, None, :]
            above[places] = above.take(places) + updates[some]
        self.up = None


@dataclass
class Level:
    """The fronts of a branch that no other of them waits for.

    Attributes
    ----------
    rows : slice
        Their pivots.
    length : int
        Numbers in all fronts, padding included.
    targets, values : ndarray
        The entries of the matrix and their places in the fronts.
    sums : csr_array of shape (rows, slots)
        Which slots of the fronts below go to the pivots.
    """

    rows: slice
    batches: list[Batch]
    length: int
    targets: Numbers
    values: Array
    sums: Any = None

    def assembled(self, buffer: Array) -> Array:
        """Return the fronts with the entries of the matrix in place, which are then let go."""
        fronts = buffer[: self.length]
        fronts.fill(0.0)
        fronts[self.targets] = self.values
        self.targets, self.values = self.targets[:0].copy(), self.values[:0].copy()
        return fronts
