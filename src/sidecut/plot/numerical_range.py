"""The joint numerical range of L̄ and Q̄: every cut as a point (cost, satisfaction)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from sidecut._validation import Float
from sidecut.constraints import Constraints
from sidecut.csp import CutSet, unconstrained_cuts
from sidecut.laplacian import Laplacian
from sidecut.plot._style import CLUSTER_COLORS, VIOLATED, axes, check_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Directions in which the boundary is found; enough for it to look smooth.
N_DIRECTIONS = 90


class NumericalRangeDisplay:
    """The paper's section 5.2: which cuts exist, which are feasible, where the threshold lies.

    Axes are `v'L̄v` and `v'Q̄v` for unit v. The shaded region is the range itself, which is convex:
    no cut lies outside it. Drawn are the unconstrained cuts (eigenvectors of L̄), the feasible cuts
    and the line β/vol.

    Parameters
    ----------
    unconstrained, feasible : array of shape (n_cuts, 2)
        Cost and satisfaction of the two kinds of cuts; the first feasible one is the chosen.
    boundary : array of shape (m, 2)
        Points around the range.
    threshold : float
        β/vol.
    """

    ax_: Axes
    figure_: Any

    def __init__(
        self,
        unconstrained: Float,
        feasible: Float,
        boundary: Float,
        threshold: float,
    ) -> None:
        self.unconstrained = unconstrained
        self.feasible = feasible
        self.boundary = boundary
        self.threshold = threshold

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Draw the range of a fitted `CSP`, which must have had constraints."""
        check_fitted(estimator, "cuts_")
        if not estimator.constraints_ or estimator.beta_ is None:
            raise ValueError("the estimator was fitted without constraints: there is no threshold")
        laplacian, constraints = estimator.laplacian_, estimator.constraints_
        return cls(
            _points(unconstrained_cuts(laplacian), laplacian, constraints),
            _points(estimator.cuts_, laplacian, constraints),
            numerical_range_boundary(laplacian, constraints),
            estimator.beta_ / laplacian.volume,
        ).plot(ax)

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> Self:
        """Draw into `ax`, or into a new figure."""
        ax = axes(ax)
        ax.fill(*self.boundary.T, color="0.93", zorder=0)
        ax.plot(*self.boundary.T, color="0.7", linewidth=0.8, zorder=1)
        ax.scatter(
            self.unconstrained[:, 0],
            self.unconstrained[:, 1],
            s=14,
            color=CLUSTER_COLORS[0],
            linewidths=0,
            label="unconstrained cuts",
            zorder=2,
        )
        ax.scatter(
            self.feasible[:, 0],
            self.feasible[:, 1],
            s=34,
            marker="^",
            color=CLUSTER_COLORS[1],
            edgecolors="0.2",
            linewidths=0.5,
            label="feasible cuts",
            zorder=3,
        )
        ax.scatter(
            self.feasible[:1, 0],
            self.feasible[:1, 1],
            s=130,
            marker="*",
            color=VIOLATED,
            edgecolors="white",
            linewidths=0.6,
            label="chosen cut",
            zorder=4,
        )
        ax.axhline(
            self.threshold, color="0.2", linewidth=1, linestyle="--", label="threshold β/vol"
        )
        ax.set_xlabel("cost  v'L̄v")
        ax.set_ylabel("satisfaction  v'Q̄v")
        ax.legend(loc="best", fontsize=8, framealpha=0.9)
        if title:
            ax.set_title(title)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def numerical_range_boundary(laplacian: Laplacian, constraints: Constraints) -> Float:
    """Return points around `{(v'L̄v, v'Q̄v) : v'v = 1}`.

    In the direction (a, b) the range ends where the top eigenvector of `a L̄ + b Q̄` lies.
    """
    scale = 1.0 / np.sqrt(laplacian.degrees)
    L = laplacian.matrix

    def apply_q(x: Float) -> Float:
        return scale * (constraints @ (scale * x))

    n = laplacian.n_samples
    start = np.random.default_rng(0).standard_normal(n)
    # Q̄ may be far larger or smaller than L̄ (norm at most 2); equal scales spread the directions.
    operator = LinearOperator((n, n), matvec=lambda x: apply_q(x.ravel()), dtype=np.float64)
    size = float(np.abs(eigsh(operator, k=1, v0=start, return_eigenvectors=False))[0]) / 2
    boundary = []
    for angle in np.linspace(0, 2 * np.pi, N_DIRECTIONS):
        a, b = np.cos(angle), np.sin(angle) / size

        def apply(x: Float, a: float = a, b: float = b) -> Float:
            result: Float = a * (L @ x.ravel()) + b * apply_q(x.ravel())
            return result

        operator = LinearOperator((n, n), matvec=apply, dtype=np.float64)
        _, v = eigsh(operator, k=1, which="LA", v0=start)
        v = v[:, 0]
        boundary.append((v @ (L @ v), v @ apply_q(v)))
    return np.array(boundary)


def _points(cuts: CutSet, laplacian: Laplacian, constraints: Constraints) -> Float:
    """Return (cost, satisfaction) of each cut for unit v."""
    u = cuts.indicators
    satisfactions = (u * (constraints @ u)).sum(axis=0)
    return np.column_stack([cuts.costs, satisfactions]) / laplacian.volume
