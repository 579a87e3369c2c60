"""A picture of a clustering, whatever was clustered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from sidecut._validation import Float, Int
from sidecut.plot._style import cluster_color
from sidecut.read import Problem

# More points than this are drawn as a sample; the rest would only cover them.
MAX_POINTS = 20_000


def save_picture(path: Path, problem: Problem, model: Any, strokes: Int | None) -> None:
    """Draw points, a graph by its eigenvectors, or an image with its segments."""
    from matplotlib.figure import Figure

    if problem.kind == "image":
        height, width = problem.X.shape[:2]
        figure = Figure(figsize=(6, max(6 * height / width, 1)), layout="constrained")
        _draw_image(figure.subplots(), problem.X, model.labels_.reshape(height, width), strokes)
    else:
        figure = Figure(figsize=(6, 4.8), layout="constrained")
        _draw_points(figure.subplots(), *_plane(problem, model), model)
    figure.savefig(path, format="png", dpi=150)


def _plane(problem: Problem, model: Any) -> tuple[Float, tuple[str, str]]:
    """Return points of the plane, and what its axes are."""
    X = problem.X
    if problem.kind == "points" and X.shape[1] == 2:
        return np.asarray(X.todense() if hasattr(X, "todense") else X), ("", "")
    if problem.kind == "points" and not hasattr(X, "todense"):
        count = min(2, *X.shape)
        plane = PCA(count, random_state=0).fit_transform(X)
        axes = ("first principal component", "second principal component")
    else:
        plane = model.basis_.vectors[:, :2]
        axes = ("first eigenvector of the graph", "second eigenvector of the graph")
    if plane.shape[1] == 1:
        plane = np.column_stack([plane, np.zeros(len(plane))])
    return plane, axes


def _draw_points(ax: Any, plane: Float, axes: tuple[str, str], model: Any) -> None:
    from sidecut.plot import LinkDisplay

    labels, known = model.labels_, model.constraints_
    if len(plane) > MAX_POINTS:
        rows = np.random.default_rng(0).choice(len(plane), MAX_POINTS, replace=False)
        if known:
            rows = np.union1d(rows, known.nodes[:MAX_POINTS])
            known = known.restrict(rows)
        plane, labels = plane[rows], labels[rows]
    LinkDisplay(plane, labels, known or None).plot(ax)
    ax.set_aspect("auto" if axes[0] else "equal", adjustable="datalim")
    ax.set_xlabel(axes[0])
    ax.set_ylabel(axes[1])


def _draw_image(ax: Any, image: NDArray[Any], labels: Int, strokes: Int | None) -> None:
    """Tint the segments, with white seams between them and the strokes in black."""
    grey = image.astype(float) if image.ndim == 2 else image.astype(float).mean(axis=2)
    grey = (grey - grey.min()) / (np.ptp(grey) or 1.0)
    picture = 0.55 * grey[:, :, None] + 0.45 * _colours()[labels % 256] / 255
    picture[:-1][labels[:-1] != labels[1:]] = 1.0
    picture[:, :-1][labels[:, :-1] != labels[:, 1:]] = 1.0
    if strokes is not None:
        picture[strokes > 0] = 0.0
    ax.imshow(picture, interpolation="nearest")
    ax.set_axis_off()


def _colours() -> NDArray[np.uint8]:
    """Return the colours of clusters 0 to 255 as bytes."""
    rows = [list(bytes.fromhex(cluster_color(k).removeprefix("#"))) for k in range(256)]
    return np.array(rows, dtype=np.uint8)


def save_label_image(path: Path, labels: Int) -> None:
    """Write a PNG whose pixel values are the labels, with a colour for each."""
    from PIL import Image

    image = Image.fromarray(labels.astype(np.uint8))
    image.putpalette(_colours().tobytes())
    image.save(path, format="PNG")
