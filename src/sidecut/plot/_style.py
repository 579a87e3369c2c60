"""What the Displays share: the axes, the colours, the check of the estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Apart for colour-blind readers (after Okabe and Ito), and none of them red: red means violated.
CLUSTER_COLORS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#60400f", "#f5e93a", "#3f2d86",
)  # fmt: skip
VIOLATED = "#d7263d"
LINK = "#333333"


def axes(ax: Axes | None) -> Axes:
    """Return the axes given, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'sidecut[plot]'") from error
    return plt.subplots(figsize=(5.5, 4.2), layout="constrained")[1]


def cluster_color(label: int) -> str:
    """Return the colour of a cluster; after eight they repeat."""
    return CLUSTER_COLORS[label % len(CLUSTER_COLORS)]


def check_fitted(estimator: Any, attribute: str) -> None:
    """Refuse an estimator that has not been fitted."""
    check_is_fitted(estimator, attribute)


def check_plane(X: Any, n_samples: int) -> Any:
    """Return X as points of the plane."""
    points = np.asarray(X, dtype=np.float64)
    if points.shape != (n_samples, 2):
        raise ValueError(
            f"X must have shape ({n_samples}, 2) to be drawn, got {points.shape}; "
            "project it to two dimensions first"
        )
    return points
