"""The relaxed indicator u: how far each node leans to its side of the cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from sidecut._validation import Float
from sidecut.plot._style import axes, check_fitted, check_plane, cluster_color

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class IndicatorDisplay:
    """Draw u over points of the plane, over an image, or node by node.

    Parameters
    ----------
    indicator : array-like of shape (n_samples,)
        The relaxed indicator.
    X : array-like of shape (n_samples, 2), optional
        Points to colour by it.
    shape : (int, int), optional
        Height and width of the image whose pixels the nodes are.

    Examples
    --------
    >>> from sidecut.plot import IndicatorDisplay
    >>> display = IndicatorDisplay([1.2, 0.4, -0.9]).plot()
    >>> display.ax_.get_xlabel()
    'node'
    """

    ax_: Axes
    figure_: Any

    def __init__(
        self,
        indicator: ArrayLike,
        *,
        X: ArrayLike | None = None,
        shape: tuple[int, int] | None = None,
    ) -> None:
        self.indicator: Float = np.asarray(indicator, dtype=np.float64)
        if self.indicator.ndim != 1:
            raise ValueError(f"indicator must have one dimension, got {self.indicator.shape}")
        if X is not None and shape is not None:
            raise ValueError("give X or shape, not both")
        self.X = None if X is None else check_plane(X, len(self.indicator))
        if shape is not None and shape[0] * shape[1] != len(self.indicator):
            raise ValueError(f"shape {shape} does not hold {len(self.indicator)} nodes")
        self.shape = shape

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        X: ArrayLike | None = None,
        shape: tuple[int, int] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the indicator of a fitted estimator."""
        check_fitted(estimator, "indicator_")
        return cls(estimator.indicator_, X=X, shape=shape).plot(ax)

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> Self:
        """Draw into `ax`, or into a new figure."""
        ax = axes(ax)
        if self.X is None and self.shape is None:
            self._plot_nodes(ax)
        else:
            self._plot_colors(ax)
        if title:
            ax.set_title(title)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _plot_nodes(self, ax: Axes) -> None:
        nodes = np.arange(len(self.indicator))
        colors = [cluster_color(int(value > 0)) for value in self.indicator]
        ax.axhline(0, color="0.6", linewidth=0.8)
        ax.vlines(nodes, 0, self.indicator, colors=colors, linewidth=1.2)
        ax.scatter(nodes, self.indicator, c=colors, s=28, zorder=2)
        ax.set_xlabel("node")
        ax.set_ylabel("relaxed indicator u")

    def _plot_colors(self, ax: Axes) -> None:
        # A few far-out entries must not bleach all others.
        limit = float(np.quantile(np.abs(self.indicator), 0.9)) or 1.0
        style: dict[str, Any] = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit}
        if self.shape is not None:
            drawn: Any = ax.imshow(self.indicator.reshape(self.shape), **style)
        else:
            assert self.X is not None
            drawn = ax.scatter(
                self.X[:, 0],
                self.X[:, 1],
                c=self.indicator,
                s=24,
                edgecolors="0.4",
                linewidths=0.3,
                **style,
            )
            ax.set_aspect("equal", adjustable="datalim")
        ax.set_xticks([])
        ax.set_yticks([])
        ax.figure.colorbar(drawn, ax=ax, label="relaxed indicator u", shrink=0.8, extend="both")
