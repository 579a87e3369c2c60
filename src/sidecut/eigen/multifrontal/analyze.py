"""Which rows a front touches, which fronts go together, and where everything is added."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidecut.eigen.multifrontal.batch import Batch, Level
from sidecut.eigen.multifrontal.rows import Numbers, Rows

# What the calls that a batch takes cost, in stored numbers that could be read meanwhile.
_BATCH = 10_000
# A border row of a front is one number: the front above so many bits, the row below.
_BITS = 32


@dataclass(frozen=True)
class Borders:
    """The borders of a level's fronts, front after front, each ascending.

    Attributes
    ----------
    parent, row, slot : ndarray of shape (m,)
        The front above that of each border row, the row, and its slot in the forward solve.
    batches : list of (Batch, ndarray of shape (t, b))
        The fronts, and which border rows are theirs; m where a front has fewer.
    """

    parent: Numbers
    row: Numbers
    slot: Numbers
    batches: list[tuple[Batch, Numbers]]

    @staticmethod
    def none() -> Borders:
        """Return what is below the deepest level."""
        nothing = np.empty(0, np.int64)
        return Borders(nothing, nothing, nothing, [])


def analyze(
    rows: Rows, fronts: tuple[int, int], below: Borders, slots: int
) -> tuple[Level, Borders]:
    """Find the borders of a level's fronts, batch them, and place what is added to them.

    Parameters
    ----------
    rows : Rows
        The matrix.
    fronts : (int, int)
        The first front of the level and the first after it.
    below : Borders
        Of the level below; their batches learn where to add their updates.
    slots : int
        Slots in use.
    """
    first = rows.first[slice(*fronts)]
    last = first + rows.size[slice(*fronts)]
    row, column, value = rows.entries(int(first[0]), int(last[-1]))
    own, above = rows.front[row] - fronts[0], below.parent - fronts[0]
    outside, passed_on = column >= last[own], below.row >= last[above]
    keys = np.concatenate(
        [
            own[outside] << _BITS | column[outside],
            above[passed_on] << _BITS | below.row[passed_on],
        ]
    )
    layout = _Layout.of(first, last, _distinct(keys))
    parent = rows.parent[slice(*fronts)]
    batches, slot = _batches(layout, parent, rows.matrix.shape[0], slots)

    pivot, at = row - first[own], layout.stand(own, column)
    ones = layout.padding()
    targets = [layout.place(own, at, pivot), layout.place(own, pivot, at)[~outside], ones]
    values = [value, value[~outside], np.ones(ones.size)]
    up = np.append(layout.stand(above, below.row), -1)
    for batch, index in below.batches:
        # A front without a border adds nothing, wherever that is.
        front = np.append(above, 0)[index[:, :1]]
        at = np.where(index < above.size, up[index], layout.side[front] - 1)
        batch.up = (layout.place(front, at, 0), at)
    level = Level(
        slice(int(first[0]), int(last[-1])),
        [batch for batch, _ in batches],
        layout.length,
        np.concatenate(targets),
        np.concatenate(values),
    )
    return level, Borders(parent[layout.border_front], layout.border_row, slot, batches)


@dataclass
class _Layout:
    """How the fronts of a level lie in its buffer.

    Attributes
    ----------
    first, last : ndarray of shape (m,)
        Each front's first pivot, and the first row after them.
    keys : ndarray
        The border rows of all fronts, ascending.
    border_first : ndarray of shape (m,)
        Where in them those of a front begin.
    start, side, pivots : ndarray of shape (m,)
        The first number of each front, its padded rows, its padded pivots.
    length : int
        Numbers in all.
    """

    first: Numbers
    last: Numbers
    keys: Numbers
    width: Numbers
    border_first: Numbers
    start: Numbers
    side: Numbers
    pivots: Numbers
    length: int = 0

    @classmethod
    def of(cls, first: Numbers, last: Numbers, keys: Numbers) -> _Layout:
        """Begin with the borders; `_batches` sets the rest."""
        width = np.bincount(keys >> _BITS, minlength=first.size)
        start, side, pivots = (np.zeros(first.size, np.int64) for _ in range(3))
        return cls(first, last, keys, width, np.cumsum(width) - width, start, side, pivots)

    @property
    def size(self) -> Numbers:
        """Pivots of each front."""
        return self.last - self.first

    @property
    def border_front(self) -> Numbers:
        """The front of each border row."""
        return self.keys >> _BITS

    @property
    def border_row(self) -> Numbers:
        """The border rows."""
        return self.keys & ((1 << _BITS) - 1)

    def stand(self, front: Numbers, row: Numbers) -> Numbers:
        """Return which of a front's rows a row of the matrix is."""
        stand = row - self.first[front]
        border = row >= self.last[front]
        front, row = front[border], row[border]
        among = np.searchsorted(self.keys, front << _BITS | row) - self.border_first[front]
        stand[border] = self.pivots[front] + among
        return stand

    def place(self, front: Numbers, row: Numbers, column: Numbers | int) -> Numbers:
        """Return where in the buffer an entry of a front is."""
        return np.asarray(self.start[front] + row * self.side[front] + column)

    def padding(self) -> Numbers:
        """Return where the diagonals of padded pivots are, which must not be zero."""
        missing = self.pivots - self.size
        front = np.repeat(np.arange(missing.size), missing)
        count = np.arange(front.size) - np.repeat(np.cumsum(missing) - missing, missing)
        stand = self.size[front] + count
        return self.place(front, stand, stand)


