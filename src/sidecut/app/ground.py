"""What is computed once for a subject: its basis, and where it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from sidecut._validation import Float, Int
from sidecut.app.subject import Subject
from sidecut.app.work import Ticket
from sidecut.basis import SpectralBasis
from sidecut.estimators import ConstrainedSpectralClustering

# How far from a point a click may be, as a share of the picture's diagonal.
CLICK = 0.03


@dataclass(frozen=True, eq=False)
class Ground:
    """What is computed once: the basis, where points are drawn, and the model of points."""

    subject: Subject
    basis: SpectralBasis
    model: ConstrainedSpectralClustering | None
    plane: Float
    axes: tuple[str, str]

    @cached_property
    def _tree(self) -> cKDTree:
        return cKDTree(self.plane)

    def nearest(self, x: float, y: float) -> int | None:
        """Return the point at a place of the picture, None where there is none near."""
        away, node = self._tree.query([x, y])
        reach = CLICK * float(np.linalg.norm(np.ptp(self.plane, axis=0)))
        return int(node) if away <= reach else None

    def inside(self, x: Sequence[float], y: Sequence[float]) -> Int:
        """Return the points within a closed line."""
        corners = np.column_stack([x, y]).astype(np.float64)
        if len(corners) < 3 or not np.isfinite(corners).all():
            return np.empty(0, np.intp)
        low, high = corners.min(axis=0), corners.max(axis=0)
        near = np.flatnonzero(((self.plane >= low) & (self.plane <= high)).all(axis=1))
        px, py = self.plane[near].T
        odd = np.zeros(len(near), bool)
        # A point is inside when a line to the right crosses the edge an odd number of times.
        for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            if y0 == y1:
                continue
            crosses = (y0 > py) != (y1 > py)
            odd ^= crosses & (px < x0 + (py - y0) * (x1 - x0) / (y1 - y0))
        result: Int = near[odd]
        return result


# What was computed for samples, by name.
_SHARED: dict[str, Ground] = {}


def prepare(subject: Subject, ticket: Ticket) -> Ground:
    """Compute what a subject needs once; samples once for everyone."""
    if subject.shared and subject.name in _SHARED:
        return replace(_SHARED[subject.name], subject=subject)
    ground = _prepare(subject, ticket)
    if subject.shared:
        _SHARED[subject.name] = ground
    return ground


def _prepare(subject: Subject, ticket: Ticket) -> Ground:
    if subject.kind == "image":
        basis = subject.basis(ticket.tell)
        height, width = subject.shape
        y, x = np.divmod(np.arange(height * width), width)
        return Ground(subject, basis, None, np.column_stack([x, y]) + 0.5, ("x", "y"))
    model = subject.model(ticket.tell)
    ticket.tell("Drawing", 0.97)
    return Ground(subject, model.basis_, model, *subject.plane(model.basis_))
