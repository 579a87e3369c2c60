"""Points with their clusters and the constraints between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sidecut._validation import check_labels
from sidecut.constraints import Constraints
from sidecut.constraints.groups import Groups
from sidecut.constraints.pairs import Pairs
from sidecut.plot._style import LINK, VIOLATED, axes, check_fitted, check_plane, cluster_color

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A picture of more links than this is a black square.
MAX_LINKS = 2000


class LinkDisplay:
    """Points coloured by cluster; must-links solid, cannot-links dashed, violated ones red.

    Labelled nodes are ringed instead of linked, in red where the clustering disagrees with most of
    their group.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        Where to draw the points.
    labels : array-like of shape (n_samples,)
        Their clusters.
    constraints : Constraints or None
        What to draw between them.

    Examples
    --------
    >>> from sidecut.plot import LinkDisplay
    >>> display = LinkDisplay([[0, 0], [1, 0], [2, 1]], [0, 0, 1]).plot()
    >>> display.figure_.savefig  # doctest: +ELLIPSIS
    <bound method ...>
    """

    ax_: Axes
    figure_: Any

    def __init__(
        self, X: ArrayLike, labels: ArrayLike, constraints: Constraints | None = None
    ) -> None:
        n_samples = np.asarray(labels).shape[0]
        self.X = check_plane(X, n_samples)
        self.labels = check_labels(labels, n_samples)
        self.constraints = constraints
        if constraints is not None and constraints.n_samples != n_samples:
            raise ValueError(
                f"constraints speak about {constraints.n_samples} samples, X has {n_samples}"
            )

    @classmethod
    def from_estimator(cls, estimator: Any, X: ArrayLike, *, ax: Axes | None = None) -> Self:
        """Draw a fitted estimator's labels and the constraints it was given."""
        check_fitted(estimator, "labels_")
        return cls(X, estimator.labels_, estimator.constraints_).plot(ax)

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> Self:
        """Draw into `ax`, or into a new figure."""
        ax = axes(ax)
        for label in np.unique(self.labels):
            points = self.X[self.labels == label]
            color = cluster_color(int(label))
            ax.scatter(
                points[:, 0],
                points[:, 1],
                s=22,
                color=color,
                linewidths=0,
                zorder=2,
                label=f"_{label}",
            )
        for part in self.constraints.parts if self.constraints else ():
            if isinstance(part, Pairs):
                self._draw_pairs(ax, part)
            else:
                self._draw_groups(ax, part)
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xticks([])
        ax.set_yticks([])
        if title:
            ax.set_title(title)
        if ax.get_legend_handles_labels()[1]:
            ax.legend(loc="upper right", fontsize=8, frameon=True, framealpha=0.9)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_pairs(self, ax: Axes, pairs: Pairs) -> None:
        from matplotlib.collections import LineCollection

        for sign, style, name in ((1, "solid", "must-link"), (-1, (0, (4, 2)), "cannot-link")):
            first, second, _ = pairs.links(sign)
            first, second = first[:MAX_LINKS], second[:MAX_LINKS]
            met = (self.labels[first] == self.labels[second]) == (sign > 0)
            for mask, color, order in ((met, LINK, 3), (~met, VIOLATED, 4)):
                if not mask.any():
                    continue
                lines = self.X[np.column_stack([first[mask], second[mask]])]
                violated = "" if color == LINK else ", violated"
                ax.add_collection(
                    LineCollection(
                        list(lines),
                        colors=color,
                        linestyles=[style],
                        linewidths=1.0 if color == LINK else 1.5,
                        zorder=order,
                        label=f"{name}{violated}",
                    )
                )

    def _draw_groups(self, ax: Axes, groups: Groups) -> None:
        labels = self.labels[groups.nodes]
        table = np.zeros((groups.membership.shape[0], labels.max() + 1))
        np.add.at(table, (groups.group, labels), groups.weight)
        met = table.argmax(axis=1)[groups.group] == labels
        for mask, color, name in ((met, LINK, "labelled"), (~met, VIOLATED, "labelled, violated")):
            if mask.any():
                points = self.X[groups.nodes[mask]]
                ax.scatter(
                    points[:, 0],
                    points[:, 1],
                    s=55,
                    facecolors="none",
                    edgecolors=color,
                    zorder=3,
                    label=name,
                )
