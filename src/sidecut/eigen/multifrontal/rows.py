"""The matrix in the order in which a tree eliminates it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidecut.eigen.multifrontal.dissect import Tree
from sidecut.eigen.operators import Array
from sidecut.eigen.order import permuted

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """A sparse symmetric matrix, sorted, and where each front's pivots are in it.

    Attributes
    ----------
    matrix : csr_array of shape (n, n)
        Sorted rows, with sorted columns.
    shift : float
        To be added to the diagonal.
    order : ndarray of shape (n,)
        The nodes in the order of elimination.
    front : ndarray of shape (n,)
        The front that eliminates each row.
    first, size : ndarray of shape (m,)
        Each front's first row, and how many it has.
    parent : ndarray of shape (m,)
        The front above.
    """

    matrix: Any
    shift: float
    order: NDArray[np.intp]
    front: Numbers
    first: Numbers
    size: Numbers
    parent: Numbers

    @classmethod
    def sorted(cls, matrix: Any, shift: float, tree: Tree, branch: Numbers) -> Rows:
        """Sort a matrix branch after branch, and in each the deepest level first."""
        turn = np.lexsort((-tree.level, branch))
        size = np.bincount(tree.front, minlength=turn.size)
        first, place = np.empty_like(size), np.empty_like(turn)
        first[turn] = np.cumsum(size[turn]) - size[turn]
        place[turn] = np.arange(turn.size)
        order = np.argsort(place[tree.front], kind="stable")
        front = tree.front[order].astype(np.int64)
        parent = tree.parent.astype(np.int64)
        return cls(permuted(matrix, order), shift, order, front, first, size, parent)

    def entries(self, start: int, stop: int) -> tuple[Numbers, Numbers, Array]:
        """Return row, column and value on and right of the diagonal, for a range of rows."""
        ends = self.matrix.indptr[start : stop + 1]
        stored = slice(ends[0], ends[-1])
        row = np.repeat(np.arange(start, stop), np.diff(ends))
        column = self.matrix.indices[stored].astype(np.int64)
        later = column >= row
        return row[later], column[later], self.matrix.data[stored][later]
