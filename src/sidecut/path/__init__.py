"""The constrained path: cuts by multiplier, by relaxed threshold α, by satisfaction of labels."""

from sidecut.path.core import ConstrainedPath, PathCurve, PathPoint
from sidecut.path.labels import Cut

__all__ = ["ConstrainedPath", "Cut", "PathCurve", "PathPoint"]
