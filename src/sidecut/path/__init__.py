"""The constrained path: cuts by multiplier, by relaxed threshold α, by satisfaction of labels."""

from sidecut.path.core import ConstrainedPath
from sidecut.path.labels import Cut
from sidecut.path.point import PathCurve, PathPoint
from sidecut.path.threshold import Alpha, Mu

__all__ = ["Alpha", "ConstrainedPath", "Cut", "Mu", "PathCurve", "PathPoint"]