def _batches(
    layout: _Layout, parent: Numbers, n: int, slots: int
) -> tuple[list[tuple[Batch, Numbers]], Numbers]:
    """Batch the fronts, and lay them out; return also the slot of each border row."""
    size, width, border_row = layout.size, layout.width, np.append(layout.border_row, n)
    slot = np.empty(layout.keys.size, np.int64)
    batches = []
    for group, seconds in _grouped(size, width, np.append(False, parent[1:] == parent[:-1])):
        t, s, b = group.size, int(size[group].max()), int(width[group].max())
        f = s + b + 1
        layout.side[group], layout.pivots[group] = f, s
        layout.start[group] = layout.length + np.arange(t) * f * f
        pivots = layout.first[group][:, None] + np.arange(s)
        pivots[np.arange(s) >= size[group][:, None]] = n
        index = layout.border_first[group][:, None] + np.arange(b)
        real = np.arange(b) < width[group][:, None]
        index[~real] = layout.keys.size
        slot[index[real]] = slots + np.flatnonzero(real)
        place = slice(layout.length, layout.length + t * f * f)
        batch = Batch(pivots, border_row[index], place, slice(slots, slots + t * b), seconds)
        batches.append((batch, index))
        layout.length, slots = place.stop, slots + t * b
    return batches, slot


def _distinct(keys: Numbers) -> Numbers:
    keys = np.sort(keys)
    return keys[np.append(True, keys[1:] != keys[:-1])] if keys.size else keys


def _grouped(size: Numbers, width: Numbers, second: NDArray[np.bool_]) -> list[tuple[Numbers, int]]:
    """Group fronts of like size and border; first children stand before second ones.

    A group is parted where that saves the most padding, as long as it is worth a batch more.
    """
    groups, pending = [], [np.arange(size.size)]
    while pending:
        group = pending.pop()
        parts = _parted(group, size, width)
        if parts:
            pending += parts
        else:
            firsts, seconds = group[~second[group]], group[second[group]]
            groups.append((np.concatenate([firsts, seconds]), firsts.size))
    return groups


def _parted(group: Numbers, size: Numbers, width: Numbers) -> list[Numbers]:
    """Part a group of fronts in two by size or by border; nothing where one batch is as good."""
    whole = group.size * size[group].max() * (size[group].max() + width[group].max())
    best, parts = whole - _BATCH, []
    count = np.arange(1, group.size)
    for key in (size, width):
        order = group[np.argsort(key[group], kind="stable")]
        s, b = size[order], width[order]
        s_left, b_left = np.maximum.accumulate(s)[:-1], np.maximum.accumulate(b)[:-1]
        s_right, b_right = (np.maximum.accumulate(x[::-1])[::-1][1:] for x in (s, b))
        padded = count * s_left * (s_left + b_left)
        padded += (group.size - count) * s_right * (s_right + b_right)
        if padded.min(initial=best) < best:
            cut = int(np.argmin(padded)) + 1
            best, parts = padded[cut - 1], [order[:cut], order[cut:]]
    return parts
