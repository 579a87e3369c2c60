"""Fig. 5 and 6: the cuts of two photographs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sidecut.datasets import load_bsds
from sidecut.experiments.segmentation import ELEPHANTS, TARGETS, SegmentationRecord
from sidecut.reproduce._content import Content, Picture, Table
from sidecut.reproduce._style import highlight, mark, outline, panels, picture

ROWS = (
    ("CSP", True, "CSP, 48 × 32:\nrelaxed indicator"),
    ("CSP", False, "CSP, 48 × 32:\nthe cut"),
    ("CSP, basis", False, "CSP in a basis,\nfull size"),
    ("ours", False, "ours,\nfull size"),
)
COLUMNS = ("no constraints", "set 1", "set 2")


def segmentation(records: Sequence[SegmentationRecord], settings: Any) -> Content:
    """Draw a figure for each photograph, and the table of intersections over unions."""
    pictures = []
    for image in dict.fromkeys(r.image_id for r in records):
        name, number = ("elephants", 5) if image == ELEPHANTS else ("man with a hat", 6)
        caption = (
            f"Fig. {number}. The {name} (BSDS {image}). Left: the picture and what a person saw in "
            "it. Red and blue squares are the labelled pixels; the side that fits the target is "
            "kept, the other faded. The last two rows go beyond the paper."
        )
        own = [r for r in records if r.image_id == image]
        pictures.append(Picture(f"fig{number:02}", caption, _figure(image, own)))
    return Content(tuple(pictures), (_table(records),))


def _figure(image_id: str, records: Sequence[SegmentationRecord]) -> Any:
    photograph = load_bsds(image_id)
    found = {(r.method, r.constraint_set): r for r in records}
    rows = [row for row in ROWS if (row[0], 1) in found]
    height, width = photograph.image.shape[:2]
    figure, axes = panels(len(rows), 4, width=2.3, height=2.3 * height / width + 0.25)
    colour = photograph.image / 255
    grey = (photograph.image @ np.array([0.299, 0.587, 0.114])) / 255
    for k, (method, relaxed, name) in enumerate(rows):
        small = method == "CSP"
        step = 10 if small else 1
        shape = found[method, 1].marks.shape
        shown = (grey if small else colour)[step // 2 :: step, step // 2 :: step]
        shown = shown[: shape[0], : shape[1]]
        regions = photograph.segmentations[0][step // 2 :: step, step // 2 :: step]
        regions = regions[: shape[0], : shape[1]]
        picture(axes[k, 0], shown, cmap="gray", vmin=0, vmax=1)
        axes[k, 0].set_ylabel(name, fontsize=9)
        if not relaxed:
            for region in np.unique(regions):
                outline(axes[k, 0], regions == region, "#ffd400")
        for constraint_set in (0, 1, 2):
            ax = axes[k, 1 + constraint_set]
            record = found.get((method, constraint_set))
            if record is None:
                ax.set_axis_off()
                ax.text(0.5, 0.5, "as below", ha="center", color="0.5", transform=ax.transAxes)
                continue
            _draw(ax, record, shown, regions, relaxed)
            if k == 0:
                ax.set_title(COLUMNS[constraint_set], fontsize=10)
    axes[0, 0].set_title("photograph", fontsize=10)
    return figure


def _draw(ax: Any, r: SegmentationRecord, shown: Any, regions: Any, relaxed: bool) -> None:
    target = np.isin(regions, TARGETS[r.image_id, r.constraint_set or 1][0])
    # The side with more of the target is the one meant; the sign of an indicator means nothing.
    meant = r.labels[target].mean() >= r.labels[~target].mean()
    if relaxed:
        u = r.indicator if meant else -r.indicator
        # Labelled pixels are so far out that they would leave the rest one colour.
        low, high = np.quantile(u[r.marks == 0], (0.02, 0.98))
        picture(ax, u, cmap="RdBu_r", vmin=low, vmax=high)
        outline(ax, r.marks > 0, "black")
        return
    side = r.labels if meant else ~r.labels
    picture(ax, highlight(shown, side), f"IoU {r.iou:.2f}")
    outline(ax, side)
    mark(ax, r.marks)


def _table(records: Sequence[SegmentationRecord]) -> Table:
    rows = tuple(
        (r.image_id, r.method, COLUMNS[r.constraint_set], f"{r.iou:.2f}", f"{r.iou_sign:.2f}",
         f"{r.seconds:.1f}")
        for r in records
    )  # fmt: skip
    header = ("photograph", "method", "constraints", "IoU", "IoU by sign", "seconds")
    return Table("Intersection over union with the human segmentation", header, rows)
