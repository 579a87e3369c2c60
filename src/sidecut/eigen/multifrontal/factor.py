"""A multifrontal factorisation in array operations: branches on all cores, then the trunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sidecut.eigen.multifrontal.branch import Branch
from sidecut.eigen.multifrontal.dissect import Tree
from sidecut.eigen.multifrontal.rows import Numbers, Rows
from sidecut.eigen.multifrontal.trunk import Front
from sidecut.eigen.operators import Array
from sidecut.eigen.parallel import on_all_cores, row_ranges

# Nodes of one branch: many enough to find fronts of like size among them, few enough that there are
# branches for all cores and that the fronts in work take little memory.
_BRANCH = 50_000
# Right-hand sides solved at once: what is passed up the tree takes several times their memory.
_COLUMNS = 32

# What a branch or front adds to the fronts above: rows, and a matrix on them.
Update = tuple[Numbers, Array]


class Multifrontal:
    """The block factors ``L D L'`` of ``A + shift·I``, A sparse and symmetric, as dense fronts.

    Parameters
    ----------
    matrix : csr_array of shape (n, n)
        Symmetric; with the shift, every leading block in the order of the tree must be safely
        invertible, as in a positive definite matrix.
    tree : Tree
        From `dissect`.
    shift : float, default=0.0
        Added to the diagonal.

    Attributes
    ----------
    nnz : int
        Stored numbers, the padding of the fronts included.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from sidecut.eigen.multifrontal.dissect import dissect
    >>> path = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(60, 60)).tocsr()
    >>> factor = Multifrontal(path, dissect(path))
    >>> bool(np.allclose(path @ factor.solve(np.ones(60)), 1))
    True
    """

    def __init__(self, matrix: Any, tree: Tree, shift: float = 0.0) -> None:
        wanted = max(1, round(np.log2(matrix.shape[0] / _BRANCH)))
        cut = min(tree.depth, wanted)
        branch = _branches(tree, cut)
        rows = Rows.sorted(matrix, shift, tree, branch)
        self._order, self._place = rows.order, np.argsort(rows.order)

        def grow(root: int) -> tuple[Branch, Update]:
            grown = Branch(rows, _levels(tree, branch, root))
            return grown, (grown.border, grown.eliminate())

        roots = np.flatnonzero(tree.level == cut).tolist()
        grown = on_all_cores(grow, roots)
        self._branches = [one for one, _ in grown]
        updates = dict(zip(roots, (update for _, update in grown), strict=True))
        del grown
        self._trunk: list[list[Front]] = []
        for level in range(cut - 1, -1, -1):
            numbers = np.flatnonzero(tree.level == level).tolist()
            fronts, updates = _trunk_level(rows, numbers, updates)
            self._trunk.append(fronts)
        self.nnz = sum(one.nnz for one in self._branches) + sum(
            front.factor.size for fronts in self._trunk for front in fronts
        )

    def solve(self, right: Array) -> Array:
        """Return ``(A + shift·I)^-1 right`` for a vector or a block of columns."""
        if right.ndim == 1:
            return self.solve(right[:, None])[:, 0]
        n, columns = right.shape
        result = np.empty((n, columns), order="F")
        if columns > _COLUMNS:
            for first in range(0, columns, _COLUMNS):
                some = slice(first, first + _COLUMNS)
                result[:, some] = self.solve(right[:, some])
            return result
        x = np.empty((n + 1, columns))
        x[n] = 0.0

        def read(some: slice) -> None:
            for k in range(columns):
                x[some, k] = right[:, k].take(self._order[some])

        def write(some: slice) -> None:
            result[some] = x.take(self._place[some], axis=0)

        on_all_cores(read, row_ranges(n))
        stages: list[Sequence[Branch | Front]] = [self._branches, *self._trunk]
        for parts in stages:
            passed = on_all_cores(lambda part: part.forward(x), parts)
            for part, change in zip(parts, passed, strict=True):
                x[part.border] += change
        for parts in reversed(stages):
            on_all_cores(lambda part: part.backward(x), parts)
        on_all_cores(write, row_ranges(n))
        return result


def _branches(tree: Tree, cut: int) -> Numbers:
    """Return the front at which each front's branch begins; beyond all fronts in the trunk."""
    branch = np.full(tree.level.size, tree.level.size)
    branch[tree.level == cut] = np.flatnonzero(tree.level == cut)
    for level in range(cut + 1, tree.depth + 1):
        fronts = tree.level == level
        branch[fronts] = branch[tree.parent[fronts]]
    return branch


def _levels(tree: Tree, branch: Numbers, root: int) -> list[tuple[int, int]]:
    """Return the range of a branch's fronts on each level, the deepest first."""
    fronts = np.flatnonzero(branch == root)
    ends = np.flatnonzero(np.diff(tree.level[fronts])) + 1
    return [(int(some[0]), int(some[-1]) + 1) for some in reversed(np.split(fronts, ends))]


def _trunk_level(
    rows: Rows, numbers: list[int], updates: dict[int, Update]
) -> tuple[list[Front], dict[int, Update]]:
    """Eliminate the fronts of one level of the trunk, given the updates of the level below."""

    def grow(number: int) -> tuple[Front, Array]:
        below = np.flatnonzero(rows.parent == number).tolist()
        return Front.eliminated(rows, number, [updates[child] for child in below])

    grown = on_all_cores(grow, numbers)
    passed = {k: (front.border, update) for k, (front, update) in zip(numbers, grown, strict=True)}
    return [front for front, _ in grown], passed
