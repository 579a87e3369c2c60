"""Strokes as pixels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sidecut.app.statements import Statement, Stroke, strokes_of


@dataclass(frozen=True, eq=False)
class Scribbles:
    """Strokes as pixels: the label of each pixel (0 none), and which stroke it came from (−1)."""

    labels: NDArray[np.uint8]
    stroke: NDArray[np.int32]

    @classmethod
    def empty(cls, shape: tuple[int, int]) -> Scribbles:
        """Return a blank sheet."""
        return cls(np.zeros(shape, np.uint8), np.full(shape, -1, np.int32))

    @classmethod
    def of(cls, statements: Sequence[Statement], shape: tuple[int, int]) -> Scribbles:
        """Return the sheet of all strokes among some statements."""
        return cls.empty(shape).drawn(strokes_of(statements), 0)

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
