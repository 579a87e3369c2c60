"""What a person says on the page: strokes on an image, links between points, labels by lasso."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    def signed(self) -> float:
        """The entry of Q."""
        return self.weight if self.together else -self.weight


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


@dataclass(frozen=True, eq=False)
class Scribbles:
    """Strokes as pixels: the label of each pixel (0 none), and which stroke it came from (−1)."""

    labels: NDArray[np.uint8]
    stroke: NDArray[np.int32]

    @classmethod
    def empty(cls, shape: tuple[int, int]) -> Scribbles:
        """Return a blank sheet."""
        return cls(np.zeros(shape, np.uint8), np.full(shape, -1, np.int32))

    def drawn(self, strokes: Iterable[Stroke], number: int) -> Scribbles:
        """Return the sheet with more strokes on it, numbered from `number` on."""
        labels, source = self.labels.copy(), self.stroke.copy()
        for k, stroke in enumerate(strokes, start=number):
            for rows, columns, inside in _discs(stroke, labels.shape):
                labels[rows, columns][inside] = stroke.label
                source[rows, columns][inside] = k if stroke.label else -1
        return Scribbles(labels, source)

    @property
    def used(self) -> tuple[int, ...]:
        """The labels that are on the sheet."""
        return tuple(k for k in np.unique(self.labels).tolist() if k)


def _discs(
    stroke: Stroke, shape: tuple[int, ...]
) -> Iterable[tuple[slice, slice, NDArray[np.bool_]]]:
    """Yield, for each piece of the line, a window and the pixels of it under the brush."""
    height, width = shape
    places = np.array(stroke.places)
    ends = np.roll(places, -1, axis=0)[:-1] if len(places) > 1 else places
    # The centre of a pixel is half a pixel in; a brush of any size paints the pixel it is on.
    reach = max(stroke.radius, 0.72)
    for (x0, y0), (x1, y1) in zip(places, ends, strict=False):
        left, right = int(min(x0, x1) - reach), int(max(x0, x1) + reach) + 1
        top, bottom = int(min(y0, y1) - reach), int(max(y0, y1) + reach) + 1
        rows = slice(max(top, 0), min(bottom, height))
        columns = slice(max(left, 0), min(right, width))
        if rows.start >= rows.stop or columns.start >= columns.stop:
            continue
        y = np.arange(rows.start, rows.stop)[:, None] + 0.5
        x = np.arange(columns.start, columns.stop)[None, :] + 0.5
        dx, dy = x1 - x0, y1 - y0
        along = np.clip(((x - x0) * dx + (y - y0) * dy) / ((dx * dx + dy * dy) or 1.0), 0, 1)
        away = (x - x0 - along * dx) ** 2 + (y - y0 - along * dy) ** 2
        yield rows, columns, away <= reach**2


def links_of(statements: Sequence[Statement]) -> list[Link]:
    """Return the links; a later word about a pair replaces an earlier one."""
    found: dict[tuple[int, int], Link] = {}
    for one in statements:
        if isinstance(one, Link):
            found[one.first, one.second] = one
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
        [(link.first, link.second) for link in must],
        [(link.first, link.second) for link in cannot],
        n_samples=n_samples,
        must_weight=[link.weight for link in must],
        cannot_weight=[link.weight for link in cannot],
    )
    return pairs + Constraints.from_labels(marks - 1)
