"""Beyond the paper: objects from strokes, beside the random walker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sidecut.datasets import load_bsds, load_scribbles
from sidecut.experiments.scribbles import ScribbleRecord, Settings
from sidecut.reproduce._content import Content, Picture, Table
from sidecut.reproduce._style import (
    METHODS,
    dress,
    highlight,
    mark,
    outline,
    panels,
    picture,
    shared_legend,
)

NAMES = ("random walker", "ours")
# From this many photographs on, two stand beside each other.
MANY = 4


def scribbles(records: Sequence[ScribbleRecord], settings: Settings) -> Content:
    """Draw the masks of every photograph, and IoU and time of both methods."""
    images = list(dict.fromkeys(r.image_id for r in records))
    found = {(r.image_id, r.method): r for r in records}
    caption = (
        f"Strokes (set {settings.stroke_set}; red: object, blue: background) with the true outline "
        "in yellow, and the object that each method finds."
    )
    return Content(
        (
            Picture("scribbles", caption, _masks(images, found, settings.stroke_set)),
            Picture(
                "scribbles_scores",
                "Intersection over union and time for each photograph (481 × 321).",
                _scores(images, found),
            ),
        ),
        (_table(images, found),),
    )


def _masks(images: list[str], found: dict[tuple[str, str], ScribbleRecord], chosen: int) -> Any:
    across = 2 if len(images) >= MANY else 1
    rows = -(-len(images) // across)
    figure, axes = panels(rows, 3 * across, width=2.3, height=1.85)
    for ax in axes.ravel():
        ax.set_axis_off()
    for k, image in enumerate(images):
        left, middle, right = axes[k // across, 3 * (k % across) : 3 * (k % across) + 3]
        photograph, strokes = load_bsds(image).image / 255, load_scribbles(image, chosen)
        picture(left, photograph, f"BSDS {image}")
        mark(left, strokes.marks)
        outline(left, strokes.mask, "#ffd400")
        for ax, method in ((middle, NAMES[0]), (right, NAMES[1])):
            r = found[image, method]
            picture(ax, highlight(photograph, r.mask), f"{method}: {r.iou:.2f}")
            outline(ax, r.mask)
    return figure


def _scores(images: list[str], found: dict[tuple[str, str], ScribbleRecord]) -> Any:
    figure, axes = panels(1, 2, width=4, height=2.2 + 0.12 * len(images))
    rows = np.arange(len(images))
    for ax, field, name in ((axes[0, 0], "iou", "IoU"), (axes[0, 1], "seconds", "seconds")):
        values = {m: [getattr(found[image, m], field) for image in images] for m in NAMES}
        ax.hlines(rows, *values.values(), color="0.8", zorder=1)
        for method in NAMES:
            color, marker = METHODS[method]
            ax.scatter(values[method], rows, color=color, marker=marker, s=34, label=method)
            ax.axvline(np.mean(values[method]), color=color, linestyle=":", linewidth=1.2)
        dress(ax, f"{name}, means dotted", name)
        ax.grid(axis="y", visible=False)
        ax.set_yticks(rows, images if ax is axes[0, 0] else [""] * len(images))
        ax.set_ylim(len(images) - 0.5, -0.5)
        ax.set_xlim(0, 1 if field == "iou" else None)
    shared_legend(figure, axes)
    return figure


def _table(images: list[str], found: dict[tuple[str, str], ScribbleRecord]) -> Table:
    def row(name: str, chosen: list[str]) -> tuple[str, ...]:
        pairs = [[found[image, method] for image in chosen] for method in NAMES]
        scores = [f"{np.mean([r.iou for r in own]):.3f}" for own in pairs]
        times = [f"{np.mean([r.seconds for r in own]):.1f}" for own in pairs]
        return (name, *scores, *times)

    rows = [row(image, [image]) for image in images]
    header = ("photograph", "random walker, IoU", "ours, IoU", "random walker, s", "ours, s")
    return Table("IoU and seconds", header, (*rows, row("mean", images)))
