"""What the figures share: panels, colours, and overlays on photographs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A method has one colour and marker in all figures (after Okabe and Ito).
METHODS = {
    "ours": ("#d55e00", "o"),
    "ours, hard": ("#e69f00", "D"),
    "CSP": ("#0072b2", "s"),
    "SL": ("#009e73", "^"),
    "SSKK": ("#cc79a7", "v"),
    "baseline": ("#555555", ""),
    "plain": ("#555555", ""),
    "random walker": ("#0072b2", "s"),
}
# Labelled pixels: their two classes, apart from each other and from most photographs.
MARKS = ((0.84, 0.15, 0.24), (0.1, 0.45, 0.9))


def panels(rows: int, columns: int, *, width: float, height: float, **options: Any) -> Any:
    """Return a figure of panels of the given size (inches) and its axes, as a 2-d array."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install 'sidecut[reproduce]'") from error
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def dress(ax: Any, title: str = "", x: str = "", y: str = "") -> None:
    """Label axes, with a faint grid and no box."""
    ax.set_title(title, fontsize=10)
    ax.set_xlabel(x, fontsize=9)
    ax.set_ylabel(y, fontsize=9)
    ax.tick_params(labelsize=8)
    ax.grid(axis="y", color="0.92", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def picture(ax: Any, image: Any, title: str = "", **options: Any) -> None:
    """Show an image without ticks."""
    ax.imshow(image, **options)
    ax.set_title(title, fontsize=9)
    ax.set_xticks([])
    ax.set_yticks([])


def curve(ax: Any, points: dict[int, tuple[float, float, float]], method: str, **more: Any) -> None:
    """Draw mean, least and largest value over the number of constraints; `band=False`: the mean."""
    color, marker = METHODS[method]
    x = sorted(points)
    mean, least, most = np.array([points[n] for n in x]).T
    if more.pop("band", True):
        ax.fill_between(x, least, most, color=color, alpha=0.13, linewidth=0)
    style = {"linewidth": 1.6, "markersize": 4, "label": method} | more
    ax.plot(x, mean, color=color, marker=marker, **style)


def shared_legend(figure: Figure, axes: Any) -> None:
    """Put one legend for all panels below them."""
    found: dict[str, Any] = {}
    for ax in np.ravel(axes):
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    figure.legend(
        list(found.values()), list(found), loc="outside lower center", ncols=min(len(found), 6),
        fontsize=9, frameon=False,
    )  # fmt: skip


def highlight(image: Any, side: NDArray[np.bool_]) -> Any:
    """Return a photograph (0 to 1) with everything but one side faded."""
    colours = image if image.ndim == 3 else np.repeat(image[:, :, None], 3, axis=2)
    # Grey-blue rather than white: many photographs have a white background.
    faded = 0.3 * colours + 0.7 * np.array([0.78, 0.83, 0.9])
    return np.where(side[:, :, None], colours, faded)


def outline(ax: Any, side: NDArray[Any], color: str = "#d55e00") -> None:
    """Draw the border of a region."""
    if side.min() != side.max():
        ax.contour(side.astype(float), [0.5], colors=[color], linewidths=1.1)


def mark(ax: Any, marks: NDArray[np.uint8]) -> None:
    """Lay the labelled pixels over a photograph."""
    layer = np.zeros((*marks.shape, 4))
    for label, color in enumerate(MARKS, start=1):
        layer[marks == label] = (*color, 1.0)
    ax.imshow(layer)
