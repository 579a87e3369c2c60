"""The trunk of the elimination tree: the few large fronts above the branches, one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidecut.eigen.multifrontal.rows import Numbers, Rows
from sidecut.eigen.operators import Array


@dataclass(frozen=True)
class Front:
    """One front.

    Attributes
    ----------
    pivots : slice
        Rows that it eliminates.
    border : ndarray of shape (b,)
        Later rows that they touch, ascending.
    factor : ndarray of shape (s + b, s)
        ``A11^-1`` above ``-A21 A11^-1``.
    """

    pivots: slice
    border: Numbers
    factor: Array

    @staticmethod
    def eliminated(
        rows: Rows, front: int, below: list[tuple[Numbers, Array]]
    ) -> tuple[Front, Array]:
        """Assemble a front from the matrix and the updates below, and eliminate its pivots."""
        start = int(rows.first[front])
        stop = start + int(rows.size[front])
        row, column, value = rows.entries(start, stop)
        touched = np.unique(np.concatenate([column, *(border for border, _ in below)]))
        border = touched[touched >= stop]
        index = np.concatenate([np.arange(start, stop), border])
        full = np.zeros((index.size, index.size))
        full[np.searchsorted(index, column), row - start] = value
        full[row - start, np.searchsorted(index, column)] = value
        for own, update in below:
            at = np.searchsorted(index, own)
            full[np.ix_(at, at)] += update
        s = stop - start
        full[range(s), range(s)] += rows.shift
        factor = np.empty((index.size, s))
        factor[:s] = np.linalg.inv(full[:s, :s])
        np.matmul(full[s:, :s], -factor[:s], out=factor[s:])
        update = full[s:, s:] + factor[s:] @ full[:s, s:]
        return Front(slice(start, stop), border, factor), update

    def forward(self, x: Array) -> Array:
        """Return what the pivots add to the border."""
        pivots = x[self.pivots]
        # BLAS streams the large operand faster from the right.
        return np.asarray((pivots.T @ self.factor[pivots.shape[0] :].T).T)

    def backward(self, x: Array) -> None:
        """Replace the right-hand side by the solution in the pivots; it stands in the border."""
        x[self.pivots] = (np.hstack([x[self.pivots].T, x[self.border].T]) @ self.factor).T
