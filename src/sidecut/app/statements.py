"""What a person says on the page: strokes on an image, links between points, labels by lasso."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sidecut._validation import Int
from sidecut.constraints import Constraints

# As many as there are colours that most people can tell apart.
MAX_LABELS = 8
# A mouse reports some hundred places in a stroke; more than this is no hand's work.
MAX_PLACES = 5000
MAX_RADIUS = 50.0


@dataclass(frozen=True)
class Stroke:
    """A line drawn with a round brush; x to the right, y downward, in pixels; label 0 erases."""

    label: int
    radius: float
    places: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        if not 0 <= self.label <= MAX_LABELS:
            raise ValueError(f"label must be between 0 and {MAX_LABELS}, got {self.label}")
        if not 0 < self.radius <= MAX_RADIUS:
            raise ValueError(f"radius must be above 0 and at most {MAX_RADIUS:g}")
        if not 1 <= len(self.places) <= MAX_PLACES:
            raise ValueError(f"a stroke has 1 to {MAX_PLACES} places, got {len(self.places)}")
        if not np.isfinite(self.places).all():
            raise ValueError("a stroke's places must be finite")


@dataclass(frozen=True)
class Link:
    """Two points that belong together, or do not; `first` below `second`."""

    first: int
    second: int
    together: bool
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.first < self.second:
            raise ValueError(f"a link joins two different points, got {self.first}, {self.second}")
        if not (np.isfinite(self.weight) and self.weight > 0):
            raise ValueError(f"weight must be a positive number, got {self.weight!r}")

    @classmethod
    def between(cls, one: int, two: int, together: bool, weight: float = 1.0) -> Link:
        """Return the link whichever point is named first."""
        return cls(min(one, two), max(one, two), together, weight)

    @property
    def pair(self) -> tuple[int, int]:
        """The two points."""
        return self.first, self.second


@dataclass(frozen=True)
class Mark:
    """Points that a person gave a label (1, 2, ...); label 0 takes labels away."""

    label: int
    nodes: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 0 <= self.label <= MAX_LABELS:
            raise ValueError(f"label must be between 0 and {MAX_LABELS}, got {self.label}")
        if not self.nodes or min(self.nodes) < 0:
            raise ValueError("a mark names points from 0 on")


Statement = Stroke | Link | Mark


def strokes_of(statements: Sequence[Statement]) -> list[Stroke]:
    """Return the strokes."""
    return [one for one in statements if isinstance(one, Stroke)]


def links_of(statements: Sequence[Statement]) -> list[Link]:
    """Return the links; a later word about a pair replaces an earlier one."""
    found: dict[tuple[int, int], Link] = {}
    for one in statements:
        if isinstance(one, Link):
            found[one.pair] = one
    return list(found.values())


def marks_of(statements: Sequence[Statement], n_samples: int) -> Int:
    """Return the label of each point, 0 where none was given."""
    labels = np.zeros(n_samples, np.intp)
    for one in statements:
        if isinstance(one, Mark):
            labels[list(one.nodes)] = one.label
    return labels


def constraints_of(links: Sequence[Link], marks: Int) -> Constraints:
    """Return what links and labels say together."""
    n_samples = len(marks)
    must = [link for link in links if link.together]
    cannot = [link for link in links if not link.together]
    pairs = Constraints.from_pairs(
        [link.pair for link in must],
        [link.pair for link in cannot],
        n_samples=n_samples,
        must_weight=[link.weight for link in must],
        cannot_weight=[link.weight for link in cannot],
    )
    return pairs + Constraints.from_labels(marks - 1)
