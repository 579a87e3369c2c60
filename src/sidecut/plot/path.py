"""The constrained path: what each degree of satisfaction costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sidecut.path import ConstrainedPath, PathCurve
from sidecut.plot._style import VIOLATED, axes, check_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Multipliers that are drawn: dense where the curve bends.
MUS = (0.0, *np.geomspace(0.01, 1000, 61).tolist())


class PathDisplay:
    """Cost against satisfaction of the optimal cuts, with the chosen cut among them.

    The curve runs from the unconstrained cut to the most satisfying one; no cut lies below it. Dots
    on it are coloured by the share of the constraints that the labels made from them meet.

    Parameters
    ----------
    curve : PathCurve
        Points along the path.
    chosen : (float, float) or None
        Satisfaction and cost of the cut to mark; a refined cut lies above the curve.
    chosen_share : float or None
        Share of the constraints that its labels meet.

    Examples
    --------
    >>> from sidecut import ConstrainedSpectralClustering, Constraints
    >>> from sidecut.datasets import two_moons
    >>> from sidecut.plot import PathDisplay
    >>> X, y = two_moons(300, noise=0.15, random_state=0)
    >>> known = Constraints.sample(y, 60, random_state=0)
    >>> model = ConstrainedSpectralClustering(random_state=0).fit(X, constraints=known)
    >>> PathDisplay.from_estimator(model).chosen_share > 0.9
    True
    """

    ax_: Axes
    figure_: Any

    def __init__(
        self,
        curve: PathCurve,
        chosen: tuple[float, float] | None = None,
        chosen_share: float | None = None,
    ) -> None:
        self.curve = curve
        self.chosen = chosen
        self.chosen_share = chosen_share

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Draw the path of a fitted `ConstrainedSpectralClustering` and the cut it chose."""
        check_fitted(estimator, "cut_")
        path: ConstrainedPath | None = estimator.path_
        if path is None:
            raise ValueError("the estimator was fitted without constraints: there is no path")
        point = path.beside(estimator.cut_.weights)
        share = estimator.constraints_.satisfaction(estimator.labels_).share
        return cls(path.curve(MUS), (point.satisfaction, point.cost), share).plot(ax)

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> Self:
        """Draw into `ax`, or into a new figure."""
        ax = axes(ax)
        curve = self.curve
        top = max(curve.cost.max(), self.chosen[1] if self.chosen else 0.0) * 1.3
        low = curve.cost[curve.cost > 0].min(initial=top)
        cost = np.maximum(curve.cost, low / 2)
        # Costs along the path span orders of magnitude on a graph that is easily cut.
        if top > 20 * low:
            ax.set_yscale("log")
        ax.fill_between(curve.satisfaction, cost, top, color="0.93", linewidth=0, zorder=0)
        ax.plot(curve.satisfaction, cost, color="0.45", linewidth=1.2, zorder=1)
        drawn = ax.scatter(
            curve.satisfaction, cost, c=100 * curve.share, cmap="viridis", s=20, zorder=2
        )
        ax.figure.colorbar(drawn, ax=ax, label="constraints that the labels meet, %")
        ax.annotate(
            "unconstrained",
            (curve.satisfaction[0], cost[0]),
            xytext=(-3, -9),
            textcoords="offset points",
            va="top",
            fontsize=9,
        )
        if self.chosen is not None:
            share = "" if self.chosen_share is None else f", {self.chosen_share:.1%} met"
            ax.scatter(
                *self.chosen,
                s=190,
                marker="*",
                color=VIOLATED,
                edgecolors="white",
                linewidths=0.8,
                label=f"chosen cut{share}",
                zorder=3,
            )
            ax.legend(loc="upper left", fontsize=9, framealpha=0.9)
        ax.margins(x=0.04, y=0.12)
        ax.set_ylim(top=top)
        ax.set_xlabel(r"satisfaction  $v'\bar{Q}v$")
        ax.set_ylabel(r"cost  $v'\bar{L}v$")
        if title:
            ax.set_title(title)
        self.ax_, self.figure_ = ax, ax.figure
        return self
