"""What a person takes home: masks, labels, scribbles and constraints as files."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sidecut._validation import Int
from sidecut.app.scribbles import Scribbles
from sidecut.app.session_file import ENDING, Saved, save
from sidecut.app.statements import MAX_LABELS, Link, links_of, marks_of
from sidecut.app.subject import Subject
from sidecut.plot._style import cluster_color


def colours() -> NDArray[np.uint8]:
    """Return the colour of labels 0 (black), 1, 2, ..., MAX_LABELS as bytes."""
    rows = [list(bytes.fromhex(cluster_color(k).removeprefix("#"))) for k in range(MAX_LABELS)]
    return np.array([[0, 0, 0], *rows], dtype=np.uint8)


def export(what: str, saved: Saved, labels: NDArray[np.uint8] | None) -> tuple[str, bytes]:
    """Return the name and the content of a file of a session and the labels on show.

    Parameters
    ----------
    what : {"mask", "labels", "scribbles", "constraints", "session"}
        What to write.
    saved : Saved
        The session.
    labels : array of shape (n_samples,) or None
        1, 2, ...; 0 and None mean none.
    """
    subject = saved.subject
    image = subject.kind == "image"
    stem = Path(subject.name).stem or "sidecut"
    if what == "session":
        return f"{stem}{ENDING}", save(saved)
    if what == "constraints" and not image:
        marks = marks_of(saved.statements, subject.n_samples)
        table = constraints_csv(subject, links_of(saved.statements), marks)
        return f"{stem}-constraints.csv", table
    if what not in (("mask", "labels", "scribbles") if image else ("labels",)):
        raise ValueError(f"a {subject.kind} has no {what} to export")
    if not image:
        return f"{stem}-labels.csv", labels_csv(subject, _some(labels).tolist())
    sheet = Scribbles.of(saved.statements, subject.shape).labels
    if what == "scribbles":
        return f"{stem}-scribbles.png", label_png(sheet, subject.shape[::-1])
    found = _some(labels).reshape(subject.shape)
    if what == "mask":
        return f"{stem}-mask.png", label_png(found, subject.full_size)
    return f"{stem}-labels.npz", labels_npz(labels=found, scribbles=sheet)


def _some(labels: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
    if labels is None or not labels.any():
        raise ValueError("there are no labels to export yet")
    return labels


def label_png(labels: NDArray[np.uint8], size: tuple[int, int]) -> bytes:
    """Return an image whose pixel values are the labels, each in its colour, at the given size."""
    from PIL import Image

    image = Image.fromarray(labels)
    if size != image.size:
        image = image.resize(size, Image.Resampling.NEAREST)
    image.putpalette(colours().tobytes())
    file = io.BytesIO()
    image.save(file, format="PNG", optimize=True)
    return file.getvalue()


def labels_npz(**arrays: Any) -> bytes:
    """Return arrays as a compressed npz."""
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def labels_csv(subject: Subject, labels: Sequence[int]) -> bytes:
    """Return a table of rows and labels."""
    return _csv(["row", "label"], ((subject.row_name(k), v) for k, v in enumerate(labels)))


def constraints_csv(subject: Subject, links: Sequence[Link], marks: Int) -> bytes:
    """Return the pairs as `sidecut fit --constraints` takes them.

    Labels become pairs too: each labelled point with the next one of its label, and the first of
    each label against those of the others.
    """
    rows: list[tuple[str, str, float, str]] = []

    def add(one: int, two: int, weight: float, kind: str) -> None:
        rows.append((subject.row_name(one), subject.row_name(two), weight, kind))

    for link in links:
        add(link.first, link.second, link.weight, "must" if link.together else "cannot")
    said = {(link.first, link.second) for link in links}
    groups = [np.flatnonzero(marks == label).tolist() for label in np.unique(marks[marks > 0])]
    for group in groups:
        for one, two in pairwise(group):
            if (one, two) not in said:
                add(one, two, 1.0, "must")
    for k, group in enumerate(groups):
        for other in groups[k + 1 :]:
            one, two = sorted((group[0], other[0]))
            if (one, two) not in said:
                add(one, two, 1.0, "cannot")
    return _csv(["i", "j", "weight", "kind"], rows)


def _csv(header: list[str], rows: Any) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()
