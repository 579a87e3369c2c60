"""Pictures of a constrained clustering, as matplotlib Displays (needs `pip install sidecut[plot]`).

Each Display is made by `from_estimator`, draws itself with `plot(ax=None)` and keeps `ax_` and
`figure_`, as in scikit-learn.
"""

from sidecut.plot.held_out import HeldOutDisplay
from sidecut.plot.indicator import IndicatorDisplay
from sidecut.plot.links import LinkDisplay
from sidecut.plot.numerical_range import NumericalRangeDisplay
from sidecut.plot.path import PathDisplay

__all__ = [
    "HeldOutDisplay",
    "IndicatorDisplay",
    "LinkDisplay",
    "NumericalRangeDisplay",
    "PathDisplay",
]
