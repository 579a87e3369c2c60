"""A branch of the elimination tree: thousands of small fronts, level by level."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sidecut.eigen.multifrontal.analyze import Borders, analyze
from sidecut.eigen.multifrontal.batch import Level
from sidecut.eigen.multifrontal.rows import Rows
from sidecut.eigen.operators import Array


class Branch:
    """All fronts below and including one.

    Parameters
    ----------
    rows : Rows
        The matrix.
    fronts : list of (int, int)
        The first front of each level and the first after it, the deepest level first, a single
        front at the end.

    Attributes
    ----------
    border : ndarray
        The rows outside that the branch touches, ascending.
    nnz : int
        Stored numbers.
    """

    def __init__(self, rows: Rows, fronts: list[tuple[int, int]]) -> None:
        self._shift = rows.shift
        self._levels: list[Level] = []
        self._slots = 0
        borders = [Borders.none()]
        for some in fronts:
            level, border = analyze(rows, some, borders[-1], self._slots)
            self._slots = level.batches[-1].slots.stop
            self._levels.append(level)
            borders.append(border)
        self.border = borders[-1].row
        self._set_sums(borders)
        self.nnz = self._make_room()

    def eliminate(self) -> Array:
        """Eliminate every pivot; return what that adds to the rows and columns of the border."""
        # Two buffers in turn: the fronts of a level, and those above, which their updates go to.
        buffers = [np.empty(max((v.length for v in self._levels[k::2]), default=0)) for k in (0, 1)]
        fronts = self._levels[0].assembled(buffers[0])
        for k, level in enumerate(self._levels[:-1], 1):
            above = self._levels[k].assembled(buffers[k % 2])
            for batch in level.batches:
                batch.add(batch.eliminate(fronts, self._shift), above)
            fronts = above
        return np.asarray(self._levels[-1].batches[0].eliminate(fronts, self._shift)[0])

    def forward(self, x: Array) -> Array:
        """Pass what the pivots contribute on to later rows; return it for the border.

        ``x`` has n + 1 rows, the last of them zero: padding reads and writes it.
        """
        passed = np.empty((self._slots, x.shape[1]))
        for level in self._levels:
            if level.sums.nnz:
                x[level.rows] += level.sums @ passed
            for batch in level.batches:
                out = passed[batch.slots].reshape(*batch.border.shape, x.shape[1])
                np.matmul(batch.coupling, x.take(batch.pivots, axis=0), out=out)
        return np.asarray(self._border_sums @ passed)

    def backward(self, x: Array) -> None:
        """Replace the right-hand side by the solution in all pivots; it stands in the border."""
        for level in reversed(self._levels):
            for batch in level.batches:
                own = batch.inverse @ x.take(batch.pivots, axis=0)
                own += batch.coupling.transpose(0, 2, 1) @ x.take(batch.border, axis=0)
                x[batch.pivots] = own

    def _set_sums(self, borders: list[Borders]) -> None:
        """Set up the sums over slots that each level's pivots, and the border, are to add."""
        first, last = self._levels[0].rows.start, self._levels[-1].rows.stop
        row = np.concatenate([border.row for border in borders])
        slot = np.concatenate([border.slot for border in borders])
        row = np.where(row < last, row - first, last - first + np.searchsorted(self.border, row))
        shape = (last - first + self.border.size, self._slots)
        sums = sp.csr_array((np.ones(row.size), (row, slot)), shape=shape)
        for level in self._levels:
            level.sums = sums[level.rows.start - first : level.rows.stop - first]
        self._border_sums = sums[last - first :]

    def _make_room(self) -> int:
        """Let all batches store in one array, since large arrays come in large pages."""
        batches = [batch for level in self._levels for batch in level.batches]
        ends = np.cumsum([t * s * k for t, s, b in (x.shape for x in batches) for k in (s, b)])
        pieces = iter(np.split(np.empty(ends[-1]), ends[:-1]))
        for batch in batches:
            t, s, b = batch.shape
            batch.inverse = next(pieces).reshape(t, s, s)
            batch.coupling = next(pieces).reshape(t, b, s)
        return int(ends[-1])
